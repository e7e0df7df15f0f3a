import { z } from 'zod';
import { identifier } from './identifier';
import { wholeNumberText } from './whole-number-text';

const SESSION_STATUSES = ['idle', 'running', 'waiting_for_approval', 'blocked', 'closed'] as const;
const MAX_LISTED_SESSIONS = 500;

/** Query of `GET /v1/sessions`. Without `status`, sessions of every status; `after` is an earlier `nextAfter`. */
export const listSessionsQuery = z.strictObject({
  status: z.enum(SESSION_STATUSES).optional(),
  agent: identifier.optional(),
  after: z.string().optional(),
  limit: wholeNumberText(1, MAX_LISTED_SESSIONS).default(MAX_LISTED_SESSIONS),
});

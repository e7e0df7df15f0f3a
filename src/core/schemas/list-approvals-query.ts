import { z } from 'zod';
import { wholeNumberText } from './whole-number-text';

const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled', 'superseded'] as const;
const MAX_LISTED_APPROVALS = 500;

/** Query of `GET /v1/approvals`. Without `status`, questions of every status; `after` is an earlier `nextAfter`. */
export const listApprovalsQuery = z.strictObject({
  status: z.enum(APPROVAL_STATUSES).optional(),
  after: z.string().optional(),
  limit: wholeNumberText(1, MAX_LISTED_APPROVALS).default(MAX_LISTED_APPROVALS),
});

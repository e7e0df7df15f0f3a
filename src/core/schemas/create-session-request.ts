import { z } from 'zod';
import { identifier } from './identifier';
import { messageContent } from './message-content';

const MAX_AGENT_NAME_CHARACTERS = 200;

/** Body of `POST /v1/sessions`. */
export const createSessionRequest = z.strictObject({
  agent: z.string().min(1).max(MAX_AGENT_NAME_CHARACTERS),
  message: z.strictObject({ content: messageContent }),
  sessionId: identifier.optional(),
});

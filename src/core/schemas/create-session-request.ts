import { z } from 'zod';
import { isSessionMetadata, MAX_METADATA_BYTES, SESSION_MODES } from '../sessions';
import { identifier } from './identifier';
import { messageContent } from './message-content';
import { sessionLimits } from './session-limits';

const MAX_AGENT_NAME_CHARACTERS = 200;

/** Body of `POST /v1/sessions`. */
export const createSessionRequest = z.strictObject({
  agent: z.string().min(1).max(MAX_AGENT_NAME_CHARACTERS),
  message: z.strictObject({ content: messageContent }),
  sessionId: identifier.optional(),
  mode: z.enum(SESSION_MODES).exactOptional(),
  limits: sessionLimits.exactOptional(),
  metadata: z
    .record(z.string(), z.string())
    .refine(isSessionMetadata, `must be well-formed texts, at most ${MAX_METADATA_BYTES} bytes as JSON`)
    .exactOptional(),
  /** False: the session is stored, and somebody else starts its workflow. */
  start: z.boolean().default(true),
});

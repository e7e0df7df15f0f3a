import { z } from 'zod';

const MAX_REASON_CHARACTERS = 1_000;

/** Body of `POST /v1/sessions/:id/cancel`; every member is optional, so an empty body is one too. */
export const cancelTurnRequest = z.strictObject({
  turn: z.int().positive().optional(),
  reason: z.string().max(MAX_REASON_CHARACTERS).optional(),
  keepQueue: z.boolean().optional(),
});

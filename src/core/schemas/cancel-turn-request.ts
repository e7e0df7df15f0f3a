import { z } from 'zod';

/**
 * Body of `POST /v1/sessions/:id/cancel`; every member is optional, so an empty body is one too. It takes no reason: a
 * cancel travels by signal alone, and no text of anybody's goes into Temporal.
 */
export const cancelTurnRequest = z.strictObject({
  turn: z.int().positive().optional(),
  keepQueue: z.boolean().optional(),
});

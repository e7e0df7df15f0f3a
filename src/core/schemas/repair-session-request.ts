import { z } from 'zod';

const REASON = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$/;

/**
 * Body of `POST /v1/sessions/:id/repair`. The reason stands in the gateway's log and in Temporal's history, which take
 * no prose: it is one word that leads to more, such as a ticket's number.
 */
export const repairSessionRequest = z.strictObject({
  reason: z.string().regex(REASON, 'must be one word of at most 100 characters, for example the number of a ticket'),
  /** Repairs a session that is not blocked. Default false. */
  force: z.boolean().default(false),
});

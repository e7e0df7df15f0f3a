import { z } from 'zod';

/**
 * Body of `POST /v1/sessions/:id/close`: nothing, or an empty object. It takes no reason, as a cancel takes none: both
 * travel by signal alone, and no text of anybody's goes into Temporal.
 */
export const closeSessionRequest = z.strictObject({});

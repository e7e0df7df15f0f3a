import { z } from 'zod';
import { wholeNumberText } from './whole-number-text';

const position = wholeNumberText(0, Number.MAX_SAFE_INTEGER).optional();

/** Where a session's stream goes on: behind `Last-Event-ID` when a reader comes back, else behind `after`, else from the start. */
export const streamPosition = z
  .strictObject({
    query: z.strictObject({ after: position }),
    headers: z.strictObject({ 'last-event-id': position }),
  })
  .transform(({ query, headers }) => headers['last-event-id'] ?? query.after ?? 0);

import { z } from 'zod';
import { wholeNumberText } from './whole-number-text';

/** Entries in one page, at most. */
const MAX_PAGE_ENTRIES = 500;

/** Query of `GET /v1/sessions/:id/entries`. */
export const listEntriesQuery = z.strictObject({
  after: wholeNumberText(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: wholeNumberText(1, MAX_PAGE_ENTRIES).default(MAX_PAGE_ENTRIES),
});

import { z } from 'zod';
import { identifier } from './identifier';

const MAX_WORD_CHARACTERS = 40;
const MAX_DIGEST_CHARACTERS = 100;
const MAX_COMMENT_CHARACTERS = 10_000;

/**
 * Body of `POST /v1/approvals/:id/decisions`. Which words fit depends on the kind of the approval, so the word is only
 * text here; one that does not fit has the outcome `invalid`.
 */
export const decisionRequest = z.strictObject({
  decision: z.string().min(1).max(MAX_WORD_CHARACTERS),
  argumentsDigest: z.string().min(1).max(MAX_DIGEST_CHARACTERS).optional(),
  comment: z.string().max(MAX_COMMENT_CHARACTERS).optional(),
  decisionId: identifier.optional(),
});

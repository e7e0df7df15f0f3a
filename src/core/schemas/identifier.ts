import { z } from 'zod';
import { isId } from '../ids';

/** An id that a client chooses. */
export const identifier = z
  .string()
  .refine(isId, 'must be 1 to 100 letters, digits, "_" or "-", and start with a letter or digit');

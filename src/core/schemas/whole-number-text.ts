import { z } from 'zod';

/** A whole number from `min` to `max`, as a query string carries it: digits and nothing else. */
export function wholeNumberText(min: number, max: number) {
  return z
    .string()
    .refine(
      (text) => /^[0-9]{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

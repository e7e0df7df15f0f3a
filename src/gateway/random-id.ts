import { randomUUID } from 'node:crypto';

/** A new id that nobody can guess: the prefix, `_` and 32 hexadecimal digits. */
export function randomId(prefix: 's' | 'm' | 'd'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

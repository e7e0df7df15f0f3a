import { canonicalJson } from '../../core/canonical-json';

/**
 * A value as it is stored: JSON with its members in their own order, because people and models read them in that order.
 * Throws HoldpointError `not_canonical` for what JSON can't carry without loss.
 */
export function jsonText(value: unknown): string {
  canonicalJson(value);
  return JSON.stringify(value);
}

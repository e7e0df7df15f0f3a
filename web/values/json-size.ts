import type { JsonValue } from '../../src/core/json';

/** More than so many values in one place are not all put on the screen at once. */
export const MAX_SIBLINGS = 200;

/** True when a value has so few values in it, at any depth, that all of them can be shown without being asked for. */
export function isSmall(value: JsonValue): boolean {
  return countValues(value, MAX_SIBLINGS) <= MAX_SIBLINGS;
}

/** How many values a list or an object holds, itself not counted, at any depth; stops soon after `limit`. */
function countValues(value: JsonValue, limit: number): number {
  const members = membersOf(value);
  let count = members.length;
  for (const [, member] of members) {
    if (count > limit) {
      return count;
    }
    count += countValues(member, limit - count);
  }
  return count;
}

/** The members of a list or an object, in their order; none for anything else. */
export function membersOf(value: JsonValue): readonly (readonly [name: string, value: JsonValue])[] {
  if (value === null || typeof value !== 'object') {
    return [];
  }
  return Object.entries(value as Readonly<Record<string, JsonValue>>);
}

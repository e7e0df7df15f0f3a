import { countHidden } from '../../src/core/display/visible-text';
import type { JsonValue } from '../../src/core/json';
import { membersOf } from './json-size';

/** How many invisible characters there are in the names and texts of a value, at any depth. */
export function countHiddenIn(value: JsonValue): number {
  const left: JsonValue[] = [value];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') {
      count += countHidden(next);
    }
    for (const [name, member] of membersOf(next)) {
      count += countHidden(name);
      left.push(member);
    }
  }
  return count;
}

import type { z } from 'zod';
import { HoldpointError } from '../core/errors';

const SHOWN_FAULTS = 10;
const SHOWN_NAME_CHARACTERS = 60;

/**
 * Checks a body or a query against its schema.
 * Throws `malformed_json` for an empty body and `invalid_request` with each fault and the path to it.
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (value === undefined) {
    throw new HoldpointError('malformed_json', 'The body is empty; it must be a JSON object.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    return parsed.data;
  }
  const faults = parsed.error.issues.flatMap(faultsOf);
  const more = faults.length > SHOWN_FAULTS ? `; and ${faults.length - SHOWN_FAULTS} more` : '';
  throw new HoldpointError('invalid_request', `${faults.slice(0, SHOWN_FAULTS).join('; ')}${more}`);
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => `${placeOf([...issue.path, name])}: not a known member`);
  }
  const path = issue.path.length === 0 ? 'the request' : placeOf(issue.path);
  return [`${path}: ${issue.message.replace(/^Invalid (?:input|option): /, '')}`];
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map((part) => String(part).slice(0, SHOWN_NAME_CHARACTERS)).join('.');
}

import { readFileSync } from 'node:fs';

/** The fields of a small JSON file that holds an object; null when it is missing, unreadable, broken or no object. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

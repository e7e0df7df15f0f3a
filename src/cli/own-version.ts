import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../core/json';

/** The version of the package that this file belongs to. */
export function ownVersion(): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'));
    if (found !== undefined || folder === dirname(folder)) {
      return found ?? 'unknown';
    }
  }
}

function versionIn(path: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) && value['name'] === 'holdpoint' ? String(value['version']) : undefined;
  } catch {
    return undefined;
  }
}

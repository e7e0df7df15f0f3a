import { renameSync, writeFileSync } from 'node:fs';

/**
 * Writes a small JSON file so that a reader sees the old or the new content, never half of it. Synchronous on purpose:
 * what was done just before must be on file before anything else can happen in this process.
 */
export function writeJsonFile(path: string, value: unknown): void {
  const temporaryPath = `${path}.${process.pid}.tmp`;
  writeFileSync(temporaryPath, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporaryPath, path);
}

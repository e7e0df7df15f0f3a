import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes empty folders for the tests of one file and removes them all when the file is done. */
export function temporaryFolders(): () => string {
  const made: string[] = [];
  afterAll(() => {
    for (const folder of made) {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-test-')));
    made.push(folder);
    return folder;
  };
}

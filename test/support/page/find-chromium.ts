import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** A Chromium on this machine: the one `HOLDPOINT_TEST_CHROMIUM` names, else the first on the PATH. */
export function findChromium(): string | undefined {
  const named = process.env['HOLDPOINT_TEST_CHROMIUM'];
  if (named !== undefined && named !== '') {
    return named;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file));
}

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HoldpointError } from '../core/errors';

const CONFIG_NAMES = ['holdpoint.config.ts', 'holdpoint.config.js', 'holdpoint.config.mjs'] as const;

/**
 * The configuration that applies to a folder: its own, or that of the nearest folder above. Undefined when there is
 * none. Throws HoldpointError `invalid_config` when one folder holds two, since either choice would surprise somebody.
 */
export function findConfig(startFolder: string): string | undefined {
  for (let folder = resolve(startFolder); ; folder = dirname(folder)) {
    const found = CONFIG_NAMES.map((name) => join(folder, name)).filter(isFile);
    if (found.length > 1) {
      throw new HoldpointError('invalid_config', `expected one configuration, got ${found.join(' and ')}`);
    }
    if (found[0] !== undefined || folder === dirname(folder)) {
      return found[0];
    }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

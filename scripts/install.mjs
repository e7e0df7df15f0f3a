import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

function readPackages(file) {
  return JSON.parse(readFileSync(join(ROOT_FOLDER, file), 'utf8')).packages;
}

/**
 * Compares what npm noted about node_modules (it writes that file last) with the lock file. By content, not by time:
 * a checkout changes times, and a needless `npm ci` would empty the folder under running programs.
 * Packages for other platforms are optional and may be missing; extra packages do no harm.
 * @returns {boolean}
 */
export function isInstalled() {
  try {
    const installed = readPackages('node_modules/.package-lock.json');
    const { '': _root, ...wanted } = readPackages('package-lock.json');
    return Object.entries(wanted).every(([path, entry]) => {
      const found = installed[path];
      if (found === undefined) return entry.optional === true || entry.devOptional === true;
      return found.version === entry.version && found.integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

/** Installs exactly what the lock file names. @returns {Promise<number>} exit code of npm */
export async function install() {
  const parameters = ['ci', '--include=dev', '--ignore-scripts', '--loglevel=error'];
  // Under `npm start` the path of that very npm is known; a plain `node scripts/run.mjs` takes the one on PATH.
  const npm = process.env.npm_execpath;
  // npm needs half a minute to stop when it is asked to. Half an installation is no harm: it is noticed and done anew.
  const options = { cwd: ROOT_FOLDER, stdio: ['ignore', 2, 2], isKilledOnStop: true };
  const { exitCode } = npm?.endsWith('.js')
    ? await runToEnd(process.execPath, [npm, ...parameters], options)
    : await runToEnd('npm', parameters, options);
  return exitCode;
}

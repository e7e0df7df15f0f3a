/**
 * `npm run bench` runs every measurement, `npm run bench -- NAME ...` those that are named. Standard output gets one line
 * of JSON for each number, standard error the same for people. Fails when something could not be measured; a limit that
 * is missed is said and fails nothing.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const BENCH_FOLDER = join(ROOT_FOLDER, 'bench');

const known = readdirSync(BENCH_FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`holdpoint: there is no measurement ${unknown.join(', ')}, only ${known.join(', ')}\n`);
  process.exit(1);
}

const failed = [];
for (const name of names.length > 0 ? names : known) {
  const startMs = performance.now();
  const { exitCode } = await runToEnd(process.execPath, ['--import', 'tsx', join(BENCH_FOLDER, `${name}.ts`)], {
    cwd: ROOT_FOLDER,
    stdio: ['ignore', 1, 2],
  });
  if (exitCode !== 0) failed.push(name);
  process.stderr.write(`holdpoint: ${name} took ${Math.round((performance.now() - startMs) / 1_000)} s\n`);
}
if (failed.length > 0) {
  process.stderr.write(`holdpoint: could not be measured: ${failed.join(', ')}\n`);
  process.exit(1);
}

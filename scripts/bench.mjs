/** `npm run bench` runs every measurement, `npm run bench -- NAME ...` those that are named. Each prints lines of JSON. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWorkflowBundle } from './build-workflow-bundle.mjs';
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

await buildWorkflowBundle();
for (const name of names.length > 0 ? names : known) {
  const { exitCode } = await runToEnd(process.execPath, ['--import', 'tsx', join(BENCH_FOLDER, `${name}.ts`)], {
    cwd: ROOT_FOLDER,
    stdio: ['ignore', 1, 2],
  });
  if (exitCode !== 0) process.exit(exitCode);
}

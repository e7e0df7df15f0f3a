import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './content-hash.mjs';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';

const parameters = [CRUISER, 'src', 'test', 'bench', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
const { output } = await runToEnd(process.execPath, parameters, {
  cwd: ROOT_FOLDER,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { modules, summary } = JSON.parse(output);

const faults = summary.violations.map(({ rule, from, to, cycle }) => {
  const path = cycle ? cycle.map(({ name }) => name).join(' -> ') : to;
  return `${rule.name}: ${from} -> ${path}`;
});

// Without its parser the tool sees no file, finds no fault and says so: a check that went blind must fail.
const seen = new Set(modules.map(({ source }) => source));
for (const file of listFiles(join(ROOT_FOLDER, 'src'))) {
  const name = relative(ROOT_FOLDER, file);
  if (name.endsWith('.ts') && !seen.has(name)) faults.push(`not seen by the import check: ${name}`);
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${seen.size} modules checked, ${faults.length} faults\n`);
process.exit(faults.length > 0 ? 1 : 0);

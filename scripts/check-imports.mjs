import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './content-hash.mjs';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';

/** A module named in brackets: a dynamic import, the type of a module, a require. */
const NAMED_MODULE = /\b(?:import|require)\s*\(\s*(['"`])([^'"`$]+)\1/g;

/** A statement that names a module, and whether it takes types only. */
const MODULE_STATEMENT = /\b(?:import|export)(\s+type\b)?(?:[\s\w$*{},]*\bfrom)?\s*(['"])([^'"]+)\2/g;
const PAGE_PACKAGES = /^preact(\/|$)/;

/**
 * The page runs in a browser: of the source it may know the shapes of core. Read here, because the tool's parser knows
 * no TSX.
 */
function pageFaults(file, text) {
  const statements = [...text.matchAll(MODULE_STATEMENT)].map(([, type, , name]) => ({ name, isType: Boolean(type) }));
  const calls = [...text.matchAll(NAMED_MODULE)].map(([, , name]) => ({ name, isType: false }));
  return [...statements, ...calls].flatMap(({ name, isType }) => {
    if (!name.startsWith('.')) return PAGE_PACKAGES.test(name) ? [] : [`web-outside: ${file} -> ${name}`];
    const target = join(dirname(file), name);
    const isAllowed = target.startsWith('web/') || (isType && /^src\/core\/(?!schemas\/)/.test(target));
    return isAllowed ? [] : [`web-source: ${file} -> ${target}`];
  });
}

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

// Without its parser the tool sees no file, finds no fault and says so: a check that went blind must fail. It does not
// see every way to name a module either, the type `import('…')` for one.
const seen = new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(({ module }) => module)]));
for (const path of listFiles(join(ROOT_FOLDER, 'src'))) {
  const file = relative(ROOT_FOLDER, path);
  if (!file.endsWith('.ts')) continue;
  if (!seen.has(file)) faults.push(`file-not-seen: ${file} -> `);
  for (const [, , name] of readFileSync(path, 'utf8').matchAll(NAMED_MODULE)) {
    if (!seen.get(file)?.includes(name)) faults.push(`import-not-seen: ${file} -> ${name}`);
  }
}

const pageFiles = listFiles(join(ROOT_FOLDER, 'web')).filter((path) => /\.tsx?$/.test(path));
for (const path of pageFiles) faults.push(...pageFaults(relative(ROOT_FOLDER, path), readFileSync(path, 'utf8')));

// Not `exit`: that could cut a long report.
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${seen.size + pageFiles.length} modules checked, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

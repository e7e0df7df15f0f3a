/**
 * Plants faults in copies of the project and expects each to be reported, by the check and the rule that are there for
 * it, in the file it is in; and expects the copy without faults to be found clean. A check that went blind says nothing
 * by itself: run this when the version or the settings of a tool change.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPANIONS, PLANTED_FAULTS } from './planted-faults.mjs';
import { plantedImports } from './planted-imports.mjs';
import { plantPackages } from './planted-packages.mjs';
import { runToEnd } from './run-to-end.mjs';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

const COPIED = [
  ...[
    'src',
    'test',
    'bench',
    'scripts',
    'web',
    'examples',
    'docs/decisions',
    'package.json',
    'package-lock.json',
    '.gitignore',
  ],
  ...['tsconfig.json', 'biome.json', 'knip.json', 'jest.config.cjs', '.oxlintrc.json', '.dependency-cruiser.cjs'],
];

/** How each check is asked for a report of lines or JSON, and how that becomes pairs of file and rule. */
const CHECKS = {
  style: {
    parameters: ['--reporter=github'],
    read: (output) => matches(output, /title=(?:lint\/)?([\w/]+),file=([^,]+)/g).map(([rule, file]) => [file, rule]),
  },
  promises: {
    parameters: ['--format=unix'],
    read: (output) => matches(output, /^([^:\n]+):\d+:\d+: .*\/typescript\(([\w-]+)\)\]$/gm),
  },
  types: {
    parameters: ['--pretty', 'false'],
    read: (output) => matches(output, /^([^(\n]+)\(\d+,\d+\): error (TS\d+):/gm),
  },
  imports: {
    parameters: [],
    read: (output) => matches(output, /^([\w-]+): (\S+) -> /gm).map(([rule, file]) => [file, rule]),
  },
  unused: {
    parameters: ['--reporter', 'json'],
    read: (output) =>
      JSON.parse(output.slice(output.indexOf('{'))).issues.flatMap(({ file, ...kinds }) =>
        Object.entries(kinds).flatMap(([kind, found]) => (found.length > 0 ? [[file, kind]] : [])),
      ),
  },
  page: {
    parameters: [],
    read: (output) => matches(output, /^(web\/\S+): (\S+) /gm),
  },
  dependencies: {
    parameters: [],
    read: (output) => matches(output, /^([\w-]+): (\S+)/gm).map(([rule, name]) => [name, rule]),
  },
};

function matches(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => match.slice(1));
}

function copyProject(name) {
  const folder = mkdtempSync(join(tmpdir(), `holdpoint-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const path of COPIED.filter((path) => existsSync(join(ROOT_FOLDER, path)))) {
    cpSync(join(ROOT_FOLDER, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function plant(folder, { file, content, isAppended = false }) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  const write = isAppended ? appendFileSync : writeFileSync;
  write(join(folder, file), `${content}\n`);
}

async function runCheck(folder, name) {
  const { parameters } = CHECKS[name];
  const { exitCode, output } = await runToEnd('npm', ['run', '--silent', `check:${name}`, '--', ...parameters], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { exitCode, output };
}

/** What a check reports, as `rule file`. A report with a good exit code is none. */
async function reportOf(folder, name) {
  const { exitCode, output } = await runCheck(folder, name);
  if (exitCode === 0) return new Set();
  const pairs = CHECKS[name].read(output);
  return new Set(pairs.map(([file, rule]) => `${rule} ${file.startsWith('/') ? relative(folder, file) : file}`));
}

let missed = 0;
let seen = 0;
function expectSeen(isSeen, what) {
  if (isSeen) seen += 1;
  else missed += 1;
  process.stdout.write(`${isSeen ? 'seen  ' : 'MISSED'} ${what}\n`);
}

async function proveClean() {
  const folder = copyProject('without-faults');
  for (const name of Object.keys(CHECKS)) {
    const { exitCode, output } = await runCheck(folder, name);
    expectSeen(exitCode === 0, `${name}: nothing, where nothing is wrong`);
    if (exitCode !== 0) process.stdout.write(output);
  }
}

async function proveFaults() {
  const folder = copyProject('with-faults');
  for (const [file, content] of Object.entries(COMPANIONS)) plant(folder, { file, content });
  for (const fault of PLANTED_FAULTS) plant(folder, fault);
  const faults = [...PLANTED_FAULTS, ...plantPackages(folder)];
  for (const name of Object.keys(CHECKS)) {
    const report = await reportOf(folder, name);
    for (const { rule, what, file } of faults.filter(({ check }) => check === name)) {
      expectSeen(report.has(`${rule} ${file}`), `${name}: ${what} (${rule})`);
    }
  }
}

async function proveImports() {
  const folder = copyProject('with-imports');
  const { files, faults } = plantedImports();
  for (const file of files) plant(folder, file);
  const { output } = await runCheck(folder, 'imports');
  const isOfARoom = (line) =>
    /^[\w-]+-(source|outside): \S*(planted-by-|src\/[\w-]+\.ts|gateway\/(main|run-gateway))/.test(line);
  const packageName = (line) => line.replace(/ -> \S*node_modules\/((?:@[^/]+\/)?[^/]+)\S*$/, ' -> $1');
  const report = new Set(
    output
      .split('\n')
      .filter(isOfARoom)
      .map((line) => packageName(line).replace('-> node:', '-> ')),
  );
  for (const fault of faults) {
    if (!report.has(fault)) expectSeen(false, `imports: ${fault}`);
  }
  for (const line of report) {
    if (!faults.includes(line)) expectSeen(false, `imports: allowed by the table, yet reported: ${line}`);
  }
  const found = faults.filter((fault) => report.has(fault)).length;
  seen += found;
  process.stdout.write(`seen   imports: ${found} of ${faults.length} imports that the table forbids\n`);
}

await proveClean();
await proveFaults();
await proveImports();
process.stdout.write(`${seen} seen, ${missed} missed\n`);
process.exit(missed > 0 ? 1 : 0);

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

/**
 * Plants one fault at a time in a copy of the project and expects the check that should see it to name the file.
 * Run it when the version or the settings of a tool change: a check that went blind says nothing by itself.
 */
const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

const COPIED = [
  'src',
  'test',
  'scripts',
  'package.json',
  'tsconfig.json',
  'biome.json',
  'knip.json',
  'jest.config.cjs',
  '.oxlintrc.json',
  '.dependency-cruiser.cjs',
  '.gitignore',
];

const lines = (count) =>
  Array.from({ length: count }, (_, index) => `export const line${index} = ${index};`).join('\n');

/** [check, what is wrong, file, content] */
const FAULTS = [
  ['imports', 'a workflow imports a Node module', 'src/workflows/planted.ts', "import 'node:fs';"],
  ['imports', 'a workflow imports an activity', 'src/workflows/planted.ts', "import '../activities/activity-session';"],
  [
    'imports',
    'a workflow imports the type of an activity',
    'src/workflows/planted.ts',
    "import type { ActivitySession } from '../activities/activity-session';\nexport type Planted = ActivitySession;",
  ],
  ['imports', 'a workflow imports a schema', 'src/workflows/planted.ts', "import '../core/schemas/identifier';"],
  ['imports', 'core imports config', 'src/core/planted.ts', "import '../config';"],
  ['imports', 'core imports a package', 'src/core/planted.ts', "import 'zod';"],
  ['imports', 'the gateway imports a workflow', 'src/gateway/planted.ts', "import '../workflows/payload-converter';"],
  ['imports', 'an activity imports a provider package', 'src/activities/planted.ts', "import 'pg';"],
  ['imports', 'an adapter imports Temporal', 'src/adapters/store/planted.ts', "import '@temporalio/common';"],
  ['imports', 'an adapter imports another adapter', 'src/adapters/models/a/planted.ts', "import '../b/other';"],
  ['imports', 'the client imports config', 'src/client/planted.ts', "import '../config';"],
  ['imports', 'the source imports a test', 'src/dev/planted.ts', "import '../../test/support/planted-support';"],
  ['imports', 'a room nobody has listed', 'src/planted/planted.ts', "import '../core/ids';"],
  ['imports', 'a vague file name', 'src/dev/planted.ts', "import './planted-utils';"],
  ['imports', 'a cycle', 'src/dev/planted.ts', "import './planted-cycle';"],
  [
    'promises',
    'an activity call that nobody awaits',
    'src/workflows/planted.ts',
    "import { proxyActivities } from '@temporalio/workflow';\n" +
      "const activities = proxyActivities<{ act(): Promise<void> }>({ startToCloseTimeout: '1s' });\n" +
      'export async function planted(): Promise<void> {\n  activities.act();\n}',
  ],
  ['promises', 'a thrown string', 'src/dev/planted.ts', "export function planted(): never {\n  throw 'x';\n}"],
  [
    'promises',
    'a switch that misses a case',
    'src/dev/planted.ts',
    "export function planted(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      break;\n  }\n}",
  ],
  ['style', 'the environment in a workflow', 'src/workflows/planted.ts', "export const planted = process.env['X'];"],
  ['style', 'any', 'src/dev/planted.ts', 'export const planted: any = 1;'],
  ['style', 'a default export', 'src/dev/planted.ts', 'export default 1;'],
  ['style', 'a non-null assertion', 'src/dev/planted.ts', 'export const planted = (a?: string) => a!.length;'],
  ['style', 'a file name in camel case', 'src/dev/plantedFile.ts', 'export const planted = 1;'],
  ['style', 'a file of 301 lines', 'src/dev/planted.ts', lines(301)],
  [
    'style',
    'a function of more than 80 lines',
    'src/dev/planted.ts',
    `export function planted(call: () => void): void {\n${'  call();\n'.repeat(81)}}`,
  ],
  ['style', 'a package that is not declared', 'src/dev/planted.ts', "import 'webpack';"],
  ['style', 'a development package in the source', 'src/dev/planted.ts', "import 'jest';"],
  ['style', 'a focused test', 'test/unit/planted.test.ts', "test.only('x', () => undefined);"],
  ['types', 'an enum', 'src/dev/planted.ts', 'export enum Planted {\n  A,\n}'],
  [
    'types',
    'an optional property set to undefined',
    'src/dev/planted.ts',
    'export const p: { a?: 1 } = { a: undefined };',
  ],
  ['unused', 'a file nobody imports', 'src/dev/planted.ts', 'export const planted = 1;'],
];

/** What a fault points at. They are there during all checks, and none is reported by itself as the planted file. */
const COMPANIONS = {
  'src/adapters/models/b/other.ts': 'export const other = 1;',
  'src/dev/planted-utils.ts': 'export const planted = 1;',
  'src/dev/planted-cycle.ts': "import './planted';",
  'test/support/planted-support.ts': 'export const planted = 1;',
};

function write(folder, file, content) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${content}\n`);
}

async function isSeen(folder, [check, , file, content]) {
  write(folder, file, content);
  const { exitCode, output } = await runToEnd('npm', ['run', '--silent', `check:${check}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  rmSync(join(folder, file));
  return exitCode !== 0 && output.includes(file);
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-prove-checks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const path of COPIED) cpSync(join(ROOT_FOLDER, path), join(folder, path), { recursive: true });
symlinkSync(join(ROOT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
for (const [file, content] of Object.entries(COMPANIONS)) write(folder, file, content);

let missed = 0;
for (const fault of FAULTS) {
  const seen = await isSeen(folder, fault);
  if (!seen) missed += 1;
  process.stdout.write(`${seen ? 'seen  ' : 'MISSED'} ${fault[0]}: ${fault[1]}\n`);
}
process.stdout.write(`${FAULTS.length - missed} seen, ${missed} missed\n`);
process.exit(missed > 0 ? 1 : 0);

/**
 * One fault each, of every kind that a check has to see, with the check and the rule that must report it. Who may import
 * whom has its own list, see planted-imports.
 */

const lines = (count) =>
  Array.from({ length: count }, (_, index) => `export const line${index} = ${index};`).join('\n');

/** rule, what is wrong, folder of the planted file (or a file's own name), content */
const STYLE = [
  ['style/noRestrictedGlobals', 'the environment in core', 'src/core', "export const planted = process.env['X'];"],
  ['style/noRestrictedGlobals', 'the environment in a workflow', 'src/workflows', "export const a = process.env['X'];"],
  ['style/noRestrictedGlobals', 'a request from a workflow', 'src/workflows', "export const a = () => fetch('x');"],
  ['style/noRestrictedGlobals', 'Buffer in core', 'src/core', 'export const planted = Buffer.alloc(1);'],
  ['suspicious/noExplicitAny', 'any', 'src/dev', 'export const planted: any = 1;'],
  ['suspicious/noTsIgnore', 'a silenced compiler', 'src/dev', '// @ts-ignore\nexport const planted: string = 1;'],
  ['style/noDefaultExport', 'a default export', 'src/dev', 'export default 1;'],
  ['performance/noReExportAll', 'a wholesale re-export', 'src/dev', "export * from './make-folder';"],
  ['style/noNonNullAssertion', 'a non-null assertion', 'src/dev', 'export const planted = (a?: string) => a!.length;'],
  ['style/noEnum', 'an enum', 'src/dev', 'export enum Planted {\n  A,\n}'],
  ['style/noNamespace', 'a namespace', 'src/dev', 'export namespace Planted {\n  export const a = 1;\n}'],
  [
    'style/noParameterProperties',
    'a parameter property',
    'src/dev',
    'export class Planted {\n  constructor(readonly a: string) {}\n}',
  ],
  [
    'style/noParameterAssign',
    'a parameter that is changed',
    'src/dev',
    'export function planted(a: number): number {\n  a += 1;\n  return a;\n}',
  ],
  [
    'style/useImportType',
    'a type imported as a value',
    'src/dev',
    "import { Json } from '../core/json';\nexport type A = Json;",
  ],
  ['style/useNodejsImportProtocol', 'a Node module without node:', 'src/dev', "import 'fs';"],
  ['style/useFilenamingConvention', 'a file name in camel case', 'src/dev/plantedFile.ts', 'export const planted = 1;'],
  ['style/noExcessiveLinesPerFile', 'a file of 301 lines', 'src/dev', lines(301)],
  [
    'complexity/noExcessiveLinesPerFunction',
    'a function of 81 lines',
    'src/dev',
    `export function planted(call: () => void): void {\n${'  call();\n'.repeat(81)}}`,
  ],
  ['correctness/noUndeclaredDependencies', 'a package that is not declared', 'src/dev', "import 'webpack';"],
  [
    'correctness/noUndeclaredDependencies',
    'the types of a package that is not declared',
    'src/dev',
    "import type { Compiler } from 'webpack';\nexport type Planted = Compiler;",
  ],
  ['correctness/noUndeclaredDependencies', 'a development package in the source', 'src/dev', "import 'jest';"],
  ['suspicious/noFocusedTests', 'a focused test', 'test/unit/focused.test.ts', "test.only('x', () => undefined);"],
  ['suspicious/noSkippedTests', 'a skipped test', 'test/unit/skipped.test.ts', "test.skip('x', () => undefined);"],
  ['format', 'a file that is not formatted', 'src/dev', 'export const planted =     1;'],
];

const PROMISES = [
  [
    'no-floating-promises',
    'an activity call that nobody awaits',
    'src/workflows',
    "import { proxyActivities } from '@temporalio/workflow';\n" +
      "const activities = proxyActivities<{ act(): Promise<void> }>({ startToCloseTimeout: '1s' });\n" +
      'export async function planted(): Promise<void> {\n  activities.act();\n}',
  ],
  [
    'no-floating-promises',
    'an own activity that nobody awaits',
    'src/workflows',
    "import { proxyLocalActivities } from '@temporalio/workflow';\n" +
      "import type { SessionActivities } from '../core/activity-contracts';\n" +
      "const local = proxyLocalActivities<SessionActivities>({ startToCloseTimeout: '1s' });\n" +
      "export async function planted(): Promise<void> {\n  local.closeSession({ v: 1, reason: 'x' });\n}",
  ],
  [
    'no-misused-promises',
    'a promise where a condition belongs',
    'src/dev',
    'export function planted(ask: () => Promise<boolean>): number {\n  return ask() ? 1 : 2;\n}',
  ],
  [
    'await-thenable',
    'something awaited that is no promise',
    'src/dev',
    'export async function planted(): Promise<void> {\n  await 1;\n}',
  ],
  [
    'return-await',
    'a promise returned out of its try',
    'src/dev',
    'export async function planted(ask: () => Promise<number>): Promise<number> {\n' +
      '  try {\n    return ask();\n  } catch {\n    return 1;\n  }\n}',
  ],
  ['only-throw-error', 'a thrown string', 'src/dev', "export function planted(): never {\n  throw 'x';\n}"],
  [
    'switch-exhaustiveness-check',
    'a switch that misses a case',
    'src/dev',
    "export function planted(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      break;\n  }\n}",
  ],
  [
    'no-deprecated',
    'something deprecated',
    'src/dev',
    '/** @deprecated Not any more. */\nfunction old(): number {\n  return 1;\n}\nexport const planted = old();',
  ],
  [
    'no-floating-promises',
    'a promise that a test does not await',
    'test/unit',
    'async function act(): Promise<void> {}\nexport function planted(): void {\n  act();\n}',
  ],
];

const TYPES = [
  ['TS1294', 'an enum', 'src/dev', 'export enum Planted {\n  A,\n}'],
  ['TS2375', 'an optional property set to undefined', 'src/dev', 'export const p: { a?: 1 } = { a: undefined };'],
  [
    'TS2322',
    'an element that may be missing',
    'src/dev',
    'export const planted: (a: string[]) => string = (a) => a[0];',
  ],
  ['TS6133', 'a local nobody uses', 'src/dev', 'const planted = 1;\nexport {};'],
  ['TS7006', 'a parameter without a type', 'src/dev', 'export function planted(a) {\n  return a;\n}'],
  [
    'TS4111',
    'a member of an index signature by a dot',
    'src/dev',
    'export const a = (b: Record<string, string>) => b.c;',
  ],
  ['TS7030', 'a path that returns nothing', 'src/dev', 'export function planted(a: boolean) {\n  if (a) return 1;\n}'],
  [
    'TS7029',
    'a case that falls through',
    'src/dev',
    'export function planted(a: number): number {\n  switch (a) {\n    case 1:\n      a.toFixed();\n    case 2:\n' +
      '      return 2;\n  }\n  return 3;\n}',
  ],
  [
    'TS4114',
    'an override that does not say so',
    'src/dev',
    'class Base {\n  act(): void {}\n}\nexport class Planted extends Base {\n  act(): void {}\n}',
  ],
];

const IMPORTS = [
  ['file-outside-every-room', 'a room nobody has listed', 'src/planted-room', "import '../core/ids';"],
  ['file-outside-every-room', 'a file of no room', 'src/planted-file.ts', "import './core/ids';"],
  ['config-only-in-composition-roots', 'a room that reads settings', 'src/activities', "import '../config';"],
  [
    'workflows-never-reach-zod',
    'a workflow that reaches zod by a detour',
    'src/workflows',
    "import '../core/planted-zod';",
  ],
  ['source-never-imports-test', 'the source imports a test', 'src/dev', "import '../../test/support/planted-support';"],
  ['tests-never-import-benchmarks', 'a test imports a benchmark', 'test/unit', "import '../../bench/planted-bench';"],
  ['every-import-resolves', 'a module that is not there', 'src/dev', "import './planted-nowhere';"],
  ['no-vague-file-names', 'a vague file name', 'src/dev', "import './planted-utils';"],
  ['no-cycles', 'a cycle', 'src/dev/planted-here.ts', "import './planted-there';"],
  [
    'no-cycles',
    'a cycle of types',
    'src/core/planted-here.ts',
    "import type { There } from './planted-there';\nexport type Here = There;",
  ],
  [
    'import-not-seen',
    'the type of a module in brackets',
    'src/workflows',
    "export type A = import('../activities/activity-session').ActivitySession;",
  ],
  ['web-source', 'the page imports a value of core', 'web', "import '../src/core/json';"],
  [
    'web-source',
    'the page imports a room of the server',
    'web',
    "import type { A } from '../src/gateway/server';\nexport type B = A;",
  ],
  [
    'web-source',
    'the page reads a schema',
    'web',
    "import type { A } from '../src/core/schemas/identifier';\nexport type B = A;",
  ],
  [
    'web-source',
    'the page loads a room of the server',
    'web',
    "export const a = () => import('../src/digests/canonical');",
  ],
  ['web-source', 'the page passes a value of core on', 'web', "export { a } from '../src/core/json';"],
  ['web-outside', 'the page imports a package of the server', 'web', "import { z } from 'zod';\nexport const a = z;"],
  ['web-outside', 'the page imports a Node module', 'web/planted.tsx', "import 'node:fs';"],
  ['client-outside', 'a client of HTTP that uses Node', 'src/client', "import 'node:http';"],
];

const UNUSED = [
  ['files', 'a file nobody imports', 'src/dev', 'export const planted = 1;'],
  ['files', 'a support file that no test uses', 'test/support', 'export const planted = 1;'],
];

const PAGE = [
  ['innerHTML', 'text that becomes elements', 'web', "export const a = (b: Element) => (b.innerHTML = 'x');"],
  [
    'dangerouslySetInnerHTML',
    'the same in a component',
    'web/planted-view.tsx',
    "export const a = <p dangerouslySetInnerHTML={{ __html: 'x' }} />;",
  ],
  ['eval', 'text that becomes code', 'web', "export const a = () => eval('1');"],
];

/** Added to files that are there. */
const APPENDED = [
  ['unused', 'exports', 'an export nobody imports', 'src/core/durations.ts', 'export const PLANTED_MS = 1;'],
  ['unused', 'types', 'an exported type nobody imports', 'src/core/durations.ts', 'export interface Planted {}'],
];

function named(check, rows) {
  return rows.map(([rule, what, place, content], index) => ({
    check,
    rule,
    what,
    file: /\.tsx?$/.test(place) ? place : `${place}/planted-${check}-${index}.ts`,
    content,
  }));
}

/**
 * check: as in `npm run check:…` · rule: which rule must report it · file, content: what is planted; `isAppended` when
 * it goes behind what is there. They do not touch each other, so all can be there at once.
 */
export const PLANTED_FAULTS = [
  ...named('style', STYLE),
  ...named('promises', PROMISES),
  ...named('types', TYPES),
  ...named('imports', IMPORTS),
  ...named('unused', UNUSED),
  ...named('page', PAGE),
  ...APPENDED.map(([check, rule, what, file, content]) => ({ check, rule, what, file, content, isAppended: true })),
];

/** What the faults point at. */
export const COMPANIONS = {
  'src/core/planted-zod.ts': "import 'zod';",
  'src/core/planted-there.ts': "import type { Here } from './planted-here';\nexport type There = Here;",
  'src/dev/planted-there.ts': "import './planted-here';",
  'src/dev/planted-utils.ts': 'export const planted = 1;',
  'test/support/planted-support.ts': 'export const planted = 1;',
  'bench/planted-bench.ts': 'export const planted = 1;',
};

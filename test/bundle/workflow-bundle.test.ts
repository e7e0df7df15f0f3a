import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * 1.64 MB is a bundle of the SDK alone. Ours adds its own code, which has 150 KB and twice that as source map; a library
 * would be seen, as zod with its megabyte.
 */
const BUDGET_BYTES = 2_200_000;

const bundle = readFileSync(join(__dirname, '..', '..', 'dist', 'workflow-bundle.js'), 'utf8');
const modules = [...bundle.matchAll(/^\/\*\*\*\/ "([^"]+)"$/gm)].map((match) => String(match[1]));

function packageOf(module: string): string | undefined {
  return /^\.\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
}

test('the bundle holds the packages of the SDK and no other', () => {
  const packages = [...new Set(modules.map(packageOf).filter((name) => name !== undefined))].sort();
  expect(packages).toEqual(['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc']);
});

test('the bundle holds our own code from core and workflows only, and no schemas', () => {
  const own = modules.filter((module) => module.startsWith('./src/'));
  expect(own).toContain('./src/workflows/agent-session-workflow.ts');
  expect(own.filter((module) => !/^\.\/src\/(?:core|workflows)\/[^/]+\.ts$/.test(module))).toEqual([]);
});

test('the bundle stays within its size', () => {
  expect(Buffer.byteLength(bundle)).toBeLessThan(BUDGET_BYTES);
});

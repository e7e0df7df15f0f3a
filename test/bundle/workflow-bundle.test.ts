import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What runs, without the source map behind it: about half is the SDK. Our own code may grow a little; a library does not fit. */
const BUDGET_BYTES = 750_000;

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
  const [code = ''] = bundle.split('//# sourceMappingURL=');
  expect(Buffer.byteLength(code)).toBeLessThan(BUDGET_BYTES);
});

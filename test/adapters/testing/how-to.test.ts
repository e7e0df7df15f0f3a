import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..', '..');
const DEADLINE_MS = 120_000;
/** What the package will be called, and what it is made of here. */
const PACKAGE = `
export { defineAgent } from '${ROOT}/src/definitions/define-agent';
export { defineTool } from '${ROOT}/src/definitions/define-tool';
`;
const JEST_CONFIG = {
  testEnvironment: 'node',
  modulePaths: [join(ROOT, 'node_modules')],
  setupFilesAfterEnv: ['<rootDir>/log-matchers.ts'],
  moduleNameMapper: {
    '^holdpoint$': '<rootDir>/package/holdpoint.ts',
    '^holdpoint/testing$': join(ROOT, 'src/testing/index.ts'),
  },
  transform: {
    '^.+\\.ts$': [
      join(ROOT, 'node_modules/@swc/jest'),
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
    ],
  },
};
const TYPES_CONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      holdpoint: ['./package/holdpoint.ts'],
      'holdpoint/testing': [join(ROOT, 'src/testing/index.ts')],
      zod: [join(ROOT, 'node_modules/zod')],
    },
  },
  include: ['*.ts'],
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-how-to-'));
  const text = readFileSync(join(ROOT, 'docs/how-to/test-an-agent.md'), 'utf8');
  const files = [...text.matchAll(/^`([a-z.-]+\.ts)`[^\n]*:\n\n```ts\n([\s\S]*?)^```$/gm)];
  for (const [, name, code] of files) {
    writeFileSync(join(folder, String(name)), String(code));
  }
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package/holdpoint.ts'), PACKAGE);
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(JEST_CONFIG));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TYPES_CONFIG));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of this project in the folder of the example; rejects with its output when it fails. */
async function run(program: string, ...parameters: readonly string[]): Promise<string> {
  const options = { cwd: folder, timeout: DEADLINE_MS, env: { ...process.env, FORCE_COLOR: '0' } };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules', program), ...parameters],
    options,
  ).catch((error: { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  return `${stdout}\n${stderr}`;
}

test(
  'the example of the how-to runs as it is written',
  async () => {
    expect(await run('jest/bin/jest.js', '--config', 'jest.config.json')).toMatch(/Tests: +3 passed, 3 total/);
  },
  DEADLINE_MS,
);

test(
  'the example of the how-to has the types it says',
  async () => {
    expect((await run('typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit')).trim()).toBe('');
  },
  DEADLINE_MS,
);

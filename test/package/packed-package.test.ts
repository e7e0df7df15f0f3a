import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { tryPort } from '../../src/dev/try-port';
import { InstalledDev } from '../support/package/installed-dev';
import { PackedProject, type Tarball } from '../support/package/packed-project';
import { runProgram } from '../support/package/run-program';
import { USER_PROGRAM, USER_PROGRAM_OUTPUT, USER_TSCONFIG } from '../support/package/user-program';

const ROOT_FOLDER = join(__dirname, '..', '..');
const COMPILER = join(ROOT_FOLDER, 'node_modules', 'typescript', 'bin', 'tsc');
const INSTALL_TIMEOUT_MS = 300_000;
/** What users have; the one that runs this test need not be fetched. */
const NODE_VERSIONS = ['20.20', '22', '24'];
const OTHER_NODES = NODE_VERSIONS.filter((version) => !process.version.startsWith(`v${version}.`));
const FILES = { 'main.ts': USER_PROGRAM, 'tsconfig.json': USER_TSCONFIG };

const packed = new PackedProject();
let tarball: Tarball;
/** The binary of each Node version that users have. */
const nodes: { readonly version: string; readonly path: string }[] = [];
let projects: readonly { readonly type: 'commonjs' | 'module'; readonly folder: string }[];
let desk: string;

beforeAll(async () => {
  tarball = await packed.pack();
  const commonjs = packed.create('commonjs', 'commonjs', FILES);
  const module = packed.create('module', 'module', FILES);
  projects = [
    { type: 'commonjs', folder: commonjs },
    { type: 'module', folder: module },
  ];
  desk = packed.copy('examples/support-desk');
  const nodesFolder = packed.create('nodes', 'commonjs');
  const nodePackage = (version: string) => `node${version}@npm:node-linux-${process.arch}@${version}`;
  await Promise.all([
    packed.install(commonjs, [tarball.path, 'zod']),
    packed.install(desk, [tarball.path]),
    packed.install(nodesFolder, ['--no-bin-links', ...OTHER_NODES.map(nodePackage)]),
  ]);
  // What npm would write a second time: an install does not depend on the kind of project.
  await runProgram('cp', ['-al', join(commonjs, 'node_modules'), module], { folder: packed.folder });
  for (const version of NODE_VERSIONS) {
    const path = OTHER_NODES.includes(version)
      ? join(nodesFolder, 'node_modules', `node${version}`, 'bin', 'node')
      : process.execPath;
    nodes.push({ version: (await runProgram(path, ['--version'], { folder: nodesFolder })).trim(), path });
  }
}, 2 * INSTALL_TIMEOUT_MS);

afterAll(() => packed.dispose());

test('the tarball has what is needed and nothing else', () => {
  for (const file of ['dist/workflow-bundle.js', 'dist/web/index.html', 'dist/web/page.js', 'README.md', 'LICENSE']) {
    expect(tarball.files).toContain(file);
  }
  const known =
    /^(dist\/src\/.+\.(js|d\.ts)|dist\/web\/[\w.]+|dist\/workflow-bundle\.js|package\.json|README\.md|LICENSE)$/;
  expect(tarball.files.filter((file) => !known.test(file))).toEqual([]);
});

test('nothing keeps npm from building before it packs', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT_FOLDER, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['prepack']).toBe('node scripts/build.mjs --if-stale');
  // With this setting npm packs an empty package in a fresh clone, and says nothing.
  expect(readFileSync(join(ROOT_FOLDER, '.npmrc'), 'utf8')).not.toContain('ignore-scripts');
});

test('every Node version that users have is there', () => {
  expect(nodes.map(({ version }) => version.split('.')[0])).toEqual(['v20', 'v22', 'v24']);
});

test.each(['commonjs', 'module'])(
  'a %s project type-checks and runs on every Node version',
  async (type) => {
    const folder = projects.find((project) => project.type === type)?.folder ?? '';
    await runProgram(process.execPath, [COMPILER], { folder });
    const compiled = readFileSync(join(folder, 'main.js'), 'utf8');
    expect(compiled.includes('require("holdpoint")')).toBe(type === 'commonjs');
    for (const { path } of nodes) {
      expect(JSON.parse(await runProgram(path, ['main.js'], { folder }))).toEqual(USER_PROGRAM_OUTPUT);
    }
  },
  180_000,
);

test('our own typings have no fault, whatever those of other packages have', async () => {
  const folder = projects[0]?.folder ?? '';
  const found = await runProgram(process.execPath, [COMPILER, '--skipLibCheck', 'false', '--noEmit'], { folder }).catch(
    (error: Error) => error.message,
  );
  expect(found.split('\n').filter((line) => /^(node_modules\/holdpoint\/|main\.ts)/.test(line))).toEqual([]);
});

test('the command runs from an installed package on every Node version', async () => {
  const folder = projects[0]?.folder ?? '';
  expect(await runProgram('npx', ['--no', '--', 'holdpoint', '--help'], { folder })).toMatch(
    /Usage: holdpoint[\s\S]*worker/,
  );
  const program = join(folder, 'node_modules', 'holdpoint', 'dist', 'src', 'cli', 'main.js');
  for (const { path } of nodes) {
    expect(await runProgram(path, [program, '--help'], { folder })).toContain('gateway');
  }
});

test("a project that only defines its tools loads neither Temporal's library nor a database", async () => {
  const folder = projects[0]?.folder ?? '';
  const loaded = `require('holdpoint'); console.log(Object.keys(require.cache).join('\\n'));`;
  const files = await runProgram(process.execPath, ['-e', loaded], { folder });
  const packages = files.split('\n').map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? '');
  expect([...new Set(packages.filter((name) => name !== ''))].sort()).toEqual(['holdpoint', 'zod']);
});

test('what stands behind the exports can not be reached', async () => {
  const folder = projects[0]?.folder ?? '';
  const reach = runProgram(process.execPath, ['-e', `require('holdpoint/dist/src/config')`], { folder });
  await expect(reach).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('the client is made for browsers too: nothing of Node is in it', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { createHoldpointClient } from 'holdpoint/client';`,
      resolveDir: projects[1]?.folder ?? '',
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  expect(outputFiles[0]?.text).not.toMatch(/\bprocess\.|\bBuffer\b|node:/);
  const packages = Object.keys(metafile.inputs).map((path) => /.*node_modules\/([^/]+)\//.exec(path)?.[1] ?? '');
  expect([...new Set(packages.filter((name) => name !== ''))].sort()).toEqual(['eventsource-parser', 'holdpoint']);
});

test("a project's own workflow bundle takes the session workflow and the child's input", async () => {
  const folder = projects[0]?.folder ?? '';
  writeFileSync(
    join(folder, 'workflows.js'),
    `exports.agentSession = require('holdpoint/workflows').agentSession;
     const { agentSessionInput } = require('holdpoint/temporal');
     exports.own = async () => agentSessionInput({ tenant: 'default', sessionId: 's', agent: 'a' });`,
  );
  const bundle = `require('@temporalio/worker').bundleWorkflowCode({ workflowsPath: require.resolve('./workflows.js'),
    logger: new (require('@temporalio/worker').DefaultLogger)('ERROR') })
    .then(({ code }) => console.log(code.includes('agentSession')));`;
  expect(await runProgram(process.execPath, ['-e', bundle], { folder })).toBe('true\n');
});

describe('examples/support-desk, installed from the tarball', () => {
  test('type-checks, and its tests pass', async () => {
    await runProgram(process.execPath, [COMPILER], { folder: desk });
    const printed = await runProgram('npm', ['test'], { folder: desk });
    expect(printed).toMatch(/^# pass [1-9]\d*$/m);
    expect(printed).toMatch(/^# fail 0$/m);
  });

  test('plays its story: found, refunded and mailed, each write after its approval', async () => {
    const port = String(await tryPort(0));
    const dev = await InstalledDev.start(desk, { SMTP_URL: `smtp://127.0.0.1:${port}` });
    try {
      const environment = { HOLDPOINT_URL: dev.url, SMTP_PORT: port };
      const printed = await runProgram('npm', ['run', 'story', '--', '--approve'], { folder: desk, environment });
      expect(printed).toContain('a person is asked (high risk): Refund 19.90 EUR for order A-17');
      expect(printed).toMatch(/Dear Ada,\r?\nwe have refunded 19\.90 EUR\./);
      expect(printed.match(/^completed: /gm)).toHaveLength(3);
    } finally {
      await dev.stop();
    }
  }, 240_000);
});

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryFeed } from '../../src/adapters/feed/memory/memory-feed';
import { type LoadOutcome, launchWorker } from '../../src/dev/worker-process';
import { DeskProject } from '../support/dev/desk-project';
import { temporaryFolders } from '../support/dev/temporary-folders';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'src', 'dev', 'worker-child.js');

const newFolder = temporaryFolders();
let project: DeskProject;

beforeEach(() => {
  project = new DeskProject(newFolder());
});

/** Loads the project in a real worker process, which ends before it works. */
async function load(configPath = project.configPath, loadTimeoutMs = 30_000): Promise<LoadOutcome> {
  const outputFd = openSync(join(project.folder, 'output.log'), 'a');
  const worker = launchWorker({
    environment: { ...process.env, HOLDPOINT_MODEL: '' },
    configPath,
    workingFolder: project.folder,
    outputFd,
    feed: createMemoryFeed(),
    loadTimeoutMs,
    program: PROGRAM,
  });
  const outcome = await worker.loaded;
  await worker.stop();
  closeSync(outputFd);
  return outcome;
}

/** What is wrong with the project, with the folder's name left out. */
async function faultsOf(text: string, loadTimeoutMs?: number): Promise<readonly string[]> {
  project.put('holdpoint.config.ts', text);
  const outcome = await load(project.configPath, loadTimeoutMs);
  if (outcome.ok) {
    throw new Error('It was loaded.');
  }
  return outcome.error.message.replaceAll(project.folder, '').split('\n');
}

const IMPORTS = `import { defineAgent, defineConfig, defineTool } from 'holdpoint';\nimport { greet, note } from './tools';\n`;

test.each([
  [
    'throws',
    'throw new Error("no\\u001b[2J key sk-abcdefghijklmnop");',
    [/holdpoint\.config\.ts:1:\d+\): no\\u\{1b\}\[2J key \(key\)$/],
  ],
  ['exports nothing', 'const nothing = 1;', [/^\/holdpoint\.config\.ts: .*expected/]],
  ['imports a missing module', `import './nowhere';`, [/^\/holdpoint\.config\.ts.*Cannot find module '\.\/nowhere'$/]],
  [
    'ends its process',
    'process.exit(0);',
    [/^\/holdpoint\.config\.ts: the worker ended with code 0 before it was loaded; see holdpoint\.log/],
  ],
  [
    'has a tool that is missing',
    `${IMPORTS}import * as tools from './tools';\nexport default defineConfig({ agents: [defineAgent({ name: 'a', system: '', tools: [greet, tools['refund']] })] });`,
    [
      /holdpoint\.config\.ts:4:\d+\): agent "a": tools\[1\]: expected a tool made by defineTool, got undefined; check that it is exported/,
    ],
  ],
  [
    'has many faults of several agents',
    `${IMPORTS}const other = defineTool({ ...note, parameters: undefined as never });`,
    [/holdpoint\.config\.ts:3:\d+\): tool "note": parameters/],
  ],
  [
    'names agents and tools twice, and a model nobody has',
    `${IMPORTS}const other = { ...greet };
const agent = (more: object) => defineAgent({ name: 'a', system: '', tools: [greet], ...more });
export default defineConfig({ agents: [agent({ tools: [greet, greet] }), agent({ model: 'oracle:x' }), agent({ name: 'b', tools: [other] })] });`,
    [
      '/holdpoint.config.ts: definitions: agent "a": has tool "greet" twice',
      '/holdpoint.config.ts: definitions: tool "greet": two definitions under one name; define it once and share it',
      '/holdpoint.config.ts: definitions: agent "a": defined twice',
      '/holdpoint.config.ts: definitions: agent "a": no adapter for "oracle:x"; there are mock',
    ],
  ],
])('a configuration that %s is refused with each fault on a line', async (_what, text, expected) => {
  const faults = await faultsOf(text);
  expect(faults).toHaveLength(expected.length);
  for (const line of expected) {
    expect(faults).toContainEqual(typeof line === 'string' ? line : expect.stringMatching(line));
  }
});

test('a configuration that waits for ever is given up after 10 s', async () => {
  expect(await faultsOf('await new Promise(() => {});\nexport default {};')).toEqual([
    expect.stringContaining('/holdpoint.config.ts: it was not loaded within 10000 ms'),
  ]);
});

test('a configuration that blocks its process is given up, and the process ended', async () => {
  expect(await faultsOf('for (;;);', 4_000)).toEqual([
    expect.stringContaining('/holdpoint.config.ts: not loaded within 4 s, and the process does not answer'),
  ]);
});

test('agents that a cycle of imports left undefined are a fault with its place', async () => {
  project.put('a.ts', `import { agents } from './b';\nexport const first = agents;`);
  project.put('b.ts', `import { first } from './a';\nexport const agents = [first];`);
  const faults = await faultsOf(`import { first } from './a';\nexport default { agents: first };`);
  expect(faults.join('\n')).toMatch(/agents\[0\]: expected an agent made by defineAgent, got undefined|Cannot access/);
});

test.each(['commonjs', 'module'])(
  'every file of the project that was loaded is known, in a project of type %s',
  async (type) => {
    project.put('package.json', JSON.stringify({ type }));
    const isModule = type === 'module';
    const names = ['lib/first.js', 'lib/second.js', 'lib/texts.json'];
    project.put(
      'lib/first.js',
      isModule ? `import './second.js';\nexport const first = 1;` : `exports.first = require('./second');`,
    );
    project.put('lib/second.js', isModule ? 'export {};' : '');
    project.put('lib/texts.json', '{}');
    const config = 'holdpoint.config.ts';
    project.put(
      config,
      `${IMPORTS}import './lib/first.js';\nimport './lib/texts.json';
export default defineConfig({ agents: [defineAgent({ name: 'desk', system: '', tools: [greet, note] })] });`,
    );
    expect(await load()).toEqual({
      ok: true,
      project: { agents: ['desk'], tools: 2, longestToolMs: 50_000 },
      files: [config, ...names, 'tools.ts'].map((name) => join(project.folder, name)),
    });
  },
);

test.each([
  ['that Node loads by itself', `export default { name: 'm', system: '', tools: [], limits: {} };`],
  [
    'that imports holdpoint',
    `import { defineAgent } from 'holdpoint';\nexport default defineAgent({ name: 'm', system: '', tools: [] });`,
  ],
])('a plain ES module %s is a configuration too, and its files are known', async (_what, agent) => {
  project.put('agent.mjs', agent);
  const path = project.put(
    'own.mjs',
    `import agent from './agent.mjs';\nawait null;\nexport default { agents: [agent] };`,
  );
  expect(await load(path)).toMatchObject({ ok: true, files: [join(project.folder, 'agent.mjs'), path] });
});

test('the files of a load that broke are known, also the one that broke', async () => {
  const tools = project.put('tools.ts', 'export const greet = ;');
  expect(await load()).toMatchObject({ ok: false, files: expect.arrayContaining([project.configPath, tools]) });
});

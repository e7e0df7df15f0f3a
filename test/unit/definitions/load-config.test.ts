import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../../../src/core/errors';
import { findConfig } from '../../../src/definitions/find-config';
import { loadConfig } from '../../../src/definitions/load-config';

const DEFINITIONS = join(__dirname, '..', '..', '..', 'src', 'definitions');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-config-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A package `holdpoint` as the project's imports get it. */
function aliases(): Record<string, string> {
  const index = put(
    'node_modules/index.ts',
    `export { defineAgent } from '${DEFINITIONS}/define-agent';\nexport { defineConfig } from '${DEFINITIONS}/define-config';\n`,
  );
  return { holdpoint: index };
}

async function faultOf(name: string, text: string, timeoutMs?: number): Promise<string> {
  const path = put(name, text);
  const error = await loadConfig(path, { aliases: aliases(), ...(timeoutMs === undefined ? {} : { timeoutMs }) }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(errorCodeOf(error)).toBe('invalid_config');
  return error instanceof Error ? error.message.replaceAll(folder, '') : '';
}

const AGENT = `defineAgent({ name: 'desk', system: 'Help.', tools: [] })`;

describe('loadConfig', () => {
  it.each([
    [
      'holdpoint.config.ts',
      `import { defineAgent, defineConfig } from 'holdpoint';\nconst agents: unknown[] = [${AGENT}];\nexport default defineConfig({ agents: agents as never });`,
    ],
    [
      'holdpoint.config.mjs',
      `import { defineAgent } from 'holdpoint';\nawait Promise.resolve();\nexport default { agents: [${AGENT}] };`,
    ],
    ['holdpoint.config.js', `const { defineAgent } = require('holdpoint');\nmodule.exports = { agents: [${AGENT}] };`],
  ])('loads %s as it is', async (name, text) => {
    const config = await loadConfig(put(name, text), { aliases: aliases() });
    expect(config.agents.map((agent) => agent.name)).toEqual(['desk']);
  });

  it('evaluates the files of the project anew each time', async () => {
    const path = put('holdpoint.config.ts', `import { agents } from './agents';\nexport default { agents };`);
    for (const name of ['first', 'second']) {
      put(
        'agents.ts',
        `import { defineAgent } from 'holdpoint';\nexport const agents = [defineAgent({ name: '${name}', system: '', tools: [] })];`,
      );
      const config = await loadConfig(path, { aliases: aliases() });
      expect(config.agents[0]?.name).toBe(name);
    }
  });

  it('says where code broke, in the file of the project that broke', async () => {
    put('tools.ts', 'export const tools = [];\n\nthrow new Error("no key\\nsecond line");');
    const text = `import { tools } from './tools';\nexport default { agents: tools };`;
    expect(await faultOf('holdpoint.config.ts', text)).toBe('/holdpoint.config.ts (at /tools.ts:3:7): no key');
  });

  it('shows of what was thrown no secret, and not more than a line holds', async () => {
    const text = 'throw new Error("cannot connect to postgres://me:geheim@host/ with " + "x".repeat(9_999));';
    const fault = await faultOf('holdpoint.config.ts', text);
    expect(fault).toContain(': cannot connect to postgres://(hidden)@host/ with xxx');
    expect(fault.length).toBeLessThan(600);
  });

  it('says where a file can not be parsed', async () => {
    expect(await faultOf('holdpoint.config.ts', 'export default {\n  agents: [,\n')).toMatch(
      /^\/holdpoint\.config\.ts \(at \/holdpoint\.config\.ts:\d+:\d+\): ParseError/,
    );
  });

  it('names a module that is not there', async () => {
    expect(await faultOf('holdpoint.config.ts', `import './nowhere';\nexport default {};`)).toMatch(
      /^\/holdpoint\.config\.ts.*Cannot find module '\.\/nowhere'/,
    );
  });

  it('gives up on a file that waits for ever', async () => {
    expect(await faultOf('holdpoint.config.mjs', 'await new Promise(() => {});\nexport default {};', 50)).toMatch(
      /was not loaded within 50 ms/,
    );
  });

  it('lists every fault together, with path, expectation and value', async () => {
    const text = `export default { agents: [7, undefined], model: 'gpt', policy: { decide: 1 }, tolls: [] };`;
    const faults = await faultOf('holdpoint.config.ts', text);
    expect(faults.split('\n')).toEqual([
      '/holdpoint.config.ts: tolls: not a known member; there are agents, model, policy',
      '/holdpoint.config.ts: agents[0]: expected an agent made by defineAgent, got 7',
      '/holdpoint.config.ts: agents[1]: expected an agent made by defineAgent, got undefined',
      '/holdpoint.config.ts: model: expected <api>:<model>, for example mock:workspace, got "gpt"',
      '/holdpoint.config.ts: policy.version: expected a text that is not empty, got undefined',
      '/holdpoint.config.ts: policy.decide: expected a function, got 1',
    ]);
  });

  it('keeps every fault of a definition', async () => {
    const text = `import { defineAgent } from 'holdpoint';\nexport default { agents: [defineAgent({ name: '-', system: 3, tools: 4 })] };`;
    const lines = (await faultOf('holdpoint.config.ts', text)).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('/holdpoint.config.ts:2:');
    expect(lines[1]).toContain('system: expected a text');
  });

  it.each([
    ['nothing', ''],
    ['null', 'export default null;'],
    ['a list', 'export default [];'],
  ])('refuses a file that exports %s', async (_what, text) => {
    expect(await faultOf('holdpoint.config.ts', text)).toMatch(/expected/);
  });

  it('sees agents that a cycle of imports left undefined', async () => {
    put('a.ts', `import { agents } from './b';\nexport const first = agents;`);
    put('b.ts', `import { first } from './a';\nexport const agents = [first];`);
    expect(
      await faultOf('holdpoint.config.ts', `import { first } from './a';\nexport default { agents: first };`),
    ).toMatch(/agents\[0\]: expected an agent made by defineAgent, got undefined|Cannot access/);
  });
});

describe('findConfig', () => {
  it('takes the nearest one above', () => {
    const path = put('holdpoint.config.mjs', '');
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    expect(findConfig(join(folder, 'a', 'b'))).toBe(path);
    const nearer = put('a/holdpoint.config.ts', '');
    expect(findConfig(join(folder, 'a', 'b'))).toBe(nearer);
  });

  it('refuses to choose between two', () => {
    put('holdpoint.config.ts', '');
    put('holdpoint.config.js', '');
    expect(() => findConfig(folder)).toThrow(/expected one configuration, got .*config\.ts and .*config\.js/);
  });

  it('does not take a folder for a file', () => {
    mkdirSync(join(folder, 'holdpoint.config.ts'));
    expect(findConfig(folder)).toBeUndefined();
  });
});

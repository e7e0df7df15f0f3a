import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../../src/config';
import { errorCodeOf } from '../../../src/core/errors';
import { loadProject } from '../../../src/worker/load-project';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();

/** A project whose agents are written by `agents`, with `more` in its configuration. */
function putConfig(agents: string, more = ''): string {
  const path = join(newFolder(), 'holdpoint.config.mjs');
  const agent = `const agent = (more) => defineAgent({ name: 'desk', system: '', tools: [], ...more });`;
  writeFileSync(
    path,
    `import { defineAgent } from 'holdpoint';\n${agent}\nexport default { agents: [${agents}], ${more} };`,
  );
  return path;
}

async function modelOf(agents: string, more: string, environment: Record<string, string>): Promise<string | undefined> {
  const { catalog } = await loadProject(putConfig(agents, more), parseConfig(environment, '/project'), () => undefined);
  return catalog.agents.get('desk')?.modelName;
}

test.each([
  ['its own', `agent({ model: 'mock:own' })`, `model: 'mock:config'`, { HOLDPOINT_MODEL: 'mock:set' }, 'own'],
  ['that of HOLDPOINT_MODEL', 'agent()', `model: 'mock:config'`, { HOLDPOINT_MODEL: 'mock:set' }, 'set'],
  ['that of the configuration', 'agent()', `model: 'mock:config'`, {}, 'config'],
  ['the mock model', 'agent()', '', {}, 'workspace'],
])('the model of an agent is %s, where nothing goes before it', async (_which, agents, more, environment, expected) => {
  expect(await modelOf(agents, more, environment)).toBe(expected);
});

test("a project's policy is used", async () => {
  const path = putConfig('agent()', `policy: { version: '7', decide: () => undefined }`);
  expect((await loadProject(path, parseConfig({}, '/project'), () => undefined)).policy?.version).toBe('7');
});

test('faults of all definitions together name the configuration on every line', async () => {
  const path = putConfig(`agent(), agent(), agent({ name: 'b', model: 'oracle:x' })`);
  const error: unknown = await loadProject(path, parseConfig({}, '/project'), () => undefined).catch(
    (thrown) => thrown,
  );
  expect(errorCodeOf(error)).toBe('invalid_definition');
  expect(String((error as Error).message).split('\n')).toEqual([
    `${path}: definitions: agent "desk": defined twice`,
    `${path}: definitions: agent "b": no adapter for "oracle:x"; there are mock`,
  ]);
});

test('without a configuration it is the built-in agent', async () => {
  const { catalog } = await loadProject(undefined, parseConfig({}, newFolder()), () => undefined);
  expect([...catalog.agents.keys()]).toEqual(['workspace']);
});

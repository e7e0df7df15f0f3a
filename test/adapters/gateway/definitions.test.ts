import type { AgentList, ToolList } from '../../../src/core/http-answers';
import { buildCatalog } from '../../../src/definitions/build-catalog';
import { defineAgent } from '../../../src/definitions/define-agent';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { Gate, gatedTools } from '../../support/gated-tools';
import { type GatewayUnderTest, openGatewayUnderTest } from '../../support/gateway/gateway-under-test';

const newFolder = temporaryFolders();
let gateway: GatewayUnderTest;

beforeEach(async () => {
  gateway = await openGatewayUnderTest({ folder: newFolder(), agents: [] });
});

afterEach(() => gateway.close());

const agents = async () => (await gateway.get('/v1/agents')).json as unknown as AgentList;
const tools = async () => (await gateway.get('/v1/tools')).json as unknown as ToolList;

async function publish(definitions: readonly Parameters<typeof defineAgent>[0][]): Promise<void> {
  const catalog = buildCatalog({ agents: definitions.map(defineAgent), defaultModel: 'mock:workspace' });
  const published = [...catalog.agents.values()];
  await gateway.store.publishAgents(
    published.map(({ name, digest, published: definition }) => ({ name, digest, definition })),
    'default',
  );
}

it('are none while no worker has published any', async () => {
  expect(await agents()).toEqual({ agents: [] });
  expect(await tools()).toEqual({ tools: [] });
});

it('are the newest version of each agent, and their tools with the agents that have them, without system prompts', async () => {
  const [look, pay] = gatedTools(new Gate());
  if (look === undefined || pay === undefined) {
    throw new Error('There are two tools.');
  }
  await publish([{ name: 'clerk', system: 'an old secret', tools: [look, pay] }]);
  await publish([
    { name: 'clerk', system: 'a secret', tools: [look], limits: { roundsPerTurn: 7 } },
    { name: 'payer', system: 'a secret', tools: [pay, look], model: 'mock:other' },
  ]);
  expect(await agents()).toEqual({
    agents: [
      {
        name: 'clerk',
        digest: expect.stringMatching(/^[\w-]{43}$/),
        model: 'mock:workspace',
        limits: expect.objectContaining({ roundsPerTurn: 7 }),
        tools: [look.name],
      },
      expect.objectContaining({ name: 'payer', model: 'mock:other', tools: [look.name, pay.name].sort() }),
    ],
  });
  const { tools: listed } = await tools();
  expect(listed.map(({ name, agents: owners }) => [name, owners])).toEqual(
    [
      [look.name, ['clerk', 'payer']],
      [pay.name, ['payer']],
    ].sort(),
  );
  expect(listed.find(({ name }) => name === pay.name)).toEqual({
    name: pay.name,
    description: pay.description,
    parameters: pay.parametersSchema,
    effect: pay.effect,
    risk: pay.risk,
    idempotent: pay.idempotent,
    version: pay.version,
    timeoutMs: pay.timeoutMs,
    digest: expect.stringMatching(/^[\w-]{43}$/),
    agents: ['payer'],
  });
  expect(JSON.stringify([await agents(), listed])).not.toContain('secret');
});

it('are two of one name while two agents have another definition of it each', async () => {
  const tool = (digest: string) => ({ name: 'pay', effect: 'write', digest });
  await gateway.store.publishAgents(
    [
      { name: 'a', digest: '1', definition: { tools: [tool('old')] } },
      { name: 'b', digest: '1', definition: { tools: [tool('new')] } },
    ],
    'default',
  );
  expect((await tools()).tools.map(({ digest, agents: owners }) => [digest, owners])).toEqual([
    ['new', ['b']],
    ['old', ['a']],
  ]);
});

it('are shown as far as they are understood when a worker of another version has published them', async () => {
  const definition = { model: 7, tools: [{ name: 'pay', effect: 'burn', future: true }] };
  await gateway.store.publishAgents(
    [
      { name: 'a', digest: '1', definition },
      { name: 'b', digest: '1', definition: { tools: 'many' } },
    ],
    'default',
  );
  expect((await agents()).agents).toEqual([
    { name: 'a', digest: '1', model: '', limits: {}, tools: ['pay'] },
    { name: 'b', digest: '1', model: '', limits: {}, tools: [] },
  ]);
  expect((await tools()).tools).toMatchObject([{ name: 'pay', effect: 'write', risk: 'high', idempotent: false }]);
});

it('are those of one tenant', async () => {
  await gateway.store.publishAgents([{ name: 'a', digest: '1', definition: { tools: [{ name: 'x' }] } }], 'other');
  expect(await agents()).toEqual({ agents: [] });
  expect(await tools()).toEqual({ tools: [] });
});

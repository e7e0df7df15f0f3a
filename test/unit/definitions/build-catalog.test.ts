import { z } from 'zod';
import { HoldpointError } from '../../../src/core/errors';
import { DEFAULT_LIMITS } from '../../../src/core/limits';
import { buildCatalog } from '../../../src/definitions/build-catalog';
import { type AgentDefinition, type AgentOptions, defineAgent } from '../../../src/definitions/define-agent';
import { defineTool } from '../../../src/definitions/define-tool';

const tool = (name: string) =>
  defineTool({ name, description: 'A tool.', parameters: z.object({}), execute: async () => 'ok' });
const readFile = tool('read_file');
const writeFile = tool('write_file');
const support: AgentOptions = { name: 'support', system: 'Help.', tools: [writeFile, readFile] };

function errorOf(action: () => unknown): HoldpointError {
  try {
    action();
  } catch (error) {
    if (error instanceof HoldpointError) {
      return error;
    }
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('defineAgent', () => {
  it('fills in the default limits', () => {
    const agent = defineAgent({ ...support, limits: { roundsPerTurn: 40 } });
    expect(agent.limits).toEqual({ ...DEFAULT_LIMITS, roundsPerTurn: 40 });
    expect(agent.model).toBeUndefined();
  });

  it('reports every fault together', () => {
    const limits = { roundsPerTurn: 0, resultBytes: 0, idleMs: Number.POSITIVE_INFINITY, tokens: 5 };
    const error = errorOf(() =>
      defineAgent({ name: 'a b', model: 'mock', system: 'x', tools: [{}], limits } as unknown as AgentOptions),
    );
    expect(error.code).toBe('invalid_definition');
    expect(error.message.split('\n')).toEqual([
      'agent "a b": name: expected 1 to 100 letters, digits, _ or -, not starting with _ or -',
      'agent "a b": model: expected <api>:<model>, for example mock:workspace, got "mock"',
      'agent "a b": tools[0]: expected a tool made by defineTool, got an object',
      expect.stringContaining('limits.roundsPerTurn: expected a whole number from 1'),
      expect.stringContaining('limits.idleMs'),
      'agent "a b": limits.tokens: unknown limit',
    ]);
  });
});

describe('buildCatalog', () => {
  const catalogOf = (agents: readonly AgentDefinition[]) => buildCatalog({ agents, defaultModel: 'mock:workspace' });

  it('holds agents with sorted tools and the default model', () => {
    const catalog = catalogOf([defineAgent(support)]);
    const agent = catalog.agents.get('support');
    expect(agent).toMatchObject({ modelApi: 'mock', modelName: 'workspace', system: 'Help.' });
    expect(agent?.tools.map(({ schema }) => schema.name)).toEqual(['read_file', 'write_file']);
    expect([...catalog.tools.keys()].sort()).toEqual(['read_file', 'write_file']);
  });

  it('splits a model at its first colon', () => {
    const agent = defineAgent({ ...support, model: 'openai:org/model:8b' });
    const catalog = catalogOf([agent]);
    expect(catalog.agents.get('support')).toMatchObject({ modelApi: 'openai', modelName: 'org/model:8b' });
  });

  it('publishes everything but the system prompt', () => {
    const published = catalogOf([defineAgent(support)]).agents.get('support')?.published;
    expect(published).toMatchObject({ name: 'support', model: 'mock:workspace', limits: DEFAULT_LIMITS });
    expect(JSON.stringify(published)).not.toContain('Help.');
    expect(published?.['tools']).toHaveLength(2);
  });

  it('gives an agent a digest of everything that makes its version', () => {
    const digestOf = (options: Partial<AgentOptions>): string | undefined =>
      catalogOf([defineAgent({ ...support, ...options })]).agents.get('support')?.digest;
    const digests = [
      digestOf({}),
      digestOf({ system: 'Help well.' }),
      digestOf({ model: 'mock:other' }),
      digestOf({ tools: [readFile] }),
      digestOf({ limits: { roundsPerTurn: 6 } }),
    ];
    expect(new Set(digests).size).toBe(5);
    expect(digestOf({ tools: [readFile, writeFile] })).toBe(digests[0]);
  });

  it('lets agents share a tool', () => {
    const catalog = catalogOf([defineAgent(support), defineAgent({ ...support, name: 'second' })]);
    expect(catalog.agents.size).toBe(2);
    expect(catalog.tools.size).toBe(2);
  });

  it('reports every fault of a project together', () => {
    const agents = [
      defineAgent(support),
      defineAgent({ ...support, tools: [tool('read_file'), writeFile, writeFile] }),
      defineAgent({ ...support, name: 'other', model: 'openai:x', tools: [] }),
      { ...defineAgent(support), name: '', tools: [{ ...readFile, name: 'bad name' }] },
    ];
    const error = errorOf(() => buildCatalog({ agents, defaultModel: 'mock', modelApis: ['mock'] }));
    expect(error.code).toBe('invalid_definition');
    expect(error.message.split('\n')).toEqual([
      'definitions: tool "read_file": two definitions under one name; define it once and share it',
      'definitions: agent "support": has tool "write_file" twice',
      expect.stringContaining('definitions: tool "bad name": the name is not'),
      expect.stringContaining('definitions: agent "support": the model "mock" is not <api>:<model>'),
      'definitions: agent "support": defined twice',
      expect.stringContaining('definitions: agent "support": the model'),
      'definitions: agent "other": no adapter for "openai:x"; there are mock',
      'definitions: agent "": the name is no id',
      expect.stringContaining('definitions: agent "": the model'),
    ]);
  });

  it('refuses a project without agents', () => {
    expect(errorOf(() => catalogOf([])).message).toBe('definitions: no agent is defined');
  });
});

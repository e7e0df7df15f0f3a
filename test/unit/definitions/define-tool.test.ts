import { z } from 'zod';
import { HoldpointError } from '../../../src/core/errors';
import type { ToolContext, ToolOptions } from '../../../src/definitions/define-tool';
import { defineTool } from '../../../src/definitions/define-tool';
import { toolDigest } from '../../../src/definitions/tool-digest';

const refund = {
  name: 'refund_order',
  description: 'Refund an order, in whole or in part.',
  parameters: z.object({ orderId: z.string(), amountCents: z.number().int().positive() }),
  execute: async ({ orderId }: { orderId: string }) => `refunded ${orderId}`,
};

function faultsOf(options: unknown): HoldpointError {
  try {
    defineTool(options as ToolOptions<z.ZodType>);
  } catch (error) {
    if (error instanceof HoldpointError) {
      return error;
    }
    throw error;
  }
  throw new Error('the definition was accepted');
}

function faultsOfParameters(parameters: unknown): string {
  const error = faultsOf({ ...refund, parameters });
  expect(error.code).toBe('invalid_definition');
  expect(error.message).toContain('refund_order');
  return error.message;
}

const context = {} as ToolContext;

describe('defineTool', () => {
  it('fills in the careful defaults', () => {
    expect(defineTool(refund)).toMatchObject({
      effect: 'write',
      risk: 'medium',
      idempotent: false,
      version: '1',
      timeoutMs: 30_000,
      sensitive: [],
      precondition: undefined,
      preview: undefined,
      verify: undefined,
    });
  });

  it('makes JSON Schema of the parameters once and freezes it', () => {
    const { parametersSchema } = defineTool(refund);
    expect(parametersSchema).toEqual({
      type: 'object',
      properties: {
        orderId: { type: 'string' },
        amountCents: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      required: ['orderId', 'amountCents'],
    });
    expect(Object.isFrozen(parametersSchema['properties'])).toBe(true);
  });

  it('hands typed arguments to the functions of the author', async () => {
    const tool = defineTool({
      ...refund,
      parallel: ({ amountCents }) => amountCents < 10,
      summarize: ({ orderId, amountCents }) => `Refund ${amountCents} for ${orderId}`,
      precondition: async ({ orderId }) => `state of ${orderId}`,
      preview: async ({ orderId }) => `difference of ${orderId}`,
      verify: async ({ amountCents }) => (amountCents > 5 ? 'applied' : 'unknown'),
    });
    const args = { orderId: 'o1', amountCents: 7 };
    expect(tool.parallel(args)).toBe(true);
    expect(tool.summarize(args)).toBe('Refund 7 for o1');
    expect(await tool.precondition?.(args, context)).toBe('state of o1');
    expect(await tool.preview?.(args, context)).toBe('difference of o1');
    expect(await tool.verify?.(args, context)).toBe('applied');
    expect(await tool.execute(args, context)).toBe('refunded o1');
  });

  it('turns a function that throws at once into a rejected promise', async () => {
    const tool = defineTool({
      ...refund,
      execute: () => {
        throw new Error('boom');
      },
    });
    await expect(tool.execute({}, context)).rejects.toThrow('boom');
  });

  it('never overlaps without a clear yes', () => {
    const throwing = defineTool({
      ...refund,
      parallel: () => {
        throw new Error('boom');
      },
    });
    const vague = defineTool({ ...refund, parallel: (() => 'yes') as unknown as () => boolean });
    expect([defineTool(refund).parallel({}), throwing.parallel({}), vague.parallel({})]).toEqual([false, false, false]);
  });

  it('summarizes on one short line, whatever the author returns', () => {
    const summary = (summarize: () => string): string => defineTool({ ...refund, summarize }).summarize({});
    expect(summary(() => 'first\nsecond\u001b[31m \t third')).toBe('first second [31m third');
    expect(summary(() => 'x'.repeat(500))).toHaveLength(200);
    expect(summary(() => `${'x'.repeat(198)}\u{1f600}\u{1f600}`)).toBe(`${'x'.repeat(198)}\ufffd…`);
    expect(summary(() => '')).toBe('refund_order');
    expect(summary((() => 7) as unknown as () => string)).toBe('refund_order');
    expect(
      summary(() => {
        throw new Error('boom');
      }),
    ).toBe('refund_order');
  });

  it.each(['', '1a', 'a.b', 'a b', '-a', 'ä', 'a'.repeat(65)])('refuses the name %j', (name) => {
    expect(faultsOf({ ...refund, name }).message).toContain('name: expected a letter');
  });

  it('reports every fault of a tool together', () => {
    const { message, details } = faultsOf({
      name: 'bad name',
      description: ' ',
      parameters: z.object({ when: z.date() }),
      effect: 'maybe',
      risk: 'none',
      version: '',
      timeoutMs: Number.NaN,
      execute: 'not a function',
      preview: 1,
    });
    for (const part of ['name:', 'description:', 'when:', 'effect:', 'risk:', 'version:', 'timeoutMs:', 'execute:']) {
      expect(message).toContain(`tool "bad name": ${part}`);
    }
    expect(details).toEqual({ faults: 9 });
  });

  it.each<[string, z.ZodType]>([
    ['a date', z.date()],
    ['a bigint', z.bigint()],
    ['a map', z.map(z.string(), z.string())],
    ['a set', z.set(z.string())],
    ['a custom check', z.custom(() => true)],
    ['a transform', z.string().transform((text) => text.length)],
    ['a preprocessed value', z.preprocess((value) => value, z.string())],
    ['a codec', z.stringbool()],
    ['a catch', z.string().catch('other')],
    ['undefined', z.undefined()],
    ['a literal bigint', z.literal([1n])],
    ['an integer limit beyond 2^53', z.number().max(1e300)],
  ])('refuses %s, naming its path', (_name, type) => {
    const message = faultsOfParameters(z.object({ card: z.object({ number: z.array(type) }) }));
    expect(message).toMatch(/card\.number\[\]|can not be written as JSON Schema/);
  });

  it('refuses a parameter with neither type nor description, and takes one with a description', () => {
    expect(faultsOfParameters(z.object({ data: z.object({ any: z.unknown() }) }))).toContain('data.any: has neither');
    const described = z.object({
      any: z.unknown().describe('Any JSON value.'),
      free: z.record(z.string(), z.unknown()),
    });
    expect(defineTool({ ...refund, parameters: described, execute: async () => 'ok' }).name).toBe('refund_order');
  });

  it.each<[string, unknown]>([
    ['a string', z.string()],
    ['an array', z.array(z.string())],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['JSON Schema', { type: 'object' }],
    ['nothing', undefined],
  ])('refuses parameters that are %s', (_name, parameters) => {
    expect(faultsOfParameters(parameters)).toContain('parameters:');
  });

  it('takes recursive schemas', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const tool = defineTool({ ...refund, parameters: tree, execute: async () => 'ok' });
    expect(tool.parse({ name: 'a', children: [{ name: 'b', children: [] }] }).ok).toBe(true);
    expect(tool.parse({ name: 'a', children: [{ name: 'b' }] })).toEqual({
      ok: false,
      violations: ['children[0].children: expected array, received undefined'],
    });
  });

  it('refuses a sensitive path that names no parameter', () => {
    const parameters = z.object({
      card: z.object({ number: z.string() }),
      holders: z.array(z.object({ name: z.string() })),
      extra: z.record(z.string(), z.string()),
    });
    const withSensitive = (sensitive: string[]) => ({ ...refund, parameters, sensitive, execute: async () => 'ok' });
    expect(defineTool(withSensitive(['card.number', 'holders.name', 'extra.pin'])).sensitive).toHaveLength(3);
    expect(faultsOf(withSensitive(['card.nummer', 'name'])).message.split('\n')).toEqual([
      'tool "refund_order": sensitive: no parameter card.nummer',
      'tool "refund_order": sensitive: no parameter name',
    ]);
  });
});

describe('toolDigest', () => {
  const digest = toolDigest(defineTool(refund));

  it('changes with everything the tool promises', () => {
    const changed = [
      { ...refund, name: 'refund' },
      { ...refund, parameters: z.object({ orderId: z.string(), amountCents: z.number() }) },
      { ...refund, effect: 'read' as const },
      { ...refund, risk: 'high' as const },
      { ...refund, idempotent: true },
      { ...refund, version: '2' },
    ].map((options) => toolDigest(defineTool(options)));
    expect(new Set([digest, ...changed]).size).toBe(7);
  });

  it('stays the same when only description, code or timeout change', () => {
    const same = { ...refund, description: 'Another text.', timeoutMs: 1, execute: async () => 'other' };
    expect(toolDigest(defineTool(same))).toBe(digest);
  });
});

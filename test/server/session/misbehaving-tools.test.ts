import { z } from 'zod';
import { ToolRefused } from '../../../src/core/tool-refused';
import { defineTool } from '../../../src/definitions/define-tool';
import type { Pending } from '../../support/api-driver';
import { RunningStack } from '../../support/running-stack';

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

function readTool(name: string, execute: (signal: AbortSignal) => Promise<unknown>) {
  return defineTool({
    name,
    description: `Test tool ${name}.`,
    parameters: z.strictObject({ count: z.number().int().optional() }),
    effect: 'read',
    timeoutMs: 1_000,
    execute: async (_args, { signal }) => (await execute(signal)) as never,
  });
}

const runs = { crash: 0 };

const tools = [
  readTool('throws', async () => {
    throw new Error('the secret is 4711');
  }),
  readTool('throws_text', () => Promise.reject('plain text')),
  readTool('refuses', async () => {
    throw new ToolRefused('There is no order 5.');
  }),
  readTool('hangs', () => new Promise(() => undefined)),
  readTool('ignores_its_signal', () => new Promise((resolve) => setTimeout(() => resolve('late'), 3_000))),
  readTool('huge', async () => 'x'.repeat(50_000_000)),
  readTool('huge_object', async () => ({
    rows: Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'é😀' })),
  })),
  readTool('cyclic', async () => cyclic),
  readTool('bigint', async () => 10n),
  readTool('function', async () => () => 1),
  readTool('nothing', async () => undefined),
  readTool('lone_surrogate', async () => 'a\ud83d'),
  readTool('nul', async () => 'a\0b'),
  readTool('proto', async () => JSON.parse('{"__proto__":{"a":1}}')),
  defineTool({
    name: 'preview_throws',
    description: 'A write whose preview fails.',
    parameters: z.strictObject({}),
    effect: 'write',
    timeoutMs: 1_000,
    preview: async () => {
      throw new Error('no preview');
    },
    execute: async () => {
      runs.crash += 1;
      return 'done';
    },
  }),
  defineTool({
    name: 'write_throws',
    description: 'A write that fails.',
    parameters: z.strictObject({}),
    effect: 'write',
    timeoutMs: 1_000,
    execute: async () => {
      throw new Error('declined');
    },
  }),
];

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools });
});

afterAll(async () => {
  await stack.stop();
});

/** The result of the one call of a session's first turn, after checking that the session can go on. */
async function resultOf(content: string, onPending?: (approval: Pending) => Promise<unknown>): Promise<unknown> {
  const sessionId = await stack.startSession(content);
  if (onPending !== undefined) {
    const [approval] = await stack.pending(sessionId);
    await onPending(approval as Pending);
  }
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  expect(results).toHaveLength(1);
  await stack.send(sessionId, 'hello');
  expect((await stack.untilTurnEnded(sessionId, 2))['status']).toBe('idle');
  return results[0]?.data;
}

test.each([
  ['throws', { status: 'error', code: 'tool_failed' }],
  ['throws_text', { status: 'error', code: 'tool_failed' }],
  ['refuses', { status: 'error', code: 'tool_refused', text: expect.stringContaining('There is no order 5.') }],
  ['hangs', { status: 'timeout', code: 'tool_timeout' }],
  ['ignores_its_signal', { status: 'timeout', code: 'tool_timeout' }],
  ['cyclic', { status: 'error', code: 'tool_invalid_result' }],
  ['bigint', { status: 'error', code: 'tool_invalid_result' }],
  ['function', { status: 'error', code: 'tool_invalid_result' }],
  ['nothing', { status: 'success', text: '(no output)' }],
  ['lone_surrogate', { status: 'success' }],
  ['nul', { status: 'success' }],
  ['proto', { status: 'success' }],
])('a tool that does this leaves the session usable: %s', async (tool, result) => {
  expect(await resultOf(`call ${tool} {}`)).toMatchObject(result);
});

test('what a tool throws is never told to the model', async () => {
  const { text, detail } = (await resultOf('call throws {}')) as { text: string; detail: string };
  expect(text).not.toContain('4711');
  // Whoever runs the system finds it in the session log.
  expect(detail).toContain('4711');
});

test.each(['huge', 'huge_object'])('%s: the model reads a capped view with a marker', async (tool) => {
  const data = (await resultOf(`call ${tool} {}`)) as { text: string; truncated: boolean; sizeBytes: number };
  expect(Buffer.byteLength(data.text)).toBeLessThanOrEqual(8_000);
  expect(data.truncated).toBe(true);
  expect(data.sizeBytes).toBeGreaterThan(1_000_000);
  expect(data.text).toBe(data.text.toWellFormed());
});

test.each([
  ['no JSON', 'call refuses {"count":', 'invalid'],
  ['no object', 'call refuses [1]', 'invalid'],
  ['a broken schema', 'call refuses {"count":"many"}', 'invalid'],
  ['an unknown member', 'call refuses {"amount":1}', 'invalid'],
  ['a duplicate member', 'call refuses {"count":1,"count":2}', 'invalid'],
  ['an integer beyond 2^53', 'call refuses {"count":9007199254740993}', 'invalid'],
  ['an unknown tool', 'call no_such_tool {}', 'unknown_tool'],
])('arguments that are wrong run nothing: %s', async (_name, content, status) => {
  expect(await resultOf(content)).toMatchObject({ status });
});

test('a write whose preview fails is not asked about and does not run', async () => {
  expect(await resultOf('call preview_throws {}')).toMatchObject({ status: 'error' });
  expect(runs.crash).toBe(0);
});

test('a write that fails says so', async () => {
  const result = await resultOf('call write_throws {}', (approval) => stack.decide(approval, 'approve'));
  expect(result).toMatchObject({ status: 'error', code: 'tool_failed', try: 1 });
});

import type { Limits } from '../../../src/core/limits';
import { ToolRefused } from '../../../src/core/tool-refused';
import type { CallPlan } from '../../../src/core/tools';
import type { ToolDefinition } from '../../../src/definitions/define-tool';
import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  first,
  readTool,
  toolInput,
} from '../../support/activities/activity-world';
import { calls } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

async function plannedRead(tool: ToolDefinition, limits?: Partial<Limits>): Promise<CallPlan> {
  world.useTools([tool], limits);
  world.model.add(calls(['look', { text: 'a' }]));
  return first((await world.callModel()).calls);
}

async function resultOf(tool: ToolDefinition, limits?: Partial<Limits>) {
  await world.callTool(await plannedRead(tool, limits));
  return first(await world.entriesOf('tool.result')).data;
}

test('a read runs, and its text reaches the log and not the workflow', async () => {
  const plan = await plannedRead(readTool());

  const result = await world.callTool(plan);

  expect(result).toMatchObject({ v: 1, status: 'success', characters: 'saw a'.length });
  expect(Object.keys(result).sort()).toEqual(['activeMs', 'characters', 'last', 'status', 'v']);
  expect(first(await world.entriesOf('tool.result')).data).toMatchObject({ status: 'success', text: 'saw a' });
});

test('a stored result is returned as it is, and the body runs no second time', async () => {
  let runs = 0;
  const plan = await plannedRead(
    readTool({
      execute: async () => {
        runs += 1;
        return `run ${runs}`;
      },
    }),
  );

  const before = await world.callTool(plan);
  const again = await world.callTool(plan, {}, { attempt: 2 });

  expect(runs).toBe(1);
  expect(again).toMatchObject({ status: 'success', characters: 5, last: before.last });
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, '(no output)'],
  ['null', null, '(no output)'],
  ['an empty text', '', '(no output)'],
  ['an object', { a: [1, null, 'x'] }, '{"a":[1,null,"x"]}'],
  ['a number', 7, '7'],
  ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['a lone surrogate', 'a\ud800b', 'a\uFFFDb'],
])('a tool that returns %s', async (_name, output, text) => {
  const tool = readTool({ execute: async () => output as string });

  expect(await resultOf(tool)).toMatchObject({ status: 'success', text });
});

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

test.each<[string, unknown]>([
  ['a cycle', cycle],
  ['a bigint', { n: 1n }],
  ['a function', () => 1],
  ['a map', new Map([['a', 1]])],
  ['a number that is none', { n: Number.NaN }],
  [
    'a value that throws when it is read',
    Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    }),
  ],
])('a tool that returns %s ends as an invalid result', async (_name, output) => {
  const tool = readTool({ execute: async () => output as string });

  expect(await resultOf(tool)).toMatchObject({ status: 'error', code: 'tool_invalid_result' });
});

test('a result of 50 MB is cut for the model and its start kept in a blob', async () => {
  const tool = readTool({ execute: async () => '\u20ac'.repeat((50 * 1024 * 1024) / 3) });

  const data = await resultOf(tool);

  expect(data).toMatchObject({ status: 'success', truncated: true, blobId: 't1-r1-c1-0' });
  expect(Buffer.byteLength(data.text)).toBeLessThanOrEqual(8_000);
  expect(data.text).toMatch(/^\u20ac+\n\[cut: the whole output has \d+ bytes\]$/u);
  const blob = await world.store.readBlob(world.key, data.blobId ?? '');
  expect(blob?.length).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(blob?.length).toBeGreaterThan(15 * 1024 * 1024);
}, 20_000);

test('a cap of 0 shows the whole result', async () => {
  const tool = readTool({ execute: async () => 'x'.repeat(20_000) });

  expect((await resultOf(tool, { resultBytes: 0 })).text).toHaveLength(20_000);
});

test('a refusal is for the model; the text of every other error stays in the log, without secrets', async () => {
  const refusing = readTool({ execute: () => Promise.reject(new ToolRefused('Ask for less.')) });
  expect(await resultOf(refusing)).toMatchObject({ status: 'error', code: 'tool_refused', text: 'Ask for less.' });
});

test('an error of a tool is a generic text for the model and a redacted detail in the log', async () => {
  const failing = readTool({ execute: () => Promise.reject(new Error('GET https://u:p4ss@host/x failed')) });

  const data = await resultOf(failing);

  expect(data).toMatchObject({ status: 'error', code: 'tool_failed' });
  expect(data.text).not.toContain('host');
  expect(data.detail).toBe('Error: GET https://(hidden)@host/x failed');
});

test('a tool that ignores its signal is abandoned at its timeout, and what it says later is kept', async () => {
  let finish = (_text: string): void => undefined;
  const late = new Promise<string>((resolve) => {
    finish = resolve;
  });

  const data = await resultOf(readTool({ timeoutMs: 30, execute: () => late }));
  finish('late truth');

  expect(data).toMatchObject({ status: 'timeout', code: 'tool_timeout' });
  await eventually(async () => {
    expect((await world.entriesOf('tool.late_result')).map((entry) => entry.data)).toEqual([
      { try: 1, status: 'success', text: 'late truth' },
    ]);
  });
});

test('a cancelled turn ends a read as aborted; a worker that stops gives it back', async () => {
  const started: (() => void)[] = [];
  const plan = await plannedRead(
    readTool({
      execute: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          started.shift()?.();
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    }),
  );
  const attempt = async (
    stop: (environment: { cancel: (reason: 'CANCELLED' | 'WORKER_SHUTDOWN') => void }) => void,
  ) => {
    const running = new Promise<void>((resolve) => {
      started.push(resolve);
    });
    const { result, environment } = world.start((activities) => activities.default(toolInput(plan)), {
      activityType: 'tool.look',
    });
    await running;
    stop(environment);
    return result;
  };

  expect(await failureOf(attempt((environment) => environment.cancel('WORKER_SHUTDOWN')))).toMatchObject({
    code: 'WORKER_SHUTDOWN',
  });
  expect(await world.entriesOf('tool.result')).toHaveLength(0);
  expect(await attempt((environment) => environment.cancel('CANCELLED'))).toMatchObject({ status: 'aborted' });
});

test('a read is given back when the worker is about to stop', async () => {
  const plan = await plannedRead(
    readTool({
      execute: () => {
        world.stopping.abort();
        return new Promise(() => undefined);
      },
    }),
  );

  expect(await failureOf(world.callTool(plan))).toMatchObject({ code: 'worker_stopping', retryable: true });
});

test('a tool that is gone is waited for, then answered as unavailable', async () => {
  const plan = await plannedRead(readTool());
  world.useTools([readTool({ name: 'other' })]);
  world.use({ definitionGraceMs: 60_000 });

  expect(await failureOf(world.callTool(plan))).toMatchObject({ code: 'definition_not_here', retryable: true });
  expect(await world.callTool(plan, {}, { scheduledTimestampMs: Date.now() - 60_001 })).toMatchObject({
    status: 'unavailable',
  });
});

test('arguments with another digest than the workflow was told are not run', async () => {
  const plan = await plannedRead(readTool());

  const forged = { ...plan, argumentsDigest: 'x'.repeat(43) };
  expect(await failureOf(world.callTool(forged))).toMatchObject({ code: 'digest_mismatch', retryable: false });
});

test('a call the log does not know is refused', async () => {
  const plan = await plannedRead(readTool());

  expect(await failureOf(world.callTool({ ...plan, callId: 't1-r1-c9' }))).toMatchObject({ code: 'invalid_request' });
  expect(await failureOf(world.callTool({ ...plan, tool: 'other' }))).toMatchObject({ code: 'invalid_request' });
});

/** Waits for something that happens in the background. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await check();
    } catch (error) {
      if (tries >= 100) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { ToolRefused } from '../../../src/core/tool-refused';
import { defineTool } from '../../../src/definitions/define-tool';
import { RunningStack } from '../../support/running-stack';

const CANARY = 'canary7f3e';
const { EventType } = temporal.api.enums.v1;
const WORKFLOW_TASK_EVENTS: ReadonlySet<number> = new Set([
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
  EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED,
]);

const tools = [
  defineTool({
    name: 'echo',
    description: 'Returns a text of a given length.',
    parameters: z.strictObject({ note: z.string(), characters: z.number().int() }),
    effect: 'read',
    execute: async ({ note, characters }) => `${CANARY} ${note} ${'x'.repeat(characters)}`,
  }),
  defineTool({
    name: 'fails',
    description: 'Throws.',
    parameters: z.strictObject({ note: z.string() }),
    effect: 'write',
    summarize: ({ note }) => `${CANARY} ${note}`,
    preview: async () => `${CANARY} preview`,
    execute: async () => {
      throw new Error(`${CANARY} thrown`);
    },
  }),
  defineTool({
    name: 'refuses',
    description: 'Refuses.',
    parameters: z.strictObject({}),
    effect: 'read',
    execute: async () => {
      throw new ToolRefused(`${CANARY} refused`);
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

/** The history of a session's newest run: as the server would print it, with every payload decoded beside it. */
async function historyText(sessionId: string): Promise<string> {
  const history = await stack.workflow(sessionId).fetchHistory();
  const decoded: string[] = [];
  const collect = (value: unknown): void => {
    if (value instanceof Uint8Array) {
      decoded.push(Buffer.from(value).toString('utf8'));
    } else if (typeof value === 'object' && value !== null) {
      Object.values(value).forEach(collect);
    }
  };
  collect(history);
  return JSON.stringify(historyToJSON(history)) + decoded.join('\n');
}

test('no text of people, models or tools is in the history, raw or decoded', async () => {
  const sessionId = await stack.startSession(`call echo {"note":"${CANARY}","characters":10}`);
  await stack.untilTurnEnded(sessionId, 1);
  await stack.send(sessionId, `call fails {"note":"${CANARY}"}`);
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve', { comment: `${CANARY} comment` });
  await stack.untilTurnEnded(sessionId, 2);
  for (const [turn, content] of [
    [3, 'call refuses {}'],
    [4, `call ${CANARY} {}`],
    [5, `call echo {"${CANARY}":1}`],
    [6, `${CANARY} plain`],
  ] as const) {
    await stack.send(sessionId, content);
    await stack.untilTurnEnded(sessionId, turn);
  }
  const log = JSON.stringify(await stack.entries(sessionId));
  for (const text of ['thrown', 'comment', 'refused', 'plain', 'preview']) {
    expect(`${text}: ${log.includes(`${CANARY} ${text}`) || text === 'preview'}`).toBe(`${text}: true`);
  }
  expect(await historyText(sessionId)).not.toContain(CANARY);
});

/**
 * Bytes that a turn with one call adds to the history. Workflow tasks are left out: how many of them a turn takes depends
 * on how busy the machine is, and they hold no content.
 */
async function bytesPerTurn(characters: number): Promise<number> {
  const sessionId = await stack.startSession('hello');
  await stack.untilTurnEnded(sessionId, 1);
  const size = async () => contentBytes(await stack.workflow(sessionId).fetchHistory());
  const before = await size();
  const turns = 3;
  for (let turn = 2; turn < 2 + turns; turn += 1) {
    await stack.send(sessionId, `call echo {"note":"n","characters":${characters}}`);
    await stack.untilTurnEnded(sessionId, turn);
  }
  return ((await size()) - before) / turns;
}

function contentBytes({ events }: temporal.api.history.v1.IHistory): number {
  const { HistoryEvent } = temporal.api.history.v1;
  return (events ?? [])
    .filter(({ eventType }) => !WORKFLOW_TASK_EVENTS.has(eventType ?? 0))
    .reduce((sum, event) => sum + HistoryEvent.encode(event).finish().length, 0);
}

test('history grows by the same few kilobytes per turn, whatever the length of the results', async () => {
  const small = await bytesPerTurn(10);
  const large = await bytesPerTurn(65_536);
  expect(large).toBeLessThan(small * 1.05);
  expect(small).toBeLessThan(6_000);
});

test('every payload of an activity names its version, and none repeats the session or the run', async () => {
  const sessionId = await stack.startSession('write v.txt: x');
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  const { events } = await stack.workflow(sessionId).fetchHistory();
  const payloads = (events ?? []).flatMap((event) => [
    ...(event.activityTaskScheduledEventAttributes?.input?.payloads ?? []),
    ...(event.activityTaskCompletedEventAttributes?.result?.payloads ?? []),
  ]);
  const texts = payloads.map((payload) => Buffer.from(payload.data ?? []).toString('utf8'));
  expect(texts.length).toBeGreaterThanOrEqual(6);
  for (const text of texts) {
    expect(JSON.parse(text)).toMatchObject({ v: 1 });
    expect(text).not.toContain(sessionId);
  }
});

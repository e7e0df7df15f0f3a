import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { Gate } from '../../support/gated-tools';
import { RunningStack } from '../../support/running-stack';

const gate = new Gate();

/** Hears of the cancel, and then needs until its door opens to come to an end. */
const stopsSlowly = defineTool({
  name: 'stops_slowly',
  description: 'Ends a while after it was told to.',
  parameters: z.strictObject({}),
  effect: 'write',
  idempotent: true,
  execute: async (_args, { signal }) => {
    await gate.pass('told', signal).catch(() => undefined);
    await gate.pass('done', new AbortController().signal);
    return 'Stopped halfway, and said so.';
  },
});

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: [stopsSlowly] });
});

afterAll(async () => {
  await stack.stop();
});

test('what a model had said when its turn was cancelled is kept', async () => {
  const sessionId = await stack.startSession('slow 60 then list');
  const said = new Promise<void>((resolve) => {
    stack.feed.subscribe({ tenant: 'default', sessionId }, ({ type }) => type === 'chunk' && resolve());
  });
  await said;
  await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
  await stack.untilTurnEnded(sessionId, 1);
  const entries = await stack.entries(sessionId);
  const partial = entries.find(({ type }) => type === 'model.partial');
  expect(partial?.data).toMatchObject({ attempt: 1, blocks: [{ type: 'text', text: expect.stringMatching(/\S/) }] });
  expect(entries.at(-1)).toMatchObject({ type: 'turn.ended', data: { outcome: 'cancelled' } });
});

test('a tool that was told to stop says itself how it ended, before the turn ends', async () => {
  const sessionId = await stack.startSession('call stops_slowly {}');
  const [approval] = await stack.pending(sessionId);
  await stack.decide(approval as never, 'approve');
  await gate.reached('told');
  await stack.post(`/v1/sessions/${sessionId}/cancel`, {});
  await gate.reached('done');
  gate.open('done');
  await stack.untilTurnEnded(sessionId, 1);
  const entries = await stack.entries(sessionId);
  const result = entries.find(({ type }) => type === 'tool.result');
  expect(result?.data).toMatchObject({ status: 'success', text: expect.stringContaining('Stopped halfway') });
  const { events } = await stack.workflow(sessionId).fetchHistory();
  const started = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );
  expect(started).not.toContain('settleCall');
});

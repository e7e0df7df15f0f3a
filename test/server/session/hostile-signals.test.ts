import type { Payload } from '@temporalio/common';
import { RunningStack } from '../../support/running-stack';

const utf8 = new TextEncoder();

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

function payload(encoding: string | undefined, data: string | undefined): Payload {
  return {
    ...(encoding === undefined ? {} : { metadata: { encoding: utf8.encode(encoding) } }),
    ...(data === undefined ? {} : { data: utf8.encode(data) }),
  } as Payload;
}

/** Sends a signal as bytes, past every client-side check. */
async function sendRaw(sessionId: string, signalName: string, payloads: readonly Payload[] | undefined): Promise<void> {
  await stack.connection.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: `default/${sessionId}` },
    signalName,
    input: payloads === undefined ? null : { payloads: [...payloads] },
    requestId: `${Math.random()}`,
  });
}

const BROKEN: Readonly<Record<string, readonly Payload[] | undefined>> = {
  'broken JSON': [payload('json/plain', '{"a":')],
  'an unknown encoding': [payload('binary/of-the-future', 'x')],
  'no encoding': [payload(undefined, '{}')],
  'no data': [payload('json/plain', undefined)],
  'no payload': [],
  'no input': undefined,
  null: [payload('json/plain', 'null')],
  'a null payload': [payload('binary/null', undefined)],
  'an array': [payload('json/plain', '[1,2]')],
  'a string': [payload('json/plain', '"approve"')],
  'wrong types': [payload('json/plain', '{"messageId":1,"approvalId":{},"decision":[],"turn":"x","reason":3}')],
  'a deep object': [payload('json/plain', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)],
  'a megabyte': [payload('json/plain', JSON.stringify({ messageId: 'm', content: 'x'.repeat(1_000_000) }))],
  'a prototype': [payload('json/plain', '{"__proto__":{"messageId":"m9","content":"hi"}}')],
  'two payloads': [payload('json/plain', 'null'), payload('json/plain', '{"messageId":"m","content":"hi"}')],
};

async function failedTasksOf(sessionId: string): Promise<number> {
  const { events } = await stack.workflow(sessionId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
}

test('no payload of any signal, known or not, fails a workflow task or touches a session that waits', async () => {
  const sessionId = await stack.startSession('write a.txt: hello');
  const [approval] = await stack.pending(sessionId);
  for (const name of ['message', 'decide', 'unknown', '__stack_trace', 'constructor']) {
    for (const payloads of Object.values(BROKEN)) {
      await sendRaw(sessionId, name, payloads);
    }
  }
  expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
  await stack.untilTurnEnded(sessionId, 1);
  expect(await failedTasksOf(sessionId)).toBe(0);
  const status = await stack.workflow(sessionId).query<{ droppedSignals: number }>('status');
  expect(status.droppedSignals).toBe(5 * Object.keys(BROKEN).length);
});

test('broken cancel and close signals leave a session usable', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  // Any object is a request to close, and so is a signal without a payload; see the workflow's contract.
  for (const name of ['broken JSON', 'an unknown encoding', 'no encoding', 'no data', 'null', 'an array', 'a string']) {
    await sendRaw(sessionId, 'cancelTurn', BROKEN[name]);
    await sendRaw(sessionId, 'close', BROKEN[name]);
  }
  await stack.send(sessionId, 'list');
  expect((await stack.untilTurnEnded(sessionId, 2))['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
  expect(await failedTasksOf(sessionId)).toBe(0);
});

test('a message inline in a plain signal is a turn of its own, with its provenance', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  await stack.temporalTool(
    ...['workflow', 'signal', '--workflow-id', `default/${sessionId}`, '--name', 'message'],
    ...['--input', JSON.stringify({ messageId: 'plain-1', content: 'list', mode: 'followup', principal: 'cron' })],
  );
  await stack.untilTurnEnded(sessionId, 2);
  const message = (await stack.entries(sessionId)).find((entry) => entry.key === 'm/plain-1');
  expect(message?.data).toMatchObject({ content: 'list', principal: 'cron', provenance: 'request' });
});

test('the same message sent many times is one turn', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  for (let index = 0; index < 5; index += 1) {
    await stack.workflow(sessionId).signal('message', { messageId: 'once', content: 'list' });
  }
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 3);
  const ended = (await stack.entries(sessionId)).filter((entry) => entry.type === 'turn.ended');
  expect(ended).toHaveLength(3);
});

test('a reference to a message that the store does not hold opens no turn', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  await stack.workflow(sessionId).signal('message', { messageId: 'nowhere', ref: 'nowhere' });
  await stack.send(sessionId, 'list');
  await stack.untilTurnEnded(sessionId, 2);
  expect((await stack.entries(sessionId)).some((entry) => entry.key === 'm/nowhere')).toBe(false);
});

test.each([
  ['another session in its input', { v: 1, tenant: 'default', sessionId: 'other', agent: 'workspace' }],
  ['no input', undefined],
  ['a newer version', { v: 2, tenant: 'default', sessionId: 'bad', agent: 'workspace' }],
])('a workflow started with %s fails as invalid_start instead of spinning', async (_name, input) => {
  const sessionId = `bad-${Math.random().toString(36).slice(2)}`;
  await stack.temporalTool(
    ...['workflow', 'start', '--type', 'agentSession', '--task-queue', 'holdpoint'],
    ...['--workflow-id', `default/${sessionId}`],
    ...(input === undefined ? [] : ['--input', JSON.stringify(input)]),
  );
  await expect(stack.workflow(sessionId).result()).rejects.toMatchObject({ cause: { type: 'invalid_start' } });
});

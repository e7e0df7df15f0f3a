/** The one exception to "no text in Temporal": what a caller puts into a signal himself stays where he put it. */
import { canary, findCanary } from '../../support/find-canary';
import { RunningStack } from '../../support/running-stack';
import { temporalRecord } from '../../support/temporal-record';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

/** The kinds of records of a session that hold planted texts. */
async function placesOfCanaries(sessionId: string): Promise<readonly string[]> {
  const runs = await temporalRecord(stack.connection, `default/${sessionId}`);
  const places = runs.flatMap(({ kept }) => kept.flatMap(({ place, bytes }) => findCanary(bytes).map(() => place)));
  return [...new Set(places.map((place) => /EVENT_TYPE_[A-Z_]+/.exec(place)?.[0] ?? place))].sort();
}

test('the text of a message that came by a plain signal is in that signal and in what writes it down, nowhere else', async () => {
  const sessionId = await stack.startSession('hello');
  await stack.untilTurnEnded(sessionId, 1);
  await stack.workflow(sessionId).signal('message', { messageId: 'm_plain', content: canary('plain') });
  await stack.untilTurnEnded(sessionId, 2);
  expect(JSON.stringify(await stack.entries(sessionId))).toContain(canary('plain'));
  expect(await placesOfCanaries(sessionId)).toEqual([
    'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
    'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED',
  ]);
});

test('the comment of a decision that came by a plain signal is in that signal and nowhere else', async () => {
  const sessionId = await stack.startSession('write a.txt: x');
  const [approval] = await stack.pending(sessionId);
  const { approvalId, argumentsDigest } = approval as { approvalId: string; argumentsDigest: string };
  const decision = { approvalId, decision: 'approve', argumentsDigest, comment: canary('plain-comment') };
  await stack.workflow(sessionId).signal('decide', decision);
  await stack.untilTurnEnded(sessionId, 1);
  expect(JSON.stringify(await stack.entries(sessionId))).toContain(canary('plain-comment'));
  expect(await placesOfCanaries(sessionId)).toEqual(['EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED']);
});

import type { Pending } from '../../support/api-driver';
import type { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';
import type { RecordedRun } from './turn-scenario';

/** A session that gets one message and comes to the end of its turn without anybody's help. */
export async function playTurn(stack: RunningStack, content: string): Promise<RecordedRun> {
  const sessionId = await stack.startSession(content);
  await stack.untilTurnEnded(sessionId, 1);
  return { sessionId };
}

/** A session that waits with one open question. */
export async function playToQuestion(
  stack: RunningStack,
  content: string,
): Promise<RecordedRun & { readonly approval: Pending }> {
  const sessionId = await stack.startSession(content);
  return { sessionId, approval: await nextQuestion(stack, sessionId) };
}

/** The one open question of a session, when it is another one than `after`. */
export async function nextQuestion(stack: RunningStack, sessionId: string, after?: Pending): Promise<Pending> {
  const [approval] = await waitUntil(
    () => stack.pending(sessionId),
    ([open]) => open !== undefined && open.approvalId !== after?.approvalId,
  );
  return approval as Pending;
}

/** Resolves when a session's model call has been asked for and streams. */
export async function untilModelStreams(stack: RunningStack, sessionId: string): Promise<void> {
  await waitUntil(
    async () => (await stack.workflow(sessionId).describe()).raw.pendingActivities ?? [],
    ([activity]) => activity?.lastHeartbeatTime != null,
  );
}

/** The session's run at this moment. */
export async function runIdOf(stack: RunningStack, sessionId: string): Promise<string> {
  return (await stack.workflow(sessionId).describe()).runId;
}

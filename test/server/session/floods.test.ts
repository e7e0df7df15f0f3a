import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countByType, type Pending } from '../../support/api-driver';
import { inParallel } from '../../support/in-parallel';
import { RunningStack } from '../../support/running-stack';
import { type SessionRun, sessionRuns, untilAtRest } from '../../support/session-runs';

const FLOOD_TIMEOUT_MS = 240_000;
const PARALLEL = 8;
/** A run may be handed as much as this; the server takes 2 MiB. */
const CARRIED_BYTES = 400_000;
const LONG_TEXT = 'y'.repeat(15_900);

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ sweep: { everyMs: 1_000, olderThanMs: 2_000 } });
});

afterAll(async () => {
  await stack.stop();
});

function runsOf(sessionId: string): Promise<readonly SessionRun[]> {
  return sessionRuns(stack.connection, `default/${sessionId}`);
}

async function expectSmallStarts(sessionId: string): Promise<void> {
  expect(Math.max(...(await runsOf(sessionId)).map(({ startBytes }) => startBytes))).toBeLessThan(CARRIED_BYTES);
}

/** A session that waits for its first decision. */
async function holding(file: string): Promise<{ readonly sessionId: string; readonly approval: Pending }> {
  const sessionId = await stack.startSession(`write ${file}: hello`);
  const [approval] = await stack.pending(sessionId);
  return { sessionId, approval: approval as Pending };
}

/** 3,000 decisions nobody may take: for the open question and for unknown ones, many with comments of 16 KB. */
async function floodWithDecisions({ sessionId, approval }: Awaited<ReturnType<typeof holding>>): Promise<void> {
  const { approvalId } = approval;
  const forged = (index: number) =>
    [
      { approvalId, decision: 'approve', argumentsDigest: `forged${index}`, comment: LONG_TEXT },
      { approvalId, decision: `word${index}` },
      { approvalId: `unknown${index}`, decision: 'approve', comment: LONG_TEXT },
      { approvalId: `unknown${index}`, decisionId: `d${index}`, decision: 'stored', ref: `d${index}` },
    ][index % 4];
  await inParallel(3_000, PARALLEL, (index) => stack.workflow(sessionId).signal('decide', forged(index)));
}

test.concurrent.each([
  [
    'HTTP',
    async ({ approval }: Awaited<ReturnType<typeof holding>>) => {
      expect([200, 202]).toContain((await stack.decide(approval, 'approve')).status);
    },
  ],
  [
    'a plain signal',
    async ({ sessionId, approval }: Awaited<ReturnType<typeof holding>>) => {
      // What is over the caps is dropped, and a plain signal is told so by nobody: it comes when the flood is over.
      await untilAtRest(stack.connection, `default/${sessionId}`);
      const { approvalId, argumentsDigest } = approval;
      await stack.workflow(sessionId).signal('decide', { approvalId, decision: 'approve', argumentsDigest });
    },
  ],
])(
  'after 3,000 refused decisions the genuine one by %s is taken, and log and state stay small',
  async (way, decide) => {
    const file = `decided-by-${way.replaceAll(' ', '-')}.txt`;
    const session = await holding(file);
    await floodWithDecisions(session);
    await decide(session);
    await stack.untilTurnEnded(session.sessionId, 1, FLOOD_TIMEOUT_MS);
    expect(readFileSync(join(stack.workspaceFolder, file), 'utf8')).toBe('hello');
    expect(countByType(await stack.entries(session.sessionId))).toEqual({
      'session.started': 1,
      'user.message': 1,
      'turn.started': 1,
      'request.header': 1,
      'model.reply': 2,
      'policy.decided': 1,
      'approval.requested': 1,
      'approval.refused': 20,
      'approval.decided': 1,
      'tool.started': 1,
      'tool.result': 1,
      'turn.ended': 1,
    });
    await stack.send(session.sessionId, 'list');
    await stack.untilTurnEnded(session.sessionId, 2, FLOOD_TIMEOUT_MS);
    await expectSmallStarts(session.sessionId);
  },
  FLOOD_TIMEOUT_MS,
);

function isText(key: string): boolean {
  return key.startsWith('m/text');
}

test.concurrent(
  'messages with 3 MB of text in plain signals wait in the store, and none is lost',
  async () => {
    const { sessionId, approval } = await holding('flooded.txt');
    const handle = stack.workflow(sessionId);
    const count = 200;
    await inParallel(count, PARALLEL, (index) =>
      handle.signal('message', {
        messageId: `text${index}`,
        content: `good morning ${index} ${LONG_TEXT}`,
        mode: (['followup', 'steer', 'inject'] as const)[index % 3],
      }),
    );
    // References to nothing: more than fit beside the others.
    await inParallel(1_500, PARALLEL, (index) => {
      const messageId = `nowhere${index}-${'z'.repeat(80)}`;
      return handle.signal('message', { messageId, ref: messageId, principal: 'p'.repeat(200) });
    });
    await stack.decide(approval, 'approve');
    const isIdle = (json: Readonly<Record<string, unknown>>) => json['status'] === 'idle';
    await stack.until(`/v1/sessions/${sessionId}`, isIdle, FLOOD_TIMEOUT_MS);
    const textKeys = async () => (await stack.entries(sessionId)).map(({ key }) => key).filter((key) => isText(key));
    // Injected texts wake nothing: what is left of them joins the turns of later messages.
    for (let turns = 0; turns < 20 && (await textKeys()).length < count; turns += 1) {
      await stack.send(sessionId, 'good night');
      await stack.until(`/v1/sessions/${sessionId}`, isIdle, FLOOD_TIMEOUT_MS);
    }
    expect(await textKeys()).toHaveLength(count);
    expect(new Set(await textKeys()).size).toBe(count);
    await expectSmallStarts(sessionId);
  },
  FLOOD_TIMEOUT_MS,
);

test.concurrent(
  'twenty messages of a megabyte leave nothing of their size in the history',
  async () => {
    const sessionId = await stack.startSession('list');
    const count = 20;
    for (let index = 0; index < count; index += 1) {
      expect((await stack.send(sessionId, `good morning ${'m'.repeat(1_040_000)}`)).status).toBe(202);
    }
    await stack.untilTurnEnded(sessionId, count + 1, FLOOD_TIMEOUT_MS);
    const bytes = (await runsOf(sessionId)).reduce((sum, { historyBytes }) => sum + historyBytes, 0);
    expect(bytes / count).toBeLessThan(6_000);
  },
  FLOOD_TIMEOUT_MS,
);

import { Gate, gatedTools } from '../../support/gated-tools';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { sqliteRows } from '../../support/sqlite-rows';
import { turnOutcomes } from '../../support/turn-outcomes';
import { waitUntil } from '../../support/wait-until';

/** Where a session is when somebody stops its run, and what the calls of its turn come to. */
const MOMENTS = [
  ['in a model call', []],
  ['while it waits for a decision', ['aborted']],
  ['in a read', ['aborted']],
  ['in a write', ['aborted']],
] as const;
type Moment = (typeof MOMENTS)[number][0];

const gate = new Gate();
let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: gatedTools(gate), sweep: { everyMs: 300, olderThanMs: 1_000 } });
});

afterAll(async () => {
  await stack.stop();
});

/** A session that is in the middle of it; `name` is that of its call. */
async function sessionAt(moment: Moment, name: string): Promise<string> {
  switch (moment) {
    case 'in a model call': {
      const sessionId = await stack.startSession('slow 60');
      await waitUntil(
        async () => (await stack.workflow(sessionId).describe()).raw.pendingActivities ?? [],
        ([activity]) => activity?.lastHeartbeatTime != null,
      );
      return sessionId;
    }
    case 'while it waits for a decision': {
      const sessionId = await stack.startSession(`call pay_blind {"name":"${name}"}`);
      await stack.pending(sessionId);
      return sessionId;
    }
    case 'in a read': {
      const sessionId = await stack.startSession(`call look {"name":"${name}"}`);
      await gate.reached(name);
      return sessionId;
    }
    case 'in a write': {
      const sessionId = await stack.startSession(`call pay_verified {"name":"${name}"}`);
      const [approval] = await stack.pending(sessionId);
      await stack.decide(approval as never, 'approve');
      await gate.reached(name);
      return sessionId;
    }
  }
}

async function expectResults(sessionId: string, statuses: readonly string[]): Promise<void> {
  const results = (await stack.entries(sessionId)).filter((entry) => entry.turn === 1 && entry.type === 'tool.result');
  expect(results.map((entry) => (entry.data as { status: string }).status)).toEqual(statuses);
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
}

function isStopped(sessionId: string): boolean {
  const [row] = sqliteRows(stack.storePath, `select stopped from sessions where session = '${sessionId}'`);
  return row?.['stopped'] === 1;
}

describe('a run that an operator terminates', () => {
  test.concurrent.each(MOMENTS)(
    '%s is left alone by the sweep, and the next message ends its turn as interrupted',
    async (moment, results) => {
      const sessionId = await sessionAt(moment, `terminated ${moment}`);
      await stack.temporalTool('workflow', 'terminate', '--workflow-id', `default/${sessionId}`, '--reason', 'enough');
      await waitUntil(() => isStopped(sessionId), Boolean);
      expect((await stack.workflow(sessionId).describe()).status.name).toBe('TERMINATED');

      await stack.send(sessionId, 'list');
      await stack.untilTurnEnded(sessionId, 2);
      expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['interrupted', 'completed']);
      await expectResults(sessionId, results);
      expect(isStopped(sessionId)).toBe(false);
    },
  );
});

describe('a run that an operator cancels', () => {
  test.concurrent.each(MOMENTS)(
    '%s ends its turn as cancelled and closes, and the next message reopens the session',
    async (moment, results) => {
      const sessionId = await sessionAt(moment, `cancelled ${moment}`);
      await stack.temporalTool('workflow', 'cancel', '--workflow-id', `default/${sessionId}`);
      await waitUntil(
        async () => (await stack.workflow(sessionId).describe()).status.name,
        (status) => status === 'CANCELLED',
      );
      expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['cancelled']);
      await expectResults(sessionId, results);

      await stack.send(sessionId, 'list');
      await stack.untilTurnEnded(sessionId, 2);
      expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['cancelled', 'completed']);
    },
  );

  test.concurrent('while it is idle closes, and the next message reopens the session', async () => {
    const sessionId = await stack.startSession('list');
    await stack.untilTurnEnded(sessionId, 1);
    await stack.temporalTool('workflow', 'cancel', '--workflow-id', `default/${sessionId}`);
    await stack.until(`/v1/sessions/${sessionId}`, (json) => json['status'] === 'closed');
    await stack.send(sessionId, 'list');
    await stack.untilTurnEnded(sessionId, 2);
    expect(turnOutcomes(await stack.entries(sessionId))).toEqual(['completed', 'completed']);
  });
});

test('nothing that was stopped had an effect', () => {
  expect(gate.counts()).toEqual({});
});

import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { countByType, type Pending } from '../../support/api-driver';
import { logFaults } from '../../support/log-faults';
import { RunningStack } from '../../support/running-stack';
import { SmallDisk } from '../../support/small-disk';

/** Longer than any step's own patience (30 s), so that every way of waiting is used. */
const OUTAGE_MS = 45_000;
/** An outage may cost a session this many events; failing local activities alone would write more. */
const MOST_EVENTS = 150;

/** What really happened, by name, and who waits for it to begin. */
class Effects {
  readonly counts: Record<string, number> = {};
  private readonly waiting = new Map<string, () => void>();

  begun(name: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  add(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    this.waiting.get(name)?.();
  }
}

const effects = new Effects();

const pay = defineTool({
  name: 'pay',
  description: 'Counts how often it ran, by name.',
  parameters: z.strictObject({ name: z.string() }),
  effect: 'write',
  timeoutMs: 5_000,
  execute: async ({ name }) => {
    effects.add(name);
    // Long enough for the outage to begin before the result is written.
    await sleep(1_500);
    return 'paid';
  },
});

/** Makes the store refuse to be written, until what it returns is called. */
type BeginOutage = (stack: RunningStack) => () => void;

/** As another program would that works on the file. */
const lockTheFile: BeginOutage = ({ storePath }) => {
  const other = new Database(storePath);
  other.exec('pragma busy_timeout = 5000');
  other.exec('begin exclusive');
  return () => {
    other.exec('rollback');
    other.close();
  };
};

async function runIdOf(stack: RunningStack, sessionId: string): Promise<string> {
  return (await stack.workflow(sessionId).describe()).runId;
}

/**
 * Sessions in each kind of step when the outage begins: a model that is answering, a write in its body, a question whose
 * answer comes as a plain signal meanwhile, and one that is cancelled meanwhile.
 */
async function throughTheOutage(stack: RunningStack, beginOutage: BeginOutage): Promise<void> {
  const writing = await stack.startSession('call pay {"name":"writing"}');
  const [approval] = await stack.pending(writing);
  const deciding = await stack.startSession('call pay {"name":"deciding"}');
  const [question] = await stack.pending(deciding);
  const cancelling = await stack.startSession('call pay {"name":"cancelling"}');
  await stack.pending(cancelling);
  const answering = await stack.startSession('slow 3');
  await stack.until(`/v1/sessions/${answering}/entries?after=0`, (json) =>
    JSON.stringify(json).includes('"request.header"'),
  );
  const begun = effects.begun('writing');
  await stack.decide(approval as never, 'approve');
  await begun;
  const endOutage = beginOutage(stack);
  const endsAtMs = Date.now() + OUTAGE_MS;
  const sessions = [writing, deciding, cancelling, answering];
  const runIds = await Promise.all(sessions.map((sessionId) => runIdOf(stack, sessionId)));
  const { approvalId, argumentsDigest } = question as Pending;
  await stack.workflow(deciding).signal('decide', { approvalId, argumentsDigest, decision: 'approve' });
  await stack.workflow(cancelling).signal('cancelTurn', {});
  const refused = await stack.send(answering, 'list');
  expect([refused.status, refused.json?.['code']]).toEqual([503, 'store_unavailable']);
  // Reads go on.
  expect((await stack.get(`/v1/sessions/${writing}`)).json).toMatchObject({ status: 'running' });
  await sleep(endsAtMs - Date.now());
  for (const sessionId of sessions) {
    expect((await stack.get(`/v1/sessions/${sessionId}`)).json).toMatchObject({ lastTurn: null });
  }
  // A history that had filled would have continued as a new run.
  expect(await Promise.all(sessions.map((sessionId) => runIdOf(stack, sessionId)))).toEqual(runIds);
  endOutage();
  for (const sessionId of sessions) {
    const session = await stack.untilTurnEnded(sessionId, 1, 150_000);
    const outcome = sessionId === cancelling ? 'cancelled' : 'completed';
    expect(session['lastTurn']).toEqual({ turn: 1, outcome });
    expect(logFaults(stack.storePath, sessionId)).toEqual([]);
    expect((await stack.workflow(sessionId).describe()).historyLength).toBeLessThan(MOST_EVENTS);
  }
  expect(effects.counts).toEqual({ writing: 1, deciding: 1 });
  const entries = await stack.entries(answering);
  expect(countByType(entries)).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
  expect(countByType(await stack.entries(writing))).toMatchObject({ 'tool.started': 1, 'tool.result': 1 });
  expect((await stack.send(answering, 'list')).status).toBe(202);
  expect((await stack.untilTurnEnded(answering, 2))['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
}

afterEach(() => {
  for (const name of Object.keys(effects.counts)) {
    delete effects.counts[name];
  }
});

test('a store that another program locks for long costs nothing: every step waits, and none is done twice', async () => {
  // Active time that an outage of this length would use up, if it counted.
  const stack = await RunningStack.start({ tools: [pay], limits: { activeMsPerTurn: 20_000 } });
  try {
    await throughTheOutage(stack, lockTheFile);
  } finally {
    await stack.stop();
  }
}, 300_000);

test('a full disk costs nothing: when there is space again, every step goes on, and none is done twice', async () => {
  const disk = new SmallDisk();
  const stack = await RunningStack.start({
    tools: [pay],
    storeFolder: disk.folder,
    wrapStore: (store) => disk.wrap(store),
    limits: { activeMsPerTurn: 20_000 },
  });
  try {
    await throughTheOutage(stack, () => {
      disk.fill();
      return () => disk.empty();
    });
  } finally {
    await stack.stop();
    disk.dispose();
  }
}, 300_000);

import { setTimeout as sleep } from 'node:timers/promises';
import { countByType } from '../support/api-driver';
import { CrashSite } from '../support/crash/crash-site';
import { temporaryFolders } from '../support/dev/temporary-folders';
import { OwnTemporalServer } from '../support/own-temporal-server';

const newFolder = temporaryFolders();
const ACTIVE_MS = 6_000;
const NIGHT_MS = 12_000;
/** Longer than the heartbeat timeout: the server gives up the attempt it finds in the morning. */
const LONG_NIGHT_MS = 18_000;

/** Runs a test on a site with a Temporal server of its own, which can be frozen with everything else. */
async function withOwnServer(run: (site: CrashSite, temporal: OwnTemporalServer) => Promise<void>): Promise<void> {
  const temporal = await OwnTemporalServer.start(newFolder());
  const site = new CrashSite(temporal.server.address);
  try {
    await run(site, temporal);
  } finally {
    await site.dispose();
    await temporal.stop();
  }
}

test.concurrent.each([NIGHT_MS, LONG_NIGHT_MS])(
  'everything sleeps for %d ms in the middle of a model call, longer than the active time of its turn: the turn goes on',
  (nightMs) =>
    withOwnServer(async (site, temporal) => {
      const holdpoint = await site.startProcess(undefined, { activeMsPerTurn: ACTIVE_MS });
      const sessionId = await site.startSession('slow 3');
      await site.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
        JSON.stringify(json).includes('"request.header"'),
      );
      holdpoint.signal('SIGSTOP');
      process.kill(temporal.server.pid(), 'SIGSTOP');
      await sleep(nightMs);
      process.kill(temporal.server.pid(), 'SIGCONT');
      holdpoint.signal('SIGCONT');
      const session = await site.untilTurnEnded(sessionId, 1, 120_000);
      expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
      expect(countByType(await site.wireEntries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
      expect(site.logFaults(sessionId)).toEqual([]);
    }),
  240_000,
);

test.concurrent.each(['pay_verified', 'pay_once'])(
  'everything sleeps in the body of a write, longer than the active time of its turn: %s happens once, and the turn goes on',
  (kind) =>
    withOwnServer(async (site, temporal) => {
      const holdpoint = await site.startProcess(undefined, { activeMsPerTurn: ACTIVE_MS });
      const sessionId = await site.pay(kind, 'asleep', 0, 2_000);
      const [approval] = await site.pending(sessionId);
      await site.decide(approval as never, 'approve');
      await site.until('/healthz', () => site.target.counts()['asleep'] === 1);
      holdpoint.signal('SIGSTOP');
      process.kill(temporal.server.pid(), 'SIGSTOP');
      await sleep(NIGHT_MS);
      process.kill(temporal.server.pid(), 'SIGCONT');
      holdpoint.signal('SIGCONT');
      await site.decideUntilDone([sessionId]);
      expect((await site.get(`/v1/sessions/${sessionId}`)).json?.['lastTurn']).toEqual({
        turn: 1,
        outcome: 'completed',
      });
      expect(site.target.counts()).toEqual({ asleep: 1 });
      expect(site.logFaults(sessionId)).toEqual([]);
    }),
  240_000,
);

test.concurrent(
  'a Temporal server killed while a write runs is started again, and the write happens once',
  () =>
    withOwnServer(async (site, temporal) => {
      await site.startProcess();
      const sessionId = await site.pay('pay_blind', 'alone', 0, 2_000);
      const [approval] = await site.pending(sessionId);
      await site.decide(approval as never, 'approve');
      await site.until('/healthz', () => site.target.counts()['alone'] === 1);
      process.kill(temporal.server.pid(), 'SIGKILL');
      await site.decideUntilDone([sessionId]);
      expect(site.target.counts()).toEqual({ alone: 1 });
      expect(countByType(await site.wireEntries(sessionId))).toMatchObject({ 'tool.started': 1, 'tool.result': 1 });
      expect(site.logFaults(sessionId)).toEqual([]);
    }),
  240_000,
);

test.concurrent(
  'a turn cancelled after the process that ran its write had died is settled by what the target says',
  () =>
    withOwnServer(async (site) => {
      const first = await site.startProcess('after-effect:1:SIGKILL');
      const died = first.untilGone();
      const sessionId = await site.pay('pay_verified', 'cancelled');
      const [approval] = await site.pending(sessionId);
      await site.decide(approval as never, 'approve').catch(() => undefined);
      await died;
      await site.startProcess();
      expect((await site.post(`/v1/sessions/${sessionId}/cancel`, {})).status).toBe(202);
      const session = await site.untilTurnEnded(sessionId, 1, 120_000);
      expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'cancelled' });
      expect(site.target.counts()).toEqual({ cancelled: 1 });
      const results = (await site.wireEntries(sessionId)).filter((entry) => entry.type === 'tool.result');
      expect(results.map((entry) => entry.data['status'])).toEqual(['success']);
      expect(site.logFaults(sessionId)).toEqual([]);
    }),
  240_000,
);

import { countByType } from '../support/api-driver';
import { resultStatuses, withSite } from '../support/crash/crash-site';
import type { TrapPoint } from '../support/crash/trap';
import { temporaryFolders } from '../support/dev/temporary-folders';
import { OwnTemporalServer } from '../support/own-temporal-server';

const newFolder = temporaryFolders();

let temporal: OwnTemporalServer;

beforeAll(async () => {
  temporal = await OwnTemporalServer.start(newFolder());
});

afterAll(async () => {
  await temporal.stop();
});

/**
 * A process that freezes at a point while another one takes its work over, and then goes on as if nothing had happened.
 * `inside` the body only the target can stop a second effect, so there only the kind whose target can is tried.
 */
test.concurrent.each([
  ['before-reply', ['pay_verified', 'pay_blind', 'pay_once']],
  ['after-reply', ['pay_verified', 'pay_blind', 'pay_once']],
  ['before-begin', ['pay_verified', 'pay_blind', 'pay_once']],
  ['after-begin', ['pay_verified', 'pay_once']],
  ['in-body', ['pay_once']],
  ['after-effect', ['pay_verified', 'pay_blind', 'pay_once']],
  ['before-result', ['pay_verified', 'pay_blind', 'pay_once']],
  ['after-result', ['pay_verified', 'pay_blind', 'pay_once']],
] satisfies [TrapPoint, string[]][])(
  'frozen %s and thawed after another took over, a zombie changes nothing (%j)',
  (point, kinds) =>
    withSite(temporal, async (site) => {
      const zombie = await site.startProcess(`${point}:${kinds.length}:SIGSTOP`);
      const trapped = zombie.trapped();
      const sessions = await Promise.all(kinds.map((kind) => site.pay(kind, kind)));
      if (!point.endsWith('-reply')) {
        for (const sessionId of sessions) {
          const [approval] = await site.pending(sessionId);
          void site.decide(approval as never, 'approve').catch(() => undefined);
        }
      }
      await trapped;
      await site.startProcess();
      await site.decideUntilDone(sessions);
      const before = await Promise.all(sessions.map((sessionId) => site.wireEntries(sessionId)));
      await zombie.thawAndStop();
      expect(site.target.counts()).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 1])));
      for (const [index, sessionId] of sessions.entries()) {
        const after = await site.wireEntries(sessionId);
        expect(after.slice(0, before[index]?.length)).toEqual(before[index]);
        // The one thing a zombie may add is what it knows of its own try.
        const added = after.slice(before[index]?.length).map((entry) => entry.type);
        expect(added.filter((type) => type !== 'tool.late_result' && type !== 'tool.not_run')).toEqual([]);
        expect(countByType(after)).toMatchObject({ 'model.reply': 2, 'turn.ended': 1 });
        expect(site.logFaults(sessionId)).toEqual([]);
      }
    }),
  240_000,
);

test.concurrent(
  'a write that a frozen process finishes while a human is asked about it is kept as a late result',
  () =>
    withSite(temporal, async (site) => {
      const zombie = await site.startProcess('in-body:1:SIGSTOP');
      const trapped = zombie.trapped();
      const sessionId = await site.pay('pay_blind', 'late');
      const [approval] = await site.pending(sessionId);
      void site.decide(approval as never, 'approve').catch(() => undefined);
      await trapped;
      await site.startProcess();
      await site.until('/v1/approvals?status=pending', (json) => JSON.stringify(json).includes('"outcome"'), 150_000);
      await zombie.thawAndStop();
      expect(site.target.counts()).toEqual({ late: 1 });
      await site.decideUntilDone([sessionId]);
      expect(site.target.counts()).toEqual({ late: 1 });
      const entries = await site.wireEntries(sessionId);
      expect(resultStatuses(entries)).toEqual(['success']);
    }),
  240_000,
);

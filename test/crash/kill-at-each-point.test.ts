import { countByType } from '../support/api-driver';
import { withSite } from '../support/crash/crash-site';
import { TRAP_POINTS } from '../support/crash/trap';
import { temporaryFolders } from '../support/dev/temporary-folders';
import { OwnTemporalServer } from '../support/own-temporal-server';

const newFolder = temporaryFolders();
const KINDS = ['pay_verified', 'pay_blind', 'pay_once'] as const;

let temporal: OwnTemporalServer;

beforeAll(async () => {
  temporal = await OwnTemporalServer.start(newFolder());
});

afterAll(async () => {
  await temporal.stop();
});

/**
 * A process that dies at each point in the life of a reply or a write, with three kinds of writes at that very point.
 * The next process goes on from what is stored; a human answers for the one kind that nobody can verify.
 */
test.concurrent.each(TRAP_POINTS)(
  'killed %s, every write still happens exactly once',
  (point) =>
    withSite(temporal, async (site) => {
      const first = await site.startProcess(`${point}:${KINDS.length}:SIGKILL`);
      const sessions = await Promise.all(KINDS.map((kind) => site.pay(kind, kind)));
      const died = first.untilGone();
      if (!point.endsWith('-reply')) {
        for (const sessionId of sessions) {
          const [approval] = await site.pending(sessionId);
          await site.decide(approval as never, 'approve').catch(() => undefined);
        }
      }
      await died;
      await site.startProcess();
      await site.decideUntilDone(sessions);
      expect(site.target.counts()).toEqual({ pay_verified: 1, pay_blind: 1, pay_once: 1 });
      expect(sessions.flatMap((sessionId) => site.logFaults(sessionId))).toEqual([]);
      for (const sessionId of sessions) {
        expect(countByType(await site.wireEntries(sessionId))).toMatchObject({ 'model.reply': 2, 'turn.ended': 1 });
      }
    }),
  240_000,
);

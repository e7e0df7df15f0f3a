import { setTimeout as sleep } from 'node:timers/promises';
import { countByType } from '../support/api-driver';
import { type CrashSite, withSite } from '../support/crash/crash-site';
import { temporaryFolders } from '../support/dev/temporary-folders';
import { OwnTemporalServer } from '../support/own-temporal-server';
import { seededRandom } from '../support/seeded-random';

/** For longer runs: `HOLDPOINT_TEST_KILLS=100 HOLDPOINT_TEST_SEED=7 npm test -- --selectProjects crash -t random`. */
const KILLS = Number(process.env['HOLDPOINT_TEST_KILLS'] ?? 10);
const SEED = Number(process.env['HOLDPOINT_TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000));

const KINDS = ['pay_verified', 'pay_blind', 'pay_once'] as const;
const SESSIONS_PER_LIFE = 3;
const LONGEST_LIFE_MS = 4_000;
const LONGEST_BODY_MS = 400;

const newFolder = temporaryFolders();
let temporal: OwnTemporalServer;

beforeAll(async () => {
  temporal = await OwnTemporalServer.start(newFolder());
});

afterAll(async () => {
  await temporal.stop();
});

/** One life of the process: new payments are asked for and decided until it is killed. Returns the sessions. */
async function liveUntilKilled(site: CrashSite, random: () => number, life: number): Promise<readonly string[]> {
  const process = await site.startProcess();
  const killed = sleep(random() * LONGEST_LIFE_MS).then(() => process.kill());
  const sessions: string[] = [];
  for (let index = 0; index < SESSIONS_PER_LIFE; index += 1) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'pay_once';
    const sessionId = `life-${life}-${index}`;
    const [beforeMs, afterMs] = [random() * LONGEST_BODY_MS, random() * LONGEST_BODY_MS].map(Math.floor);
    // What was not accepted was not promised; the same session id makes a repeat harmless.
    const accepted = await site.payAs(sessionId, kind, sessionId, beforeMs, afterMs).catch(() => false);
    if (accepted) {
      sessions.push(sessionId);
    }
  }
  await site.decideUntilDone(sessions, LONGEST_LIFE_MS).catch(() => undefined);
  await killed;
  return sessions;
}

test(
  `random kills: after ${KILLS}, every accepted payment happened exactly once (seed ${SEED})`,
  async () => {
    await withSite(temporal, async (site) => {
      const random = seededRandom(SEED);
      const sessions: string[] = [];
      for (let life = 0; life < KILLS; life += 1) {
        sessions.push(...(await liveUntilKilled(site, random, life)));
      }
      await site.startProcess();
      await site.decideUntilDone(sessions, 180_000);
      expect(sessions.length).toBeGreaterThan(KILLS / 2);
      const counts = site.target.counts();
      expect(Object.fromEntries(sessions.map((name) => [name, counts[name]]))).toEqual(
        Object.fromEntries(sessions.map((name) => [name, 1])),
      );
      expect(Object.values(counts).every((count) => count === 1)).toBe(true);
      expect(sessions.flatMap((sessionId) => site.logFaults(sessionId))).toEqual([]);
      for (const sessionId of sessions) {
        expect(countByType(await site.wireEntries(sessionId))).toMatchObject({ 'model.reply': 2, 'turn.ended': 1 });
      }
    });
  },
  300_000 + KILLS * 15_000,
);

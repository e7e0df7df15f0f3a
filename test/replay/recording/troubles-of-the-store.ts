import Database from 'libsql';
import type { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';
import { playToQuestion, playTurn } from './play-turn';
import type { ScenarioGroup } from './turn-scenario';

/** A step waits for the store by itself for half a minute, then the workflow waits, longer each time. */
const OUTAGE_DEADLINE_MS = 180_000;

async function timersFired(stack: RunningStack, sessionId: string): Promise<number> {
  const { events } = await stack.workflow(sessionId).fetchHistory();
  return (events ?? []).filter((event) => event.timerFiredEventAttributes).length;
}

/** A store that can't be written for a while, and one that has lost what Temporal knows of. */
export const TROUBLES_OF_THE_STORE: ScenarioGroup = {
  options: {},
  scenarios: {
    'store-outage': async (stack) => {
      const { sessionId, approval } = await playToQuestion(stack, 'write outage.txt: one');
      const other = new Database(stack.storePath);
      other.exec('pragma busy_timeout = 5000');
      other.exec('begin exclusive');
      const { approvalId, argumentsDigest } = approval;
      await stack.workflow(sessionId).signal('decide', { approvalId, argumentsDigest, decision: 'approve' });
      await waitUntil(
        () => timersFired(stack, sessionId),
        (timers) => timers >= 2,
        OUTAGE_DEADLINE_MS,
      );
      other.exec('rollback');
      other.close();
      await stack.untilTurnEnded(sessionId, 1);
      return { sessionId };
    },
    'blocked-session': async (stack) => {
      const { sessionId } = await playTurn(stack, 'list');
      const database = new Database(stack.storePath);
      database.exec('pragma busy_timeout = 5000');
      // As an older copy of the store would be.
      database.prepare('delete from entries where session = ? and seq > 3').run(sessionId);
      database
        .prepare(
          'update sessions set last_seq = 3, last_digest = (select digest from entries where session = ? and seq = 3) where session = ?',
        )
        .run(sessionId, sessionId);
      database.close();
      await stack.send(sessionId, 'good morning');
      await stack.until(`/v1/sessions/${sessionId}`, (json) => json['status'] === 'blocked');
      return { sessionId };
    },
  },
};

import { type Entry, type LogPosition, laterPosition } from '../core/entries';
import type { SessionKey } from '../core/ids';
import type { AppendBatch, Appended, RunFence, WorkerStore } from '../core/ports/worker-store';
import type { ActivityDependencies } from './activity-dependencies';
import type { ActivitySession } from './activity-session';
import { retryOutage } from './retry-outage';
import { withRunFence } from './run-fence';

/** The log of one session as one activity attempt works with it: fenced, patient in outages, aware of where it stands. */
export interface SessionLog {
  readonly key: SessionKey;
  /** The furthest place of the log this attempt has seen or was told about. */
  last(): LogPosition | undefined;
  /** The same; the empty place before the first entry while nothing was seen. */
  lastSeen(): LogPosition;
  /** Notes an entry that was read. */
  saw(entry: Entry): void;
  /** Runs a writing operation of the store, and says on the feed that something was committed. */
  write<Result extends { readonly last?: LogPosition | undefined }>(
    operation: (store: WorkerStore, fence: RunFence) => Promise<Result>,
  ): Promise<Result>;
  /** Writes a batch, `at` the clock's time. */
  append(batch: Omit<AppendBatch, 'at'>): Promise<Appended>;
  read<Result>(operation: (store: WorkerStore, key: SessionKey) => Promise<Result>): Promise<Result>;
  readEntry(entryKey: string): Promise<Entry | undefined>;
  /** The stored ones among some entries, by their keys, in one look. */
  readEntriesOf(entryKeys: readonly string[]): Promise<ReadonlyMap<string, Entry>>;
  /** Milliseconds this attempt has spent waiting for a store or a Temporal that could not be asked. */
  waitedMs(): number;
  /** The same log with another patience, for what must not be lost. */
  withPatience(patienceMs: number): SessionLog;
}

/** Characters of a digest that a position needs: 132 bits tell two logs apart, and Temporal's history stays small. */
const POSITION_CHARACTERS = 22;

type LogDependencies = Pick<ActivityDependencies, 'store' | 'temporal' | 'clock' | 'feed'>;

/** How long an operation that starts now repeats while the store can't be asked, in milliseconds. */
export type Patience = () => number;

/** @param patience Asked anew for each operation, so that a short activity can bound all of them together. */
export function openSessionLog(
  dependencies: LogDependencies,
  session: ActivitySession,
  last: LogPosition | undefined,
  patience: Patience,
): SessionLog {
  return logWith(dependencies, session, { position: last, waitedMs: 0 }, patience);
}

/** Where an attempt stands; shared by its logs of different patience. */
interface Standing {
  position: LogPosition | undefined;
  waitedMs: number;
}

function logWith(
  dependencies: LogDependencies,
  session: ActivitySession,
  standing: Standing,
  patience: Patience,
): SessionLog {
  const { store, feed } = dependencies;
  const move = (seen: LogPosition | undefined): void => {
    standing.position = laterPosition(standing.position, seen);
  };
  const patiently = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
    const startMs = performance.now();
    let tries = 0;
    try {
      return await retryOutage(() => {
        tries += 1;
        return operation();
      }, patience());
    } finally {
      standing.waitedMs += tries > 1 ? performance.now() - startMs : 0;
    }
  };
  const log: SessionLog = {
    key: session.key,
    last: () => standing.position,
    lastSeen: () => standing.position ?? [0, ''],
    saw: (entry) => move([entry.seq, entry.digest.slice(0, POSITION_CHARACTERS)]),
    write: async (operation) => {
      const result = await patiently(() =>
        withRunFence(dependencies, session, standing.position, (fence) => operation(store, fence)),
      );
      move(result.last);
      feed.publish({ ...session.key, type: 'committed' });
      return result;
    },
    append: async (batch) => {
      const at = await isoNow(dependencies);
      return log.write((_store, fence) => store.append(fence, { ...batch, at }));
    },
    read: (operation) => patiently(() => operation(store, session.key)),
    readEntry: async (entryKey) => (await log.readEntriesOf([entryKey])).get(entryKey),
    readEntriesOf: async (entryKeys) => {
      const entries = await log.read(() => store.readEntriesOf(session.key, entryKeys));
      for (const entry of entries.values()) {
        log.saw(entry);
      }
      return entries;
    },
    waitedMs: () => standing.waitedMs,
    withPatience: (otherMs) => logWith(dependencies, session, standing, () => otherMs),
  };
  return log;
}

/** The clock's time as it is written into entries. */
export async function isoNow({ clock }: Pick<ActivityDependencies, 'clock'>): Promise<string> {
  return new Date(await clock.nowMs()).toISOString();
}

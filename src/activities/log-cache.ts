import type { Entry, LogPosition } from '../core/entries';
import { type SessionKey, workflowIdOf } from '../core/ids';
import type { SessionLog } from './session-log';

const PAGE_ENTRIES = 500;
const DEFAULT_MAX_CHARACTERS = 64 * 1024 * 1024;

interface CachedLog {
  readonly entries: readonly Entry[];
  readonly characters: number;
}

/** The logs a worker read last, so that a round reads what is new and not the whole session again. */
export interface LogCache {
  /** The whole log up to now, ascending. Rejects with what the store throws, and forgets the session then. */
  read(log: SessionLog): Promise<readonly Entry[]>;
  forget(key: SessionKey): void;
}

/** @param maxCharacters Size of all cached entries as JSON; the sessions read longest ago go first. Default 64 Mi. */
export function createLogCache(maxCharacters = DEFAULT_MAX_CHARACTERS): LogCache {
  const logs = new Map<string, CachedLog>();
  const forget = (key: SessionKey): void => {
    logs.delete(workflowIdOf(key));
  };
  const keep = (key: SessionKey, cached: CachedLog): void => {
    forget(key);
    logs.set(workflowIdOf(key), cached);
    let total = [...logs.values()].reduce((sum, { characters }) => sum + characters, 0);
    for (const [oldest, { characters }] of logs) {
      if (total <= maxCharacters) {
        break;
      }
      logs.delete(oldest);
      total -= characters;
    }
  };
  return {
    forget,
    async read(log) {
      const known = logs.get(workflowIdOf(log.key));
      try {
        let cached = await readOn(log, known ?? { entries: [], characters: 0 });
        if (known !== undefined && !agrees(cached.entries, log.last())) {
          // Another history lies under this session now, for example a restored database.
          cached = await readOn(log, { entries: [], characters: 0 });
        }
        keep(log.key, cached);
        const newest = cached.entries.at(-1);
        if (newest !== undefined) {
          log.saw(newest);
        }
        return cached.entries;
      } catch (error) {
        forget(log.key);
        throw error;
      }
    },
  };
}

async function readOn(log: SessionLog, known: CachedLog): Promise<CachedLog> {
  const entries = [...known.entries];
  let characters = known.characters;
  for (;;) {
    const after = entries.at(-1)?.seq ?? 0;
    const page = await log.read((store, key) => store.readEntries(key, after, PAGE_ENTRIES));
    entries.push(...page);
    characters += page.reduce((sum, entry) => sum + JSON.stringify(entry.data).length, 0);
    if (page.length < PAGE_ENTRIES) {
      return { entries, characters };
    }
  }
}

/** Whether a log holds the place in it that somebody saw. */
function agrees(entries: readonly Entry[], last: LogPosition | undefined): boolean {
  if (last === undefined) {
    return true;
  }
  const [seq, digest] = last;
  return seq === 0 || entries[seq - 1]?.digest.startsWith(digest) === true;
}

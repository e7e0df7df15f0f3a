import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { HoldpointError } from '../core/errors';
import { processIsRunning } from './process-is-running';
import { readJsonFile } from './read-json-file';
import { folderNotWritable, openStateFolder, type StateFolder } from './state-folder';
import { writeJsonFile } from './write-json-file';

/** A killed holder's lock is free after about 0.3 s, and a new holder writes its name a moment after it has the lock. */
const PATIENCE_MS = 1_000;
const RETRY_INTERVAL_MS = 50;

/** The right to be the one holdpoint on a state folder, until `release` or the end of the process, however it ends. */
export interface FolderLock {
  readonly folder: StateFolder;
  /** Tells others where this holdpoint answers; they read it when they find the folder in use. */
  announce(url: string): void;
  /** Gives the folder free. A second call does nothing. */
  release(): void;
}

/** The databases of held locks; without this the garbage collector could close one and so give its lock free. */
const heldDatabases = new Set<Database.Database>();

/**
 * Makes the state folder where it is missing and locks it with an exclusive SQLite transaction on `lock.db`.
 *
 * Never read or open `lock.db` in any other way: closing any file handle on it drops this process's lock.
 *
 * @param patienceMs How long a held lock is asked for again.
 *
 * Throws `folder_in_use` (details: `folder` and, where known, `pid`, `startedAt`, `url` of the holder) after that time,
 * `folder_not_writable` at once.
 */
export async function acquireFolderLock(folder: string, patienceMs: number = PATIENCE_MS): Promise<FolderLock> {
  const state = openStateFolder(folder);
  const database = await beginExclusive(state, patienceMs);
  heldDatabases.add(database);
  const owner = { pid: process.pid, startedAt: new Date().toISOString() };
  const release = () => {
    if (heldDatabases.delete(database)) {
      rmSync(state.ownerFile, { force: true });
      database.close();
    }
  };
  try {
    writeJsonFile(state.ownerFile, owner);
  } catch (error) {
    release();
    throw folderNotWritable(folder, error);
  }
  return {
    folder: state,
    announce: (url) => {
      if (heldDatabases.has(database)) {
        writeJsonFile(state.ownerFile, { ...owner, url });
      }
    },
    release,
  };
}

async function beginExclusive(state: StateFolder, patienceMs: number): Promise<Database.Database> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const database = tryBeginExclusive(state);
    if (database !== null) {
      return database;
    }
    if (performance.now() >= giveUpAt) {
      throw folderInUse(state);
    }
    await sleep(RETRY_INTERVAL_MS);
  }
}

/** Null when another connection holds the lock. */
function tryBeginExclusive(state: StateFolder): Database.Database | null {
  let database: Database.Database | undefined;
  try {
    database = new Database(state.lockDatabase, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') {
      return null;
    }
    throw folderNotWritable(state.path, error);
  }
}

function folderInUse(state: StateFolder): HoldpointError {
  const { pid, startedAt, url } = readJsonFile(state.ownerFile) ?? {};
  // A dead process's name means that the holder has not written its own yet.
  const holder =
    typeof pid === 'number' && typeof startedAt === 'string' && processIsRunning(pid)
      ? { pid, startedAt, ...(typeof url === 'string' ? { url } : {}) }
      : null;
  const who =
    holder === null
      ? 'another process'
      : `process ${holder.pid} since ${holder.startedAt}${holder.url === undefined ? '' : ` (${holder.url})`}`;
  return new HoldpointError('folder_in_use', `the state folder ${state.path} is in use by holdpoint, ${who}`, {
    folder: state.path,
    ...holder,
  });
}

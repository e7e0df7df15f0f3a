import { accessSync, constants, existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldpointError } from '../core/errors';
import { failureReason } from './failure-reason';
import { makeFolder } from './make-folder';

/** Where things lie in a state folder. Only the holder of `lock.db` may write to any other file. */
export interface StateFolder {
  /** Absolute and free of links, so that two spellings of a folder are one folder. */
  readonly path: string;
  readonly lockDatabase: string;
  /** Who holds the lock; information, not the lock. */
  readonly ownerFile: string;
  /** The Temporal server that runs on this folder. */
  readonly serverFile: string;
  readonly temporalDatabase: string;
  readonly temporalLog: string;
}

/**
 * Makes the state folder where it is missing (readable by its user only, kept out of git) and checks that it may be
 * written. Throws `folder_not_writable`.
 */
export function openStateFolder(folder: string): StateFolder {
  try {
    makeFolder(folder);
    const path = realpathSync(folder);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const paths = statePaths(path);
    if (existsSync(paths.lockDatabase)) {
      // An exclusive transaction on a file that may only be read takes no lock and says nothing.
      accessSync(paths.lockDatabase, constants.R_OK | constants.W_OK);
    }
    const ignoreFile = join(path, '.gitignore');
    if (!existsSync(ignoreFile)) {
      writeFileSync(ignoreFile, '*\n');
    }
    return paths;
  } catch (error) {
    throw folderNotWritable(folder, error);
  }
}

function statePaths(path: string): StateFolder {
  return {
    path,
    lockDatabase: join(path, 'lock.db'),
    ownerFile: join(path, 'owner.json'),
    serverFile: join(path, 'server.json'),
    temporalDatabase: join(path, 'temporal.db'),
    temporalLog: join(path, 'temporal.log'),
  };
}

/** The `folder_not_writable` error for a state folder; its message is one line. */
export function folderNotWritable(folder: string, error: unknown): HoldpointError {
  const message = `the state folder ${folder} cannot be written: ${failureReason(error)}`;
  return new HoldpointError('folder_not_writable', message, { folder }, { cause: error });
}

import { errorCodeOf } from '../../../src/core/errors';
import { acquireFolderLock } from '../../../src/dev/folder-lock';

/** Run as a process of its own: locks the folder named by the first argument, says what came of it, and stays. */
async function holdFolder(): Promise<void> {
  try {
    await acquireFolderLock(process.argv[2] ?? '');
    process.stdout.write('held\n');
    setInterval(() => undefined, 60_000);
  } catch (error) {
    process.stdout.write(`${errorCodeOf(error)}\n`);
  }
}

void holdFolder();

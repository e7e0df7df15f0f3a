import { readCommandLine } from './process-command-line';

/** True while a process with this id runs. One that is dead and not yet collected by its parent does not run. */
export function processIsRunning(pid: number): boolean {
  if (process.platform === 'linux') {
    return readCommandLine(pid) !== null;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

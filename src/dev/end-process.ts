import { setTimeout as sleep } from 'node:timers/promises';
import { processIsRunning } from './process-is-running';

const CHECK_INTERVAL_MS = 25;
/** How long the operating system may take to remove a process after SIGKILL. */
const KILL_WAIT_MS = 5_000;

/**
 * Ends a process that leads its own group, and the group: SIGTERM, and SIGKILL when it is not gone after `graceMs`.
 * Returns when it is gone. The caller has made sure that the process is the one it means. Throws an Error when it
 * outlives even SIGKILL (a process stuck in the kernel).
 */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  if (await isGone(pid, graceMs)) {
    return;
  }
  signalGroup(pid, 'SIGKILL');
  if (!(await isGone(pid, KILL_WAIT_MS))) {
    throw new Error(`process ${pid} is still there ${KILL_WAIT_MS} ms after SIGKILL`);
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already, or no group of that name.
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
  }
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (processIsRunning(pid)) {
    if (performance.now() >= giveUpAt) {
      return false;
    }
    await sleep(CHECK_INTERVAL_MS);
  }
  return true;
}

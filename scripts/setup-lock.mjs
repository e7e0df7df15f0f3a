import { closeSync, openSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 2_000;
const STALE_MS = 20_000;
const POLL_MS = 200;

/** A holder that was killed leaves its file behind; it no longer beats, so the file's time stands still. */
function takeAwayStaleLock(lockFile) {
  const found = statSync(lockFile, { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.mtimeMs < STALE_MS) return;
  const takenAway = `${lockFile}.${process.pid}`;
  try {
    // A rename succeeds for one process only, so two that wait cannot both take the same file away.
    renameSync(lockFile, takenAway);
    rmSync(takenAway, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function tryToTake(lockFile) {
  try {
    closeSync(openSync(lockFile, 'wx'));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Runs `work` while no other process of this checkout is inside: two starts on a fresh clone would otherwise install
 * into the same folder at once. Waits as long as the holder lives.
 * @template T
 * @param {string} lockFile
 * @param {() => void} sayWaiting called once when another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSetupLock(lockFile, sayWaiting, work) {
  let hasSaid = false;
  while (!tryToTake(lockFile)) {
    if (!hasSaid) sayWaiting();
    hasSaid = true;
    takeAwayStaleLock(lockFile);
    await sleep(POLL_MS);
  }
  const beat = setInterval(() => utimesSync(lockFile, new Date(), new Date()), BEAT_MS);
  const leave = () => rmSync(lockFile, { force: true });
  process.once('exit', leave);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off('exit', leave);
    leave();
  }
}

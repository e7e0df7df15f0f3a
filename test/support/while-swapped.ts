import { Worker } from 'node:worker_threads';

/** What is swapped, all absolute and on one disk. */
export interface Swap {
  readonly path: string;
  /** Where it goes meanwhile. */
  readonly aside: string;
  /** What takes its place: a link that leads to `target`, or another name of it. */
  readonly standIn: 'link' | 'hard link';
  readonly target: string;
}

/**
 * Runs while a thread of its own swaps a file or folder for its stand-in and back, as fast as it can. `run` is told how
 * often that was until now.
 */
export async function whileSwapped(swap: Swap, run: (swaps: () => number) => Promise<void>): Promise<void> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SWAPPER, { eval: true, workerData: { ...swap, shared } });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject).once('exit', () => resolve());
  });
  try {
    await run(() => Atomics.load(shared, 1));
  } finally {
    Atomics.store(shared, 0, 1);
    await ended;
  }
}

/** A write may make what it does not find. That is in the way, and removed, also while the write goes on. */
const SWAPPER = `
const { linkSync, renameSync, rmSync, symlinkSync } = require('node:fs');
const { path, aside, standIn, target, shared } = require('node:worker_threads').workerData;
const put = standIn === 'link' ? symlinkSync : linkSync;
function succeeds(step) {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
const isRunning = () => Atomics.load(shared, 0) === 0;
const clear = () => succeeds(() => rmSync(path, { recursive: true, force: true }));
while (isRunning()) {
  if (succeeds(() => renameSync(path, aside))) {
    while (isRunning() && !succeeds(() => put(target, path))) clear();
    clear();
    while (isRunning() && !succeeds(() => renameSync(aside, path))) clear();
    Atomics.add(shared, 1, 1);
  }
}
`;

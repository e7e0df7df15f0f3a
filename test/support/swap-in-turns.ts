import { Worker } from 'node:worker_threads';

/** Two things that take the same name in turns; all paths absolute and on one disk. */
export interface Turns {
  readonly path: string;
  /** Where what is at `path` goes meanwhile. */
  readonly aside: string;
  /** Where the stand-in lies that takes its place: a link, another name of a file, a pipe. */
  readonly standIn: string;
}

/** Runs while a thread of its own puts the stand-in in place and back, as fast as it can. Returns how often it did. */
export async function whileTakingTurns(turns: Turns, run: () => Promise<void>): Promise<number> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SWAPPER, { eval: true, workerData: { ...turns, shared } });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject).once('exit', () => resolve());
  });
  try {
    await run();
  } finally {
    Atomics.store(shared, 0, 1);
    await ended;
  }
  return Atomics.load(shared, 1);
}

const SWAPPER = `
const { renameSync } = require('node:fs');
const { path, aside, standIn, shared } = require('node:worker_threads').workerData;
while (Atomics.load(shared, 0) === 0) {
  renameSync(path, aside);
  renameSync(standIn, path);
  renameSync(path, standIn);
  renameSync(aside, path);
  Atomics.add(shared, 1, 1);
}
`;

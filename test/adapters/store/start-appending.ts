import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { StoreSettings } from '../../../src/adapters/store/open-store';
import type { RunFence } from '../../../src/core/ports/worker-store';

/** A running `appending-process`. */
export interface Appending {
  readonly process: ChildProcess;
  /** Sequences the store has acknowledged to it, as they come. */
  readonly acknowledged: readonly number[];
  /** What it printed to standard error. */
  errors(): string;
  /** Resolves when that many were acknowledged. */
  reaches(count: number): Promise<void>;
  /** Resolves when it has ended and all it printed was read: exit code and signal. */
  ended(): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

/**
 * Starts a process that appends `count` messages.
 * @param fileBlocks Largest file it may write, in blocks of 512 bytes: a disk that is full.
 */
export function startAppending(
  settings: StoreSettings,
  fence: RunFence,
  prefix: string,
  count: number,
  fileBlocks?: number,
): Appending {
  const script = join(__dirname, 'appending-process.ts');
  const node = [process.execPath, '--require', 'tsx/cjs', script];
  const own = [JSON.stringify(settings), JSON.stringify(fence), prefix, String(count)];
  const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks}; `;
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$@"`, 'sh', ...node, ...own], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const acknowledged: number[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => acknowledged.push(Number(line)));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    process: child,
    acknowledged,
    errors: () => errors,
    reaches: async (wanted) => {
      while (acknowledged.length < wanted) {
        await Promise.race([once(lines, 'line'), closed]);
        if (child.exitCode !== null && acknowledged.length < wanted) {
          throw new Error(`It ended after ${acknowledged.length}: ${errors}`);
        }
      }
    },
    ended: async () => closed,
  };
}

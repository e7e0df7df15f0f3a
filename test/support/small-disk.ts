import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HoldpointError } from '../../src/core/errors';
import type { SessionStore } from '../../src/core/ports/session-store';

const SIZE_MB = 6;
/** Operations that write; on a full disk they fail, and reads go on. */
const WRITES: ReadonlySet<string> = new Set([
  ...['claimRun', 'openSession', 'append', 'beginTry', 'supersedeApproval', 'settleApproval', 'endTurn'],
  ...['closeSession', 'createSession', 'putMessage', 'putDecision', 'markDelivered', 'takeLease'],
]);

/**
 * A disk for a store that can be filled up and emptied. Where this process may mount one it is a real one of a few
 * megabytes; elsewhere the store in front of it answers as it does on a full disk.
 */
export class SmallDisk {
  readonly folder: string;
  /** True when the disk is a real one. */
  readonly isMounted: boolean;
  private isFull = false;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'holdpoint-disk-'));
    this.isMounted = canMount(this.folder);
  }

  fill(): void {
    this.isFull = true;
    for (let size = SIZE_MB * 2 ** 20; this.isMounted && size >= 1; size = Math.floor(size / 2)) {
      appendUntilFull(join(this.folder, 'ballast'), size);
    }
  }

  empty(): void {
    this.isFull = false;
    rmSync(join(this.folder, 'ballast'), { force: true });
  }

  /** What is to be put in front of the store. */
  wrap(store: SessionStore): SessionStore {
    if (this.isMounted) {
      return store;
    }
    return new Proxy(store, {
      get: (target, property, receiver) =>
        this.isFull && WRITES.has(String(property))
          ? () => Promise.reject(new HoldpointError('store_unavailable', 'The disk is full.'))
          : Reflect.get(target, property, receiver),
    });
  }

  dispose(): void {
    if (this.isMounted) {
      // Lazily: the store's library lets go of a file only when its last statement is collected.
      execFileSync('umount', ['-l', this.folder]);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function canMount(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function appendUntilFull(file: string, sizeBytes: number): void {
  try {
    for (;;) {
      writeFileSync(file, Buffer.alloc(sizeBytes), { flag: 'a' });
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ENOSPC') {
      throw error;
    }
  }
}

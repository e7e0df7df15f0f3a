import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { SECOND_MS } from '../../core/durations';
import type { StoreDialect } from './store-dialect';
import { StoreBusy, storeUnavailable } from './store-fault';
import type { Tables } from './tables';

/** How long a transaction is tried again while others hold what it needs. */
const PATIENCE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = 100;

/** One transaction, and the few pieces of SQL that differ between databases. */
export interface Scope {
  readonly tx: Transaction<Tables>;
  readonly nowMs: RawBuilder<number>;
  readonly rowLock: RawBuilder<unknown>;
}

/** An opened database. Work inside `write` and `read` awaits nothing but its own queries. */
export class StoreDatabase {
  readonly writer: Kysely<Tables>;
  readonly #reader: Kysely<Tables>;
  readonly #dialect: StoreDialect;
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(dialect: StoreDialect) {
    this.#dialect = dialect;
    this.writer = new Kysely<Tables>({ dialect: dialect.writer });
    this.#reader = dialect.reader ? new Kysely<Tables>({ dialect: dialect.reader }) : this.writer;
  }

  /**
   * Runs `work` in one transaction that writes. It may be run several times: a transaction that met another one is
   * rolled back and tried again for a few seconds, then `store_unavailable` is thrown.
   */
  write<Result>(work: (scope: Scope) => Promise<Result>): Promise<Result> {
    return this.patiently(() => this.writer.transaction().execute((tx) => work(this.#scope(tx))));
  }

  /** Runs `work` on one snapshot of the store; it sees everything that was committed before. */
  read<Result>(work: (scope: Scope) => Promise<Result>): Promise<Result> {
    const transaction = this.#reader.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    return this.patiently(() => transaction.execute((tx) => work(this.#scope(tx))));
  }

  /** Tries an action again while the database is busy. */
  async patiently<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) {
      throw storeUnavailable('it was closed');
    }
    const running = tryAgain(action);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for what is running, then lets go of all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
    await this.writer.destroy();
    await this.#reader.destroy();
  }

  #scope(tx: Transaction<Tables>): Scope {
    return { tx, nowMs: this.#dialect.nowMs, rowLock: this.#dialect.rowLock };
  }
}

/** The store's clock, in milliseconds since 1970. */
export async function readClockMs({ tx, nowMs }: Scope): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${nowMs} as now`.execute(tx);
  const now = rows[0]?.now;
  if (now === undefined) {
    throw storeUnavailable('its clock did not answer');
  }
  return now;
}

async function tryAgain<Result>(action: () => Promise<Result>): Promise<Result> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StoreBusy)) {
        throw error;
      }
      if (performance.now() > deadlineMs) {
        throw storeUnavailable('busy', error);
      }
    }
    // Random, so that two that met do not meet again.
    await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 5 * 2 ** attempt));
  }
}

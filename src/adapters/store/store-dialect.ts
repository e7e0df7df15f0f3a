import type { Dialect, RawBuilder } from 'kysely';

/** Everything in which one database differs from another. */
export interface StoreDialect {
  readonly writer: Dialect;
  /** A connection of its own for reads; undefined where the writer's pool serves both. */
  readonly reader: Dialect | undefined;
  readonly blobType: 'blob' | 'bytea';
  /** SQL for the store's clock, in milliseconds since 1970; it moves within a transaction. */
  readonly nowMs: RawBuilder<number>;
  /** SQL at the end of a select that locks its rows until the transaction ends. */
  readonly rowLock: RawBuilder<unknown>;
}

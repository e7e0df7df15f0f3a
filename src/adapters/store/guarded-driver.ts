import { types } from 'node:util';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import { HoldpointError } from '../../core/errors';

const NOT_STORABLE = /\0|\p{Surrogate}/u;

/** What a guard has to know about the driver behind it. */
export interface DriverTraits {
  /** Turns an error of the driver into ours; returns what it does not know as it is. */
  faultOf(error: unknown): unknown;
  /** True where a bound boolean is harmless: the query layer's own look at the schema binds some. */
  readonly takesBooleans: boolean;
  /** Called for a query that failed, before its error is passed on. */
  readonly onFailedQuery?: () => void;
}

/**
 * A driver whose connections let only harmless values through and raise only our errors.
 *
 * Values: strings without NUL and lone surrogates, safe integers, bigint, Buffer, null. Everything else is refused with
 * `not_canonical` before it reaches the database: a bound boolean aborts the process in libsql, NUL cuts a string.
 * Bytes always come back as Buffer.
 */
export class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #traits: DriverTraits;

  constructor(inner: Driver, traits: DriverTraits) {
    this.#inner = inner;
    this.#traits = traits;
  }

  async init(): Promise<void> {
    await this.#guard(() => this.#inner.init());
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new GuardedConnection(await this.#guard(() => this.#inner.acquireConnection()), this.#traits);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#guard(() => this.#inner.beginTransaction(innerOf(connection), settings));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#guard(() => this.#inner.commitTransaction(innerOf(connection)));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.rollbackTransaction(innerOf(connection));
    } catch {
      // The error that led here says more than this one. A transaction that can't be rolled back ends with its connection.
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    await this.#inner.releaseConnection(innerOf(connection));
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy();
  }

  async #guard<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      throw this.#traits.faultOf(error);
    }
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #traits: DriverTraits;

  constructor(inner: DatabaseConnection, traits: DriverTraits) {
    this.inner = inner;
    this.#traits = traits;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    for (const value of query.parameters) {
      checkBinding(value, this.#traits);
    }
    let result: QueryResult<Row>;
    try {
      result = await this.inner.executeQuery<Row>(query);
    } catch (error) {
      this.#traits.onFailedQuery?.();
      throw this.#traits.faultOf(error);
    }
    return { ...result, rows: result.rows.map(withBuffers) };
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('The store reads in pages and never streams a query.');
  }
}

function innerOf(connection: DatabaseConnection): DatabaseConnection {
  return connection instanceof GuardedConnection ? connection.inner : connection;
}

function checkBinding(value: unknown, { takesBooleans }: DriverTraits): void {
  const isStorable =
    value === null ||
    typeof value === 'bigint' ||
    (typeof value === 'string' && !NOT_STORABLE.test(value)) ||
    (typeof value === 'number' && Number.isSafeInteger(value)) ||
    (typeof value === 'boolean' && takesBooleans) ||
    Buffer.isBuffer(value);
  if (!isStorable) {
    throw new HoldpointError('not_canonical', `A value of type ${typeof value} can't be stored as it is.`);
  }
}

function withBuffers<Row>(row: Row): Row {
  const columns = Object.entries(row as object).map(([name, value]) => [
    name,
    types.isArrayBuffer(value) ? Buffer.from(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}

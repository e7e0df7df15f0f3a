import {
  type DatabaseConnection,
  type Dialect,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  sql,
  type TransactionSettings,
} from 'kysely';
import { type ClientBase, Pool, types } from 'pg';
import { SECOND_MS } from '../../core/durations';
import { GuardedDriver } from './guarded-driver';
import type { StoreDialect } from './store-dialect';
import { driverCode, rowConflict, StoreBusy, storeUnavailable } from './store-fault';

const INT8_TYPE = 20;
const MAX_CONNECTIONS = 10;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const BUSY = /^(40001|40P01)$/;
const UNIQUE_VIOLATION = '23505';
/** Classes: connection, login, unknown database, resources, operator, system, internal; single: timeouts, read-only server. */
const UNAVAILABLE = /^(08|28|3D|53|57|58|F0|XX|55P03|25P03|25P04|25006)/;

/** A Postgres database, reached through a pool. Reads and writes share it. */
export function postgresDialect(connectionString: string): StoreDialect {
  const config = { pool: () => Promise.resolve(openPool(connectionString)) };
  const dialect = new PostgresDialect(config);
  const guarded: Dialect = {
    createDriver: () => new GuardedDriver(new PooledDriver(config), { faultOf, takesBooleans: true }),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (database) => dialect.createIntrospector(database),
  };
  return {
    writer: guarded,
    reader: undefined,
    blobType: 'bytea',
    // now() would stand still within a transaction that waited for its lock.
    nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    rowLock: sql`for update`,
  };
}

/** A driver that asks for another connection when the pool hands out one that was cut while it lay idle. */
class PooledDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    try {
      await super.beginTransaction(connection, settings);
    } catch (error) {
      // Nothing was asked yet, and the pool drops the dead connection: it is safe and sensible to begin again.
      throw new StoreBusy('a pooled connection was cut', { cause: error });
    }
  }
}

function openPool(connectionString: string): PostgresPool {
  const pool = new Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: 5 * SECOND_MS,
    keepAlive: true,
    lock_timeout: 10 * SECOND_MS,
    statement_timeout: 30 * SECOND_MS,
    // Longer than the server's own limit: this one fires only when the server or the network is gone.
    query_timeout: 40 * SECOND_MS,
    // A process that hangs inside a transaction must not keep the session's row from the one that replaces it.
    idle_in_transaction_session_timeout: 30 * SECOND_MS,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
    onConnect: prepareClient as (client: ClientBase) => void,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

async function prepareClient(client: ClientBase): Promise<void> {
  // A connection that breaks while it is in use fails its query; the event says the same a second time.
  client.on('error', () => undefined);
  await client.query('set synchronous_commit = on');
  // Compiling a query takes a tenth of a second, longer than any of ours runs.
  await client.query('set jit = off');
}

function parserOf(type: number, format: 'text' | 'binary'): unknown {
  // Every int8 column and count of ours stays below 2^53.
  return type === INT8_TYPE ? Number : types.getTypeParser(type, format as 'text');
}

function faultOf(error: unknown): unknown {
  if (error instanceof StoreBusy) {
    return error;
  }
  const code = driverCode(error);
  if (BUSY.test(code)) {
    return new StoreBusy(code, { cause: error });
  }
  if (code === UNIQUE_VIOLATION) {
    return rowConflict(error);
  }
  if (SQLSTATE.test(code)) {
    return UNAVAILABLE.test(code) ? storeUnavailable(code, error) : error;
  }
  // Without a code of the server it never answered: refused, cut, timed out.
  return (error as Error).name === 'TypeError' ? error : storeUnavailable(code || 'connection lost', error);
}

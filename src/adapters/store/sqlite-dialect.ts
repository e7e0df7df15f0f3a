import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type TransactionSettings,
} from 'kysely';
import Database from 'libsql';
import { GuardedDriver } from './guarded-driver';
import type { StoreDialect } from './store-dialect';
import { driverCode, rowConflict, StoreBusy, storeUnavailable } from './store-fault';

/** How long SQLite itself waits for a lock. It blocks the whole process, so the long waiting is done by the caller. */
const BUSY_TIMEOUT_MS = 50;
const BUSY = /^SQLITE_(BUSY|LOCKED|PROTOCOL)/;
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM)/;

/**
 * A SQLite file: write-ahead log, every commit synced, writes begin with the write lock. Writes share one connection,
 * one transaction at a time; reads have their own.
 *
 * @param path The file; its folder must exist.
 */
export function sqliteDialect(path: string): StoreDialect {
  return {
    writer: dialectFor(path),
    reader: dialectFor(path),
    blobType: 'blob',
    nowMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    // A write transaction has the whole file to itself.
    rowLock: sql``,
  };
}

/**
 * A database in memory that ends with its store. It has one connection for reads and writes, which is never replaced:
 * its data would go with it, and nobody else locks it.
 *
 * @param nowMs The store's clock; asked once for each transaction.
 */
export function memoryDialect(nowMs: () => number): StoreDialect {
  return {
    writer: dialectFor(':memory:', { isReplaceable: false }),
    reader: undefined,
    blobType: 'blob',
    get nowMs() {
      return sql<number>`cast(${sql.lit(nowMs())} as integer)`;
    },
    rowLock: sql``,
  };
}

function dialectFor(path: string, { isReplaceable } = { isReplaceable: true }): Dialect {
  return {
    createDriver: () => {
      const driver = new SqliteFileDriver(() => openFile(path));
      const onFailedQuery = isReplaceable ? { onFailedQuery: () => driver.spoil() } : {};
      return new GuardedDriver(driver, { faultOf, takesBooleans: false, ...onFailedQuery });
    },
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

/** Migrations run inside a transaction, which holds the write lock: so it is their lock too. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * One connection to the file. A statement that met a lock stays open in libsql until it is collected, and with it the
 * snapshot it had: everything later on that connection would see the past and could never write. So transactions are
 * begun and ended by `exec`, which leaves no statement behind, and a connection on which a query failed is replaced.
 */
class SqliteFileDriver extends SqliteDriver {
  #file: Database.Database | undefined;
  #isSpoiled = false;

  constructor(open: () => Database.Database) {
    super({
      database: () => {
        this.#file = open();
        return Promise.resolve(this.#file);
      },
    });
  }

  /** Has the connection replaced before it is used again. */
  spoil(): void {
    this.#isSpoiled = true;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (!this.#isSpoiled) {
      return connection;
    }
    try {
      if (this.#file?.open) {
        this.#file.close();
      }
      await this.init();
      this.#isSpoiled = false;
    } finally {
      await this.releaseConnection();
    }
    return super.acquireConnection();
  }

  override async beginTransaction(_connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    this.#file?.exec(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#file?.exec('commit');
  }

  override async rollbackTransaction(): Promise<void> {
    // After a full disk or a failed read SQLite has rolled back by itself.
    if (this.#file?.inTransaction) {
      this.#file.exec('rollback');
    }
  }
}

function openFile(path: string): Database.Database {
  const file = new Database(path);
  try {
    file.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
    file.exec('pragma journal_mode = wal');
    file.exec('pragma synchronous = full');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function faultOf(error: unknown): unknown {
  const code = driverCode(error);
  if (BUSY.test(code)) {
    return new StoreBusy(code, { cause: error });
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return rowConflict(error);
  }
  // A file that can't be opened carries no code. Errors of native code are of no class of ours.
  const isOpenFailure = String((error as { readonly message?: unknown }).message).startsWith('ConnectionFailed');
  return UNAVAILABLE.test(code) || isOpenFailure ? storeUnavailable(code || 'SQLITE_CANTOPEN', error) : error;
}

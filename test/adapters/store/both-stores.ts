import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { Client } from 'pg';
import { openStore, type StoreSettings } from '../../../src/adapters/store/open-store';
import type { SessionStore } from '../../../src/core/ports/session-store';
import type { ChainedEntry } from '../../../src/digests/verify-chain';
import { chainOfRows } from '../../support/chain-of-rows';

/** A row as a stranger reads it who knows SQL and not the store. */
export type Row = Readonly<Record<string, unknown>>;

/** A database of its own for one test file. */
export interface TestDatabase {
  readonly settings: StoreSettings;
  readonly store: SessionStore;
  /** Runs one statement past the store. */
  query(statement: string): Promise<readonly Row[]>;
}

/** Runs a suite on SQLite and on Postgres; without HOLDPOINT_TEST_POSTGRES the second half is skipped by name. */
export function describeBothStores(name: string, suite: (database: () => TestDatabase) => void): void {
  describe(`${name} (sqlite)`, () => withDatabase(makeSqlite, suite));
  const server = process.env['HOLDPOINT_TEST_POSTGRES'];
  const describePostgres = server === undefined ? describe.skip : describe;
  describePostgres(`${name} (postgres)`, () => withDatabase(() => makePostgres(server ?? ''), suite));
}

/** The log of a session as it lies in the tables, for `verifyChain`. */
export async function readChain(database: TestDatabase, tenant: string, session: string): Promise<ChainedEntry[]> {
  const rows = await database.query(
    `select * from entries where tenant = '${tenant}' and session = '${session}' order by seq`,
  );
  return chainOfRows(rows);
}

/** A database, and how to end it. */
interface Made {
  readonly settings: StoreSettings;
  query(statement: string): Promise<readonly Row[]>;
  drop(): Promise<void>;
}

function withDatabase(make: () => Promise<Made>, suite: (database: () => TestDatabase) => void): void {
  let made: Made | undefined;
  let database: TestDatabase | undefined;

  beforeAll(async () => {
    made = await make();
    const { settings, query } = made;
    database = { settings, query, store: await openStore(settings, { migrate: true }) };
  });

  afterAll(async () => {
    await database?.store.close();
    await made?.drop();
  });

  suite(() => {
    if (database === undefined) {
      throw new Error('The database exists only while tests run.');
    }
    return database;
  });
}

/** A SQLite file in a folder of its own. */
export async function makeSqlite(): Promise<Made> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-store-'));
  const path = join(folder, 'store.db');
  return {
    settings: { kind: 'sqlite', path },
    query: async (statement) => {
      const file = new Database(path);
      try {
        file.exec('pragma busy_timeout = 5000');
        const prepared = file.prepare(statement);
        if (prepared.reader) {
          return prepared.all() as Row[];
        }
        prepared.run();
        return [];
      } finally {
        file.close();
      }
    },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A Postgres database of its own on a running server. */
export async function makePostgres(server: string): Promise<Made> {
  const name = `holdpoint_${randomBytes(8).toString('hex')}`;
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const connectionString = url.toString();
  return {
    settings: { kind: 'postgres', connectionString },
    query: (statement) => runOn(connectionString, statement),
    drop: async () => {
      await runOn(server, `drop database ${name} with (force)`);
    },
  };
}

async function runOn(connectionString: string, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { openStore } from '../../../src/adapters/store/open-store';
import { sqliteDialect } from '../../../src/adapters/store/sqlite-dialect';
import { StoreDatabase } from '../../../src/adapters/store/store-database';
import type { SessionStore } from '../../../src/core/ports/session-store';
import { verifyChain } from '../../../src/digests/verify-chain';
import { makeSqlite, readChain, type TestDatabase } from './both-stores';
import { AT, codeOf, openedSession, result, sessionInTurn } from './session-under-test';
import { startAppending } from './start-appending';

describe('a SQLite store in trouble', () => {
  let made: Awaited<ReturnType<typeof makeSqlite>>;
  let store: SessionStore;

  beforeEach(async () => {
    made = await makeSqlite();
    store = await openStore(made.settings, { migrate: true });
  });

  afterEach(async () => {
    await store.close();
    await made.drop();
  });

  it('waits for another writer without holding up its own process', async () => {
    const fence = await sessionInTurn(store);
    const release = takeWriteLock();
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 5);
    const appending = store.append(fence, { entries: [result(1, 1, 1)], at: AT });
    setTimeout(release, 600);
    expect((await appending).status).toBe('written');
    clearInterval(ticking);
    // One wait inside SQLite is 50 ms at most; a single long one would let nothing else happen.
    expect(ticks).toBeGreaterThan(3);
  });

  it('takes the write lock before it reads what it is about to change', async () => {
    const writer = new StoreDatabase(sqliteDialect(pathOf()));
    const other = new Database(pathOf());
    await writer.write(async () => {
      expect(() => other.exec('begin immediate')).toThrow('locked');
    });
    await writer.read(async () => {
      other.exec('begin immediate');
      other.exec('rollback');
    });
    other.close();
    await writer.close();
  });

  it('reads while another writer is at work', async () => {
    const fence = await sessionInTurn(store);
    const release = takeWriteLock();
    expect((await store.readEntries(fence, 0, 10)).length).toBe(3);
    expect((await store.readSession(fence))?.status).toBe('running');
    release();
  });

  it('gives up on a writer that never ends, and goes on when it has', async () => {
    const fence = await sessionInTurn(store);
    const release = takeWriteLock();
    expect(await codeOf(store.append(fence, { entries: [result(1, 1, 1)], at: AT }))).toBe('store_unavailable');
    release();
    expect((await store.append(fence, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
  }, 20_000);

  it('says that the store is unavailable when the disk is full, and leaves the log intact', async () => {
    const fence = await openedSession(store);
    const sizeBlocks = Math.ceil(readFileSync(pathOf()).length / 512);
    const writer = startAppending(made.settings, fence, 'f', 10_000, sizeBlocks + 200);
    const [code] = await writer.ended();
    expect(code).toBe(1);
    expect(writer.errors()).toMatch(/^store_unavailable /);
    const chain = await readChain({ ...made, store } as TestDatabase, fence.tenant, fence.sessionId);
    expect(verifyChain(chain)).toBeUndefined();
    expect(chain.length).toBe(writer.acknowledged.at(-1) ?? 1);
    expect((await store.append(fence, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
  }, 60_000);

  it('can not be opened where there is no folder, or no database', async () => {
    const missing = { kind: 'sqlite', path: join(pathOf(), '..', 'nowhere', 'store.db') } as const;
    expect(await codeOf(openStore(missing, { migrate: true }))).toBe('store_unavailable');
    const folder = { kind: 'sqlite', path: join(pathOf(), '..') } as const;
    expect(await codeOf(openStore(folder, { migrate: true }))).toBe('store_unavailable');
    const notOurs = { kind: 'sqlite', path: __filename } as const;
    expect(await codeOf(openStore(notOurs, { migrate: false }))).toBe('store_unavailable');
  });

  it('finishes what is running before it closes, and refuses what comes later', async () => {
    const fence = await sessionInTurn(store);
    const appending = store.append(fence, { entries: [result(1, 1, 1)], at: AT });
    await store.close();
    expect((await appending).status).toBe('written');
    expect(await codeOf(store.append(fence, { entries: [result(1, 1, 2)], at: AT }))).toBe('store_unavailable');
    expect(await codeOf(store.ping())).toBe('store_unavailable');
  });

  function pathOf(): string {
    if (made.settings.kind !== 'sqlite') {
      throw new Error('This is SQLite.');
    }
    return made.settings.path;
  }

  /** Holds the write lock as another process would, and writes; returns how to let go. */
  function takeWriteLock(): () => void {
    const other = new Database(pathOf());
    other.exec('begin immediate');
    other.exec("insert into leases (name, holder, until_ms) values ('lock', 'other', 1)");
    return () => {
      other.exec('commit');
      other.close();
    };
  }
});

import { createLogCache } from '../../../src/activities/log-cache';
import type { SessionLog } from '../../../src/activities/session-log';
import type { Entry, LogPosition } from '../../../src/core/entries';
import type { SessionId, Tenant } from '../../../src/core/ids';

/** A log in memory that counts what is read of it. */
function logOf(sessionId: string, entries: Entry[]) {
  const reads: number[] = [];
  let last: LogPosition | undefined;
  const log = {
    key: { tenant: 'default' as Tenant, sessionId: sessionId as SessionId },
    last: () => last,
    saw: ({ seq, digest }: Entry) => {
      last = [seq, digest];
    },
    read: (operation: (store: unknown, key: unknown) => unknown) =>
      operation(
        {
          readEntries: async (_key: unknown, after: number, limit: number) => {
            reads.push(after);
            return entries.filter(({ seq }) => seq > after).slice(0, limit);
          },
        },
        {},
      ),
  } as unknown as SessionLog;
  return { log, reads, entries };
}

function entry(seq: number, digest = `d${seq}`): Entry {
  return { key: `k${seq}`, type: 'turn.started', data: { messageId: 'm' }, seq, batch: seq, at: '', digest };
}

test('a second reading fetches what is new and nothing else', async () => {
  const cache = createLogCache();
  const { log, reads, entries } = logOf('s1', [entry(1), entry(2)]);

  await cache.read(log);
  entries.push(entry(3));

  expect((await cache.read(log)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(reads).toEqual([0, 2]);
});

test('a long log is read page by page', async () => {
  const { log, reads } = logOf(
    's1',
    Array.from({ length: 1_001 }, (_, index) => entry(index + 1)),
  );

  expect(await createLogCache().read(log)).toHaveLength(1_001);
  expect(reads).toEqual([0, 500, 1_000]);
});

test('another history under the same session is read from the start', async () => {
  const cache = createLogCache();
  await cache.read(logOf('s1', [entry(1), entry(2)]).log);
  const other = logOf('s1', [entry(1, 'x1'), entry(2, 'x2')]);
  other.log.saw(entry(2, 'x2'));

  expect((await cache.read(other.log)).map(({ digest }) => digest)).toEqual(['x1', 'x2']);
});

test('a log that can not be read is forgotten', async () => {
  const cache = createLogCache();
  const { log } = logOf('s1', [entry(1)]);
  await cache.read(log);
  await expect(cache.read({ ...log, read: () => Promise.reject(new Error('erased')) })).rejects.toThrow('erased');
  const again = logOf('s1', [entry(1)]);

  await cache.read(again.log);

  expect(again.reads).toEqual([0]);
});

test('the sessions read longest ago go when the cache is full', async () => {
  const cache = createLogCache(50);
  const one = logOf('s1', [entry(1)]);
  const two = logOf('s2', [entry(1), entry(2)]);
  await cache.read(one.log);
  await cache.read(two.log);

  await cache.read(two.log);
  await cache.read(one.log);

  expect(two.reads).toEqual([0, 2]);
  expect(one.reads).toEqual([0, 0]);
});

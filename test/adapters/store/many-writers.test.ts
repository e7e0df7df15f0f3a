import { openStore } from '../../../src/adapters/store/open-store';
import { verifyChain } from '../../../src/digests/verify-chain';
import { describeBothStores, readChain } from './both-stores';
import { AT, logOf, message, newKey, openedSession, result, sessionInTurn, userMessage } from './session-under-test';
import { startAppending } from './start-appending';

const TIMEOUT_MS = 60_000;

describeBothStores('many writers', (database) => {
  const store = () => database().store;

  it(
    'chain the entries of one session in commit order, from three processes at once',
    async () => {
      const fence = await openedSession(store());
      const writers = ['a', 'b', 'c'].map((prefix) => startAppending(database().settings, fence, prefix, 40));
      const ends = await Promise.all(writers.map((writer) => writer.ended()));
      expect(writers.map((writer) => writer.errors())).toEqual(['', '', '']);
      expect(ends).toEqual([
        [0, null],
        [0, null],
        [0, null],
      ]);
      const chain = await readChain(database(), fence.tenant, fence.sessionId);
      expect(chain).toHaveLength(121);
      expect(verifyChain(chain)).toBeUndefined();
      const acknowledged = writers.flatMap((writer) => writer.acknowledged).sort((left, right) => left - right);
      expect(acknowledged).toEqual(Array.from({ length: 120 }, (_, index) => index + 2));
    },
    TIMEOUT_MS,
  );

  it(
    'leave an intact log with everything that was acknowledged when one is killed in the middle',
    async () => {
      for (const killAfter of [1, 7, 20]) {
        const fence = await openedSession(store());
        const writer = startAppending(database().settings, fence, 'k', 10_000);
        await writer.reaches(killAfter);
        writer.process.kill('SIGKILL');
        expect(await writer.ended()).toEqual([null, 'SIGKILL']);
        const chain = await readChain(database(), fence.tenant, fence.sessionId);
        expect(verifyChain(chain)).toBeUndefined();
        const last = writer.acknowledged.at(-1) ?? 0;
        expect(chain.length).toBeGreaterThanOrEqual(last);
        expect(chain.length).toBeLessThanOrEqual(last + 1);
        const [row] = await database().query(
          `select last_seq, last_digest from sessions where session = '${fence.sessionId}'`,
        );
        expect(row).toEqual({ last_seq: chain.length, last_digest: chain.at(-1)?.digest });
        const appended = await store().append(fence, { entries: [result(1, 1, 1)], at: AT });
        expect(appended.last[0]).toBe(chain.length + 1);
      }
    },
    TIMEOUT_MS,
  );

  it('do not disturb each other within one process', async () => {
    const fences = await Promise.all(Array.from({ length: 8 }, () => sessionInTurn(store())));
    const other = await openStore(database().settings, { migrate: false });
    try {
      const work = fences.flatMap((fence) =>
        [1, 2, 3, 4, 5].flatMap((ordinal) => [
          store().append(fence, { entries: [result(1, 1, ordinal)], at: AT }),
          other.append(fence, { entries: [result(1, 2, ordinal)], at: AT }),
          store().readSession(fence),
          other.putMessage({ ...fence, message: message(`m-${ordinal}`), at: AT }),
        ]),
      );
      await Promise.all(work);
    } finally {
      await other.close();
    }
    for (const fence of fences) {
      const chain = await readChain(database(), fence.tenant, fence.sessionId);
      expect(chain).toHaveLength(13);
      expect(verifyChain(chain)).toBeUndefined();
      const rows = await database().query(`select position from inbox where session = '${fence.sessionId}'`);
      expect(rows.map(({ position }) => Number(position)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });

  it('show a commit to every reader at once', async () => {
    const fence = await sessionInTurn(store());
    const other = await openStore(database().settings, { migrate: false });
    try {
      for (let ordinal = 1; ordinal <= 20; ordinal += 1) {
        const { last } = await store().append(fence, { entries: [result(1, 1, ordinal)], at: AT });
        expect((await logOf(other, fence)).length).toBe(last[0]);
        expect((await other.readSession(fence))?.lastSeq).toBe(last[0]);
      }
    } finally {
      await other.close();
    }
  });
});

describeBothStores('tenants', (database) => {
  const store = () => database().store;

  it('never see a row of another tenant, whatever ids they share', async () => {
    const mine = await sessionInTurn(store(), newKey('tenant-a'));
    const theirs = await sessionInTurn(store(), { ...newKey('tenant-b'), sessionId: mine.sessionId });
    await store().append(mine, {
      entries: [result(1, 1, 1, { text: 'mine' })],
      blobs: [{ blobId: 'b1', bytes: Buffer.from('mine') }],
      at: AT,
    });
    await store().putMessage({ ...mine, message: message('m2', 'mine'), at: AT });
    expect((await logOf(store(), theirs)).map(({ key }) => key)).toEqual(['s.1.started', 'm/m1', 't1.turn']);
    expect(await store().readEntry(theirs, 't1.r1.c1.result')).toBeUndefined();
    expect(await store().readBlob(theirs, 'b1')).toBeUndefined();
    expect(await store().readInboxMessage(theirs, 'm2')).toBeUndefined();
    expect((await store().readSession(theirs))?.lastSeq).toBe(3);
    expect(await store().readDigestSalt(theirs)).not.toEqual(await store().readDigestSalt(mine));
    await store().append(mine, { entries: [userMessage('m3', { turn: 1, round: 2 })], at: AT });
    expect(await store().putMessage({ ...theirs, message: message('m3'), at: AT })).toEqual({ status: 'created' });
    const outsider = { ...mine, ...newKey('tenant-c'), sessionId: mine.sessionId };
    expect(await store().readSession(outsider)).toBeUndefined();
    expect(await store().listEntries(outsider, 0, 10)).toBeUndefined();
    await store().setBlocked(mine, 'log_behind');
    await store().markStopped(mine);
    expect((await store().readSession(theirs))?.status).toBe('running');
    expect(await store().claimRun(mine, mine.runId, 'run-2')).toBe(true);
    expect((await store().append(theirs, { entries: [result(1, 1, 1)], at: AT })).status).toBe('written');
  });
});

import { withRunFence } from '../../../src/activities/run-fence';
import { HoldpointError } from '../../../src/core/errors';
import type { SessionId, Tenant } from '../../../src/core/ids';
import { createFakeTemporal, runNamed } from '../../support/activities/fake-temporal';

const session = {
  key: { tenant: 'default' as Tenant, sessionId: 's1' as SessionId },
  workflowId: 'default/s1',
  runId: 'ours',
};

/** A store row that names its writer, as far as the fence is concerned. */
function rowOf(writer: string) {
  const row = { writer, operations: 0, claims: [] as string[] };
  return {
    row,
    claimRun: async (_key: unknown, from: string, to: string) => {
      row.claims.push(`${from}->${to}`);
      const isFree = row.writer === from;
      row.writer = isFree ? to : row.writer;
      return isFree;
    },
    operation: async (fence: { runId: string }) => {
      row.operations += 1;
      if (row.writer !== fence.runId) {
        throw new HoldpointError('run_mismatch', '', { storedRunId: row.writer });
      }
      return 'written';
    },
  };
}

test('the run that may write asks nobody', async () => {
  const { row, claimRun, operation } = rowOf('ours');

  const result = await withRunFence(
    { store: { claimRun }, temporal: createFakeTemporal('x') },
    session,
    undefined,
    operation,
  );

  expect(result).toBe('written');
  expect(row.claims).toEqual([]);
});

test.each(['', 'older'])('the current run takes over from "%s" and repeats the operation', async (writer) => {
  const { row, claimRun, operation } = rowOf(writer);

  const result = await withRunFence(
    { store: { claimRun }, temporal: createFakeTemporal('ours') },
    session,
    undefined,
    operation,
  );

  expect(result).toBe('written');
  expect(row.claims).toEqual([`${writer}->ours`]);
  expect(row.operations).toBe(2);
});

test.each([runNamed('newer'), undefined])('a run that is not the current one is fenced', async (current) => {
  const { row, claimRun, operation } = rowOf('newer');
  const temporal = createFakeTemporal('ours');
  temporal.current = current;

  const result = withRunFence({ store: { claimRun }, temporal }, session, undefined, operation);

  await expect(result).rejects.toMatchObject({ code: 'fenced' });
  expect(row.claims).toEqual([]);
});

test('a row that changed while Temporal was asked is not taken over', async () => {
  const { row, claimRun, operation } = rowOf('older');
  const temporal = createFakeTemporal('ours');
  const describeRun = async () => {
    row.writer = 'somebody';
    return runNamed('ours');
  };

  const result = withRunFence(
    { store: { claimRun }, temporal: { ...temporal, describeRun } },
    session,
    undefined,
    operation,
  );

  await expect(result).rejects.toMatchObject({ code: 'fenced' });
  expect(row.writer).toBe('somebody');
});

test('without an answer from Temporal nothing is taken over', async () => {
  const { row, claimRun, operation } = rowOf('older');
  const temporal = {
    describeRun: () => Promise.reject(new HoldpointError('temporal_unavailable', 'down')),
  };

  const result = withRunFence({ store: { claimRun }, temporal }, session, undefined, operation);

  await expect(result).rejects.toMatchObject({ code: 'temporal_unavailable', retryable: true });
  expect(row.claims).toEqual([]);
});

import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { createHoldpointClient, type HoldpointClient } from '../../../src/client/holdpoint-client';
import { logFaults } from '../../support/log-faults';
import { OwnTemporalServer } from '../../support/own-temporal-server';
import { RunningStack } from '../../support/running-stack';
import { turnOutcomes } from '../../support/turn-outcomes';

let folder: string;
let storeFolder: string;
let temporal: OwnTemporalServer;
let stack: RunningStack;
let client: HoldpointClient;

/** Starts worker and gateway on the store as it lies there. */
async function start(): Promise<void> {
  stack = await RunningStack.start({ temporalAddress: temporal.server.address, storeFolder });
  client = createHoldpointClient({ baseUrl: stack.gateway.url });
}

/** Copies the store as it is at this moment, as a backup would. */
function backUp(): void {
  const database = new Database(join(storeFolder, 'holdpoint.db'));
  database.exec(`vacuum into '${join(folder, 'backup.db')}'`);
  database.close();
}

/** Puts an older copy of the store in its place, while nobody has it open. */
function restore(): void {
  for (const suffix of ['-wal', '-shm']) {
    rmSync(join(storeFolder, `holdpoint.db${suffix}`), { force: true });
  }
  // Moved there, not written over: the old file may still be mapped.
  renameSync(join(folder, 'backup.db'), join(storeFolder, 'holdpoint.db'));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-repair-'));
  storeFolder = mkdtempSync(join(folder, 'store-'));
  temporal = await OwnTemporalServer.start(join(folder, 'state'));
  await start();
  // What the copy has: one session at rest, one that waits for a decision, one that nothing happens to.
  await stack.startSession('list', 'rested');
  await stack.startSession('write a.txt: one', 'asked');
  await stack.startSession('list', 'untouched');
  await Promise.all(['rested', 'untouched'].map((sessionId) => stack.untilTurnEnded(sessionId, 1)));
  await stack.pending('asked');
  backUp();
  // What it lacks, and Temporal knows of.
  await stack.send('rested', 'list');
  await stack.untilTurnEnded('rested', 2);
  const [approval] = await stack.pending('asked');
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded('asked', 1);
  await stack.stop();
  restore();
  await start();
});

afterAll(async () => {
  await stack.stop();
  await temporal.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function untilBlocked(sessionId: string): Promise<void> {
  await stack.until(`/v1/sessions/${sessionId}`, ({ status }) => status === 'blocked');
}

async function outcomes(sessionId: string): Promise<readonly string[]> {
  return turnOutcomes(await stack.entries(sessionId));
}

test('a session at rest that the copy has set back is blocked by its next message, and goes on after the repair', async () => {
  await client.sendMessage('rested', { content: 'list' });
  await untilBlocked('rested');
  await client.sendMessage('rested', { content: 'good morning' });

  expect((await client.listSessions({ status: 'blocked' })).sessions.map(({ sessionId }) => sessionId)).toContain(
    'rested',
  );
  const explained = await client.explainSession('rested');
  expect(explained.waitsFor).toMatchObject([{ kind: 'repair', code: 'log_behind' }]);
  expect(explained.temporal).toMatchObject({ status: 'RUNNING', pollers: [expect.any(String)] });

  expect(await client.repairSession('rested', { reason: 'INC-1' })).toEqual({
    sessionId: 'rested',
    blockedCode: 'log_behind',
  });
  await stack.untilTurnEnded('rested', 3);
  expect(await outcomes('rested')).toEqual(['completed', 'completed', 'completed']);
  expect(logFaults(stack.storePath, 'rested')).toEqual([]);
  await expect(client.repairSession('rested', { reason: 'INC-1' })).rejects.toMatchObject({ code: 'not_blocked' });
});

test('a turn that is open in the copy ends as interrupted, and its question is withdrawn', async () => {
  const [approval] = await stack.pending('asked');
  await client.sendMessage('asked', { content: 'list' });
  // What the workflow thinks is over, the store says is open; the message alone makes them meet.
  await untilBlocked('asked');
  await client.repairSession('asked', { reason: 'INC-2' });
  await stack.untilTurnEnded('asked', 2);
  expect(await outcomes('asked')).toEqual(['interrupted', 'completed']);
  expect(await client.readApproval(approval?.approvalId ?? '')).toMatchObject({ status: 'cancelled' });
  expect(logFaults(stack.storePath, 'asked')).toEqual([]);
});

test('a session that the copy did not set back needs no repair, and survives one by force', async () => {
  await client.sendMessage('untouched', { content: 'list' });
  await stack.untilTurnEnded('untouched', 2);
  await expect(client.repairSession('untouched', { reason: 'x' })).rejects.toMatchObject({ code: 'not_blocked' });
  const { runId } = await stack.workflow('untouched').describe();
  await client.repairSession('untouched', { reason: 'x', force: true });
  expect((await stack.workflow('untouched', runId).describe()).status.name).toBe('TERMINATED');
  await client.sendMessage('untouched', { content: 'list' });
  await stack.untilTurnEnded('untouched', 3);
  expect(await outcomes('untouched')).toEqual(['completed', 'completed', 'completed']);
  expect(logFaults(stack.storePath, 'untouched')).toEqual([]);
});

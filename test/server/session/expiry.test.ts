import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { findTestServer } from '../../../src/dev/find-test-server';
import { RunningStack } from '../../support/running-stack';

let environment: TestWorkflowEnvironment;
let stack: RunningStack;

beforeAll(async () => {
  const path = await findTestServer({ environment: process.env, report: () => undefined });
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  stack = await RunningStack.start({
    temporalAddress: environment.address ?? '',
    clock: { nowMs: async () => Number(await environment.currentTimeMs()) },
    limits: { approvalExpiryMs: 3_600_000 },
  });
});

afterAll(async () => {
  await stack.stop();
  await environment.teardown();
});

test('a question nobody answers expires, which is no rejection, and the turn goes on', async () => {
  const sessionId = await stack.startSession('write late.txt: hello');
  const [approval] = await stack.pending(sessionId);
  const before = Number(await environment.currentTimeMs());
  expect(Date.parse(String(approval?.expiresAt)) - before).toBeGreaterThan(3_590_000);
  await environment.sleep('59 minutes');
  expect((await stack.get(`/v1/approvals/${approval?.approvalId}`)).json).toMatchObject({ status: 'pending' });
  await environment.sleep('2 minutes');
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  const entries = await stack.entries(sessionId);
  const result = entries.find((entry) => entry.type === 'tool.result');
  expect(result?.data).toMatchObject({ status: 'expired' });
  expect((await stack.get(`/v1/approvals/${approval?.approvalId}`)).json).toMatchObject({ status: 'expired' });
  const late = await stack.decide(approval as never, 'approve');
  expect([late.status, late.json?.['code']]).toEqual([410, 'expired']);
  expect(existsSync(join(stack.workspaceFolder, 'late.txt'))).toBe(false);
});

test('a day of waiting costs a turn no active time', async () => {
  const sessionId = await stack.startSession('write slow.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await environment.sleep('50 minutes');
  // The gateway's own clock does not skip; a decision is in time by the workflow's.
  await stack.workflow(sessionId).signal('decide', {
    approvalId: approval?.approvalId,
    decision: 'approve',
    argumentsDigest: approval?.argumentsDigest,
  });
  await stack.untilTurnEnded(sessionId, 1);
  const ended = (await stack.entries(sessionId)).filter((entry) => entry.type === 'turn.ended');
  expect(ended.map((entry) => entry.data.outcome)).toEqual(['completed']);
  expect(ended.every((entry) => entry.data.activeMs < 60_000)).toBe(true);
  expect(existsSync(join(stack.workspaceFolder, 'slow.txt'))).toBe(true);
});

test('a session that is idle for a week closes, and the next message goes on with it', async () => {
  const sessionId = await stack.startSession('list');
  await stack.untilTurnEnded(sessionId, 1);
  await environment.sleep('8 days');
  await stack.until(`/v1/sessions/${sessionId}`, (json) => json['status'] === 'closed');
  expect((await stack.workflow(sessionId).describe()).status.name).toBe('COMPLETED');
  await stack.send(sessionId, 'list');
  const session = await stack.untilTurnEnded(sessionId, 2);
  expect(session['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
  const keys = (await stack.entries(sessionId)).map((entry) => entry.key);
  expect(keys.filter((key) => key.startsWith('s.'))).toEqual(['s.1.started', 's.1.closed', 's.2.started']);
});

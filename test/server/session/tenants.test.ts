import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { Entry } from '../../../src/core/entries';
import type { SessionId, Tenant } from '../../../src/core/ids';
import { type Gateway, startGateway } from '../../../src/gateway/main';
import { ApiDriver, countByType } from '../../support/api-driver';
import { RunningStack } from '../../support/running-stack';
import { silentLogger } from '../../support/silent-logger';
import { turnOutcomes } from '../../support/turn-outcomes';

const OTHER = 'other' as Tenant;

/** Another tenant's service in front of the same store, the same Temporal server and the same worker. */
class OtherTenant extends ApiDriver {
  private readonly gateway: Gateway;

  constructor(gateway: Gateway) {
    super();
    this.gateway = gateway;
  }

  protected override baseUrl(): string {
    return this.gateway.url;
  }
}

let stack: RunningStack;
let gateway: Gateway;
let other: OtherTenant;

beforeAll(async () => {
  stack = await RunningStack.start();
  const temporal = { address: stack.temporalAddress, namespace: 'default', taskQueue: 'holdpoint' };
  await stack.store.publishAgents([{ name: 'workspace', digest: 'one', definition: {} }], OTHER);
  gateway = await startGateway({ store: stack.store, temporal, port: 0, logger: silentLogger, tenant: OTHER });
  other = new OtherTenant(gateway);
});

afterAll(async () => {
  await gateway.close();
  await stack.stop();
});

function workflowOfOther(sessionId: string): WorkflowHandle {
  return new Client({ connection: stack.connection }).workflow.getHandle(`${OTHER}/${sessionId}`);
}

function entriesOfOther(sessionId: string): Promise<readonly Entry[]> {
  return stack.store.readEntries({ tenant: OTHER, sessionId: sessionId as SessionId }, 0, 1_000);
}

test('two tenants with the same session id share nothing: not questions, not decisions, not the end of a run', async () => {
  const sessionId = 'same';
  await stack.startSession('write mine.txt: mine', sessionId);
  await other.startSession('write theirs.txt: theirs', sessionId);
  const [mine] = await stack.pending(sessionId);
  const [theirs] = await other.pending(sessionId);
  expect([mine?.arguments['path'], theirs?.arguments['path']]).toEqual(['mine.txt', 'theirs.txt']);
  expect(mine?.approvalId).not.toBe(theirs?.approvalId);

  const asOther = await other.decide(mine as never, 'approve');
  expect([asOther.status, asOther.json?.['code']]).toEqual([404, 'unknown_approval']);
  expect((await other.get(`/v1/approvals/${mine?.approvalId}`)).status).toBe(404);
  const { approvalId, argumentsDigest } = mine as NonNullable<typeof mine>;
  // A decision for a question of the first tenant, sent to the session of the second, by all ways there are.
  await workflowOfOther(sessionId).signal('decide', { approvalId, decision: 'approve', argumentsDigest });
  await workflowOfOther(sessionId).signal('decide', { approvalId, decision: 'reject' });
  expect((await other.decide(theirs as never, 'approve')).json?.['outcome']).toBe('taken');
  await other.untilTurnEnded(sessionId, 1);
  expect(existsSync(join(stack.workspaceFolder, 'mine.txt'))).toBe(false);
  expect((await stack.get(`/v1/approvals/${approvalId}`)).json).toMatchObject({ status: 'pending', decisions: [] });

  await workflowOfOther(sessionId).terminate('the other one');
  expect((await stack.workflow(sessionId).describe()).status.name).toBe('RUNNING');
  expect((await stack.decide(mine as never, 'approve')).json?.['outcome']).toBe('taken');
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(stack.workspaceFolder, 'mine.txt'), 'utf8')).toBe('mine');

  for (const entries of [await stack.entries(sessionId), await entriesOfOther(sessionId)]) {
    expect(turnOutcomes(entries)).toEqual(['completed']);
    expect(countByType(entries)).toMatchObject({ 'approval.requested': 1, 'approval.decided': 1, 'tool.result': 1 });
    expect(entries[0]?.seq).toBe(1);
  }
});

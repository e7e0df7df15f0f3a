import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  first,
  writeTool,
} from '../../support/activities/activity-world';
import { calls } from '../../support/activities/scripted-model';
import { approvedWrite } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

async function types(): Promise<readonly string[]> {
  return (await world.entries())
    .filter(({ callId }) => callId !== undefined)
    .map(({ key }) => key.slice('t1.r1.'.length));
}

test('an approved write runs once, between its record and its result', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);

  const result = await world.callTool(plan);
  const again = await world.callTool(plan, {}, { attempt: 2 });

  expect(result).toMatchObject({ status: 'success' });
  expect(again.status).toBe('success');
  expect(tool.ran).toEqual(['a']);
  expect((await types()).slice(-2)).toEqual(['c1.started.1', 'c1.result']);
  const started = first(await world.entriesOf('tool.started'));
  expect(started.data.approvalId).toBe(plan.approvalId);
  expect((await world.entriesOf('tool.result'))[0]?.data).toMatchObject({ try: 1, approvalId: plan.approvalId });
});

test('a write runs with exactly the arguments and the state that were approved', async () => {
  const seen: unknown[] = [];
  const tool = writeTool({
    precondition: async () => 'state-1',
    execute: async (args, context) => {
      seen.push(args, context.approvedPrecondition, context.principal, context.idempotencyKey.length);
      return 'done';
    },
  });

  await world.callTool(await approvedWrite(world, tool));

  expect(seen).toEqual([{ text: 'a' }, 'state-1', 'local', 43]);
});

test('a write nobody has decided about is not run, whatever its input says', async () => {
  const tool = writeTool();
  world.useTools([tool]);
  world.model.add(calls(['change', { text: 'a' }]));
  const plan = first((await world.callModel()).calls);

  const result = await world.callTool({ ...plan, verdict: 'run' });

  expect(result).toMatchObject({ status: 'superseded', ask: { approvalId: plan.approvalId, kind: 'call' } });
  expect(tool.ran).toEqual([]);
});

test('a write that was rejected answers with the rejection and never runs', async () => {
  const tool = writeTool();
  world.useTools([tool]);
  world.model.add(calls(['change', { text: 'a' }]));
  const plan = first((await world.callModel()).calls);
  await world.decide(plan.approvalId ?? '', 'reject');

  expect(await world.callTool(plan)).toMatchObject({ status: 'rejected' });
  expect(tool.ran).toEqual([]);
});

test('a state that changed after the approval is asked about again, and the new approval runs', async () => {
  let state = 'state-1';
  const tool = writeTool({ precondition: async () => state, preview: async () => `from ${state}` });
  const plan = await approvedWrite(world, tool);
  state = 'state-2';

  const asked = await world.callTool(plan);
  const repeated = await world.callTool(plan, {}, { attempt: 2 });

  expect(asked).toMatchObject({ status: 'superseded', ask: { kind: 'call' } });
  const ask = asked.status === 'superseded' ? asked.ask : undefined;
  expect(repeated).toMatchObject({ ask });
  expect(await world.store.readApproval(world.key.tenant, plan.approvalId ?? '')).toMatchObject({
    status: 'superseded',
  });
  expect(await world.store.readApproval(world.key.tenant, ask?.approvalId ?? '')).toMatchObject({
    ask: 2,
    status: 'pending',
    preview: 'from state-2',
    precondition: 'state-2',
  });
  expect((await world.entriesOf('approval.requested'))[1]?.data).toMatchObject({
    supersedes: plan.approvalId,
    because: 'precondition',
  });
  expect(tool.ran).toEqual([]);

  await world.decide(ask?.approvalId ?? '', 'approve');
  expect(await world.callTool({ ...plan, ...ask })).toMatchObject({ status: 'success' });
  expect(tool.ran).toEqual(['a']);
});

test('a definition that changed after the approval is asked about again', async () => {
  const plan = await approvedWrite(world, writeTool());
  const newer = writeTool({ version: '2' });
  world.useTools([newer]);

  const asked = await world.callTool(plan);

  expect(asked).toMatchObject({ status: 'superseded' });
  expect((await world.entriesOf('approval.requested'))[1]?.data.because).toBe('tool_definition');
  expect(newer.ran).toEqual([]);
});

test('a worker with another definition leaves the call to others for a while', async () => {
  const plan = await approvedWrite(world, writeTool());
  world.useTools([writeTool({ version: '2' })]);
  world.use({ definitionGraceMs: 60_000 });

  expect(await failureOf(world.callTool(plan))).toMatchObject({ code: 'definition_not_here', retryable: true });
  expect(await world.entriesOf('approval.requested')).toHaveLength(1);
});

test('a policy that forbids the call by now answers it', async () => {
  const tool = writeTool();
  const plan = await approvedWrite(world, tool);
  world.use({ policy: { version: '2', decide: () => ({ verdict: 'deny' }) } });

  expect(await world.callTool(plan)).toMatchObject({ status: 'denied' });
  expect(tool.ran).toEqual([]);
});

test('a call that ran without a question is asked about when the policy wants one by now', async () => {
  const tool = writeTool();
  world.useTools([tool]);
  world.use({ policy: { version: '1', decide: () => ({ verdict: 'run' }) } });
  world.model.add(calls(['change', { text: 'a' }]));
  const plan = first((await world.callModel()).calls);
  world.use({ policy: undefined });

  expect(await world.callTool(plan)).toMatchObject({ status: 'superseded', ask: { kind: 'call' } });
  expect(tool.ran).toEqual([]);
});

test('a check before execution that fails answers the call', async () => {
  let isBroken = false;
  const tool = writeTool({
    precondition: async () => {
      if (isBroken) {
        throw new Error('disk on fire');
      }
      return 'ok';
    },
  });
  const plan = await approvedWrite(world, tool);
  isBroken = true;

  expect(await world.callTool(plan)).toMatchObject({ status: 'error' });
  expect(tool.ran).toEqual([]);
});

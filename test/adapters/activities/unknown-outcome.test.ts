import { z } from 'zod';
import type { VerifyAnswer } from '../../../src/definitions/define-tool';
import {
  type ActivityWorld,
  createActivityWorld,
  failureOf,
  toolInput,
  writeTool,
} from '../../support/activities/activity-world';
import { approvedWrite, loseTry, lostWrite, passLeases, passLeasesOnce } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

test('another attempt waits for the lease of a lost one', async () => {
  const plan = await lostWrite(world, writeTool());

  const attempt = world.callTool(plan, {}, { attempt: 2 });

  await expect(attempt).rejects.toMatchObject({ type: 'call_busy', nonRetryable: false });
  await attempt.catch(({ nextRetryDelay }: { nextRetryDelay: number }) => {
    expect(nextRetryDelay).toBeGreaterThan(9_000);
    expect(nextRetryDelay).toBeLessThan(12_000);
  });
});

test.each<[string, (() => Promise<VerifyAnswer>) | undefined, string, string[], readonly string[]]>([
  ['says it was applied', async () => 'applied', 'success', [], ['started.1', 'result']],
  ['says it was not', async () => 'not_applied', 'success', ['a'], ['started.1', 'started.2', 'result']],
  ['does not know', async () => 'unknown', 'superseded', [], ['started.1', 'ask.2']],
  ['throws', () => Promise.reject(new Error('no')), 'superseded', [], ['started.1', 'ask.2']],
  ['says nonsense', async () => 'perhaps' as VerifyAnswer, 'superseded', [], ['started.1', 'ask.2']],
  ['does not exist', undefined, 'superseded', [], ['started.1', 'ask.2']],
])('after the lease, a verify that %s', async (_name, verify, status, ran, keys) => {
  const tool = writeTool(verify === undefined ? {} : { verify });
  const plan = await lostWrite(world, tool);
  passLeasesOnce(world);

  const result = await world.callTool(plan, {}, { attempt: 2 });

  expect(result.status).toBe(status);
  expect(tool.ran).toEqual(ran);
  const written = (await world.entries()).filter(({ callId }) => callId !== undefined).map(({ key }) => key);
  expect(written.slice(-keys.length)).toEqual(keys.map((key) => `t1.r1.c1.${key}`));
});

test('an idempotent write does not wait: it runs again under the same key', async () => {
  const keys: string[] = [];
  const tool = writeTool({
    idempotent: true,
    execute: async (_args, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'done';
    },
  });
  const plan = await lostWrite(world, tool);

  expect(await world.callTool(plan, {}, { attempt: 2 })).toMatchObject({ status: 'success' });
  expect(keys).toHaveLength(1);
});

test('what a lost try may have changed itself is no reason to ask again', async () => {
  let state = 'before';
  const tool = writeTool({ idempotent: true, precondition: async () => state });
  const plan = await lostWrite(world, tool);
  state = 'changed by the lost try';

  expect(await world.callTool(plan, {}, { attempt: 2 })).toMatchObject({ status: 'success' });
});

test('a lost try that did not happen is checked again before the next one', async () => {
  let state = 'before';
  const tool = writeTool({ precondition: async () => state, verify: async () => 'not_applied' });
  const plan = await lostWrite(world, tool);
  state = 'changed by somebody else';
  passLeasesOnce(world);

  expect(await world.callTool(plan, {}, { attempt: 2 })).toMatchObject({ status: 'superseded', ask: { kind: 'call' } });
  expect(tool.ran).toEqual([]);
});

test('the question about an unknown outcome is asked once, and each answer means what it says', async () => {
  const tool = writeTool();
  const plan = await lostWrite(world, tool);
  passLeasesOnce(world);
  const asked = await world.callTool(plan, {}, { attempt: 2 });
  expect(await world.callTool(plan, {}, { attempt: 3 })).toMatchObject({
    ask: asked.status === 'superseded' && asked.ask,
  });
  const approvalId = asked.status === 'superseded' ? asked.ask.approvalId : '';
  expect(await world.store.readApproval(world.key.tenant, approvalId)).toMatchObject({
    kind: 'outcome',
    ask: 2,
    status: 'pending',
    reason: 'outcome_unknown',
  });

  expect(await world.decide(approvalId, 'run_again')).toBe('taken');
  const again = await world.callTool(plan, { approvalId }, { attempt: 1 });

  expect(again).toMatchObject({ status: 'success' });
  expect(tool.ran).toEqual(['a']);
  expect((await world.entriesOf('tool.started')).map(({ data }) => data.approvalId)).toEqual([
    plan.approvalId,
    approvalId,
  ]);
});

test('a second try that a human allowed and that is lost is asked about anew', async () => {
  const tool = writeTool();
  const plan = await lostWrite(world, tool);
  passLeasesOnce(world);
  const asked = await world.callTool(plan, {}, { attempt: 2 });
  const approvalId = asked.status === 'superseded' ? asked.ask.approvalId : '';
  await world.decide(approvalId, 'run_again');
  await loseTry(world, plan, approvalId, 1);

  const next = await world.callTool(plan, { approvalId }, { attempt: 2 });

  expect(next).toMatchObject({ status: 'superseded', ask: { kind: 'outcome' } });
  expect(next.status === 'superseded' && next.ask.approvalId).not.toBe(approvalId);
  expect(tool.ran).toEqual([]);
});

test('a write a person says was applied is answered without running', async () => {
  const tool = writeTool();
  const plan = await lostWrite(world, tool);
  passLeasesOnce(world);
  const asked = await world.callTool(plan, {}, { attempt: 2 });
  const approvalId = asked.status === 'superseded' ? asked.ask.approvalId : '';

  await world.decide(approvalId, 'applied');

  expect(await world.callTool(plan, { approvalId })).toMatchObject({ status: 'success' });
  expect(tool.ran).toEqual([]);
});

test.each<[string, VerifyAnswer, string]>([
  ['it took effect', 'applied', 'success'],
  ['it did not, but its body still runs', 'not_applied', 'superseded'],
  ['nobody knows', 'unknown', 'superseded'],
])('a write that ignores its timeout: %s', async (_name, answer, status) => {
  let finish = (_text: string): void => undefined;
  const body = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const tool = writeTool({ timeoutMs: 30, verify: async () => answer, execute: () => body });
  const plan = await approvedWrite(world, tool);

  expect(await world.callTool(plan)).toMatchObject({ status });

  finish('truth');
  while ((await world.entriesOf('tool.late_result')).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect((await world.entriesOf('tool.late_result'))[0]?.data).toEqual({ try: 1, status: 'success', text: 'truth' });
});

test('a write that stops at its timeout and is known not to have happened ends as a timeout', async () => {
  const tool = writeTool({
    timeoutMs: 30,
    verify: async () => 'not_applied',
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      }),
  });

  expect(await world.callTool(await approvedWrite(world, tool))).toMatchObject({ status: 'timeout' });
});

test('a worker that stops lets a write that has begun end', async () => {
  let cancel = (): void => undefined;
  const tool = writeTool({
    execute: async (_args, { signal }) => {
      world.stopping.abort();
      cancel();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return signal.aborted ? 'aborted' : 'ran to its end';
    },
  });
  const plan = await approvedWrite(world, tool);
  const { result, environment } = world.start((activities) => activities.default(toolInput(plan)), {
    activityType: 'tool.change',
  });
  cancel = () => environment.cancel('WORKER_SHUTDOWN');

  expect(await result).toMatchObject({ status: 'success' });
  expect((await world.entriesOf('tool.result'))[0]?.data.text).toBe('ran to its end');
});

test('a try that began with a definition nobody has any more is asked about when its lease is over', async () => {
  const plan = await lostWrite(world, writeTool());
  world.useTools([writeTool({ name: 'other' })]);

  expect(await failureOf(world.callTool(plan, {}, { attempt: 2 }))).toMatchObject({ code: 'call_busy' });
  passLeases(world);

  expect(await world.callTool(plan, {}, { attempt: 3 })).toMatchObject({
    status: 'superseded',
    ask: { kind: 'outcome' },
  });
  const [, question] = await world.entriesOf('approval.requested');
  expect(await world.store.readApproval(world.key.tenant, question?.data.approvalId ?? '')).toMatchObject({
    tool: 'change',
    arguments: { text: 'a' },
  });
});

test('a try that began with arguments this definition reads otherwise is never repeated', async () => {
  const plan = await lostWrite(world, writeTool({ idempotent: true }));
  const newer = writeTool({
    idempotent: true,
    parameters: z.object({ text: z.string(), mode: z.string().default('hard') }),
  } as never);
  world.useTools([newer]);
  passLeases(world);

  expect(await world.callTool(plan, {}, { attempt: 2 })).toMatchObject({
    status: 'superseded',
    ask: { kind: 'outcome' },
  });
  expect(newer.ran).toEqual([]);
});

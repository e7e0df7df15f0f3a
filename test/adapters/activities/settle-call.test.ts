import type { VerifyAnswer } from '../../../src/definitions/define-tool';
import {
  type ActivityWorld,
  at,
  createActivityWorld,
  failureOf,
  toolInput,
  writeTool,
} from '../../support/activities/activity-world';
import { says } from '../../support/activities/scripted-model';
import { approvedWrite, lostWrite, passLeases, triesBegun } from '../../support/activities/writes';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  await world.open();
});

afterEach(async () => {
  await world.close();
});

function endTurn() {
  return world.run((activities) =>
    activities.endTurn({ v: 1, turn: 1, outcome: 'cancelled', rounds: 1, calls: 1, activeMs: 0 }),
  );
}

test('a write cut by a cancelled turn has no result until settleCall has found out', async () => {
  let cancel = (): void => undefined;
  const tool = writeTool({
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cut')), { once: true });
        cancel();
      }),
  });
  const plan = await approvedWrite(world, tool);
  const { result, environment } = world.start((activities) => activities.default(toolInput(plan)), {
    activityType: 'tool.change',
  });
  cancel = () => environment.cancel('CANCELLED');
  expect(await failureOf(result)).toMatchObject({ code: 'CANCELLED' });

  const ended = await endTurn();
  expect(ended).toMatchObject({ status: 'unsettled', unsettled: [{ callId: plan.callId }] });
  passLeases(world);
  const settled = await world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));
  const again = await world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));

  expect(settled).toMatchObject({ status: 'outcome_unknown', ask: { kind: 'outcome' } });
  expect(again).toEqual(settled);
  expect(await endTurn()).toMatchObject({ status: 'ended', outcome: 'cancelled' });
  expect(await world.store.readApproval(world.key.tenant, settled.ask?.approvalId ?? '')).toMatchObject({
    status: 'pending',
  });

  await world.decide(settled.ask?.approvalId ?? '', 'applied');
  await world.store.putMessage({
    ...world.key,
    message: {
      messageId: 'm2',
      mode: 'followup',
      content: 'and now?',
      principal: 'local',
      provenance: 'authenticated',
    },
    at: at(),
  });
  world.model.add(says('I see.'));
  await world.callModel({
    turn: 2,
    messages: [{ messageId: 'm2', mode: 'followup' }],
    inject: [settled.ask?.approvalId ?? ''],
  });

  const texts = world.model.requests[1]?.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
  expect(texts?.at(-1)).toContain('a person says that it took effect');
});

test.each<[VerifyAnswer, string]>([
  ['applied', 'success'],
  ['not_applied', 'aborted'],
])('settleCall believes a verify that says %s', async (answer, status) => {
  const plan = await lostWrite(world, writeTool({ verify: async () => answer }));
  passLeases(world);

  const settled = await world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));

  expect(settled.status).toBe(status);
  expect(settled.ask).toBeUndefined();
});

test('settleCall answers a call that never began', async () => {
  const plan = await approvedWrite(world, writeTool());

  const settled = await world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));

  expect(settled).toMatchObject({ status: 'aborted' });
});

test('settleCall waits for a result that comes before the lease is over', async () => {
  let finish = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const plan = await approvedWrite(
    world,
    writeTool({
      execute: async () => {
        await running;
        return 'done';
      },
    }),
  );
  const attempt = world.callTool(plan);
  await triesBegun(world, 1);

  const settled = world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await world.entriesOf('tool.result')).toHaveLength(0);
  finish();

  expect(await attempt).toMatchObject({ status: 'success' });
  expect(await settled).toMatchObject({ status: 'success' });
});

test('a question that the call itself asks while settleCall waits for its lease stays the one', async () => {
  const tool = writeTool({
    timeoutMs: 300,
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cut')), { once: true });
      }),
  });
  const plan = await approvedWrite(world, tool);
  const store = world.store;
  let aheadMs = 0;
  world.use({ store: { ...store, clockMs: async () => (await store.clockMs()) + aheadMs } });
  const attempt = world.callTool(plan);
  await triesBegun(world, 1);
  const settling = world.run(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));

  const asked = await attempt;
  aheadMs = 60_000;
  const settled = await settling;

  expect(asked).toMatchObject({ status: 'superseded', ask: { kind: 'outcome' } });
  expect(settled).toMatchObject({ status: 'outcome_unknown', ask: 'ask' in asked ? asked.ask : undefined });
  expect(await endTurn()).toMatchObject({ status: 'ended', outcome: 'cancelled' });
});

test('settleCall that is cut off while it asks the tool says nothing about the call', async () => {
  let cancel = (): void => undefined;
  const plan = await lostWrite(
    world,
    writeTool({
      verify: () => {
        cancel();
        return new Promise(() => undefined);
      },
    }),
  );
  passLeases(world);
  const { result, environment } = world.start(({ settleCall }) => settleCall({ v: 1, callId: plan.callId }));
  cancel = () => environment.cancel('WORKER_SHUTDOWN');

  expect(await failureOf(result)).toMatchObject({ code: 'WORKER_SHUTDOWN' });
  expect(await world.entriesOf('tool.result')).toHaveLength(0);
});

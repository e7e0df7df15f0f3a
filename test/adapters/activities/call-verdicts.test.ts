import { ToolRefused } from '../../../src/core/tool-refused';
import type { Policy } from '../../../src/definitions/policy';
import {
  type ActivityWorld,
  createActivityWorld,
  first,
  readTool,
  writeTool,
} from '../../support/activities/activity-world';
import { calls, says } from '../../support/activities/scripted-model';

let world: ActivityWorld;

beforeEach(async () => {
  world = await createActivityWorld();
  world.useTools([readTool(), writeTool()]);
  await world.open();
});

afterEach(async () => {
  await world.close();
});

/** What becomes of one call: its verdict, and its result when it is answered at once. */
async function verdictOf(name: string, args: unknown): Promise<readonly [verdict: string, code: string | undefined]> {
  world.model.add(calls([name, args]));
  const { calls: plans } = await world.callModel();
  const [result] = await world.entriesOf('tool.result');
  return [first(plans).verdict, result?.data.code];
}

test.each([
  ['look', { text: 'a' }, 'run', undefined],
  ['look', ' {"text":"a"} ', 'run', undefined],
  ['look', JSON.stringify('{"text":"a"}'), 'run', undefined],
  ['change', { text: 'a' }, 'review', undefined],
  ['nothing', { text: 'a' }, 'unknown_tool', 'unknown_tool'],
  ['look', '', 'invalid', 'invalid_arguments'],
  ['look', 'null', 'invalid', 'invalid_arguments'],
  ['look', '[]', 'invalid', 'invalid_arguments'],
  ['look', '{"text":', 'invalid', 'invalid_arguments'],
  ['look', '{"text":"a","text":"b"}', 'invalid', 'invalid_arguments'],
  ['look', '{"text":"\\ud800"}', 'invalid', 'invalid_arguments'],
  ['look', JSON.stringify(JSON.stringify('{"text":"a"}')), 'invalid', 'invalid_arguments'],
  ['look', '{"text":"a","n":9007199254740993}', 'invalid', 'invalid_arguments'],
  ['change', { txt: 'a' }, 'invalid', 'invalid_arguments'],
])('a call of %s with %j is %s', async (name, args, verdict, code) => {
  expect(await verdictOf(name, args)).toEqual([verdict, code]);
});

test('violations name the path and what is expected', async () => {
  await verdictOf('look', { text: 7 });

  const [result] = await world.entriesOf('tool.result');
  expect(result?.data).toMatchObject({ status: 'invalid' });
  expect(result?.data.text).toContain('- text: expected string');
});

test('a reply and everything about its calls is one batch, the reply first', async () => {
  world.model.add(calls(['look', { text: 'a' }], ['change', { text: 'b' }], ['nothing', {}]));

  await world.callModel();

  const batch = (await world.entries()).filter(
    (entry, _index, all) => entry.batch === all.find(({ type }) => type === 'model.reply')?.seq,
  );
  expect(batch.map(({ type, callId }) => [type, callId])).toEqual([
    ['model.reply', undefined],
    ['policy.decided', 't1-r1-c1'],
    ['policy.decided', 't1-r1-c2'],
    ['approval.requested', 't1-r1-c2'],
    ['tool.result', 't1-r1-c3'],
  ]);
});

test('a question shows what will run and hides what is sensitive', async () => {
  world.useTools([
    writeTool({
      sensitive: ['text'],
      summarize: () => 'Change\nit',
      preview: async () => '- a\n+ b',
      precondition: async () => 'state-1',
    }),
  ]);
  world.model.add(calls(['change', { text: 'secret' }]));

  const plan = first((await world.callModel()).calls);

  const [reply] = await world.entriesOf('model.reply');
  const approval = await world.store.readApproval(world.key.tenant, plan.approvalId ?? '');
  expect(approval).toMatchObject({
    kind: 'call',
    ask: 1,
    status: 'pending',
    summary: 'Change it',
    preview: '- a\n+ b',
    precondition: 'state-1',
    arguments: { text: 'hidden (6 characters)' },
    argumentsDigest: plan.argumentsDigest,
    toolDigest: reply?.data.calls[0]?.toolDigest,
    expiresAt: plan.expiresAt,
    reason: 'writes_are_reviewed',
  });
  expect(plan.risk).toBe('medium');
});

test.each([
  ['throws', () => Promise.reject(new Error('boom')), 'tool_failed'],
  ['hangs', () => new Promise<string>(() => undefined), 'tool_timeout'],
  ['refuses', () => Promise.reject(new ToolRefused('The file is locked.')), 'tool_refused'],
])('a call whose preview %s is answered, and nobody is asked', async (_name, preview, code) => {
  world.useTools([writeTool({ preview, timeoutMs: 30 })]);

  expect(await verdictOf('change', { text: 'a' })).toEqual(['deny', code]);
  expect(await world.entriesOf('approval.requested')).toHaveLength(0);
  const text = first(await world.entriesOf('tool.result')).data.text;
  expect(text.includes('locked')).toBe(code === 'tool_refused');
  expect(text).not.toContain('boom');
});

test.each<[string, Policy['decide'], string, string]>([
  ['lets run', () => ({ verdict: 'run', reason: 'small' }), 'run', 'small'],
  ['denies', () => ({ verdict: 'deny' }), 'deny', 'policy_rule'],
  ['throws', () => Promise.reject(new Error('no')), 'review', 'policy_failed'],
  ['says nothing', () => undefined, 'review', 'policy_undecided'],
  ['says nonsense', () => ({ verdict: 'always' }) as never, 'review', 'policy_undecided'],
  ['hangs', () => new Promise(() => undefined), 'review', 'policy_timeout'],
])('a policy that %s about a write', async (_name, decide, verdict, reason) => {
  world.use({ policy: { version: 'p7', decide }, timing: { ...shortTiming(), policyMs: 30 } });

  expect((await verdictOf('change', { text: 'a' }))[0]).toBe(verdict);
  expect((await world.entriesOf('policy.decided'))[0]?.data).toEqual({
    tool: 'change',
    verdict,
    reason,
    policyVersion: 'p7',
  });
});

test('of more than 64 calls the rest is skipped', async () => {
  world.model.add(calls(...Array.from({ length: 66 }, (_, index) => ['look', { text: `${index}` }] as const)));

  const { calls: plans } = await world.callModel();

  expect(plans.map(({ verdict }) => verdict)).toEqual([...Array(64).fill('run'), 'skipped', 'skipped']);
  expect(await world.entriesOf('tool.result')).toHaveLength(2);
});

test('a flood of calls is cut to what one batch can answer, and every call that is kept has its result', async () => {
  world.model.add(calls(...Array.from({ length: 3_000 }, () => ['nothing', {}] as const)));

  const { calls: plans } = await world.callModel();

  expect(plans).toHaveLength(256);
  expect(await world.entriesOf('tool.result')).toHaveLength(256);
  expect((await world.entriesOf('model.reply'))[0]?.data.blocks).toHaveLength(256);
});

test('calls in a round that offered no tools are answered, not run', async () => {
  world.model.add(calls(['look', { text: 'a' }]), calls(['look', { text: 'b' }]));
  const plan = first((await world.callModel()).calls);
  await world.callTool(plan);

  const final = await world.callModel({ round: 2, final: 'max_rounds' });

  expect(final.calls).toMatchObject([{ verdict: 'skipped' }]);
});

test('what a person rejected in this turn is denied without being asked again', async () => {
  world.model.add(
    calls(['change', { text: 'a' }]),
    calls(['change', { text: 'a' }], ['change', { text: 'b' }]),
    says('ok'),
  );
  const plan = first((await world.callModel()).calls);
  expect(await world.decide(plan.approvalId ?? '', 'reject')).toBe('taken');

  const { calls: plans } = await world.callModel({ round: 2 });

  expect(plans.map(({ verdict }) => verdict)).toEqual(['deny', 'review']);
});

test('a repeat of a round returns its questions as they are now', async () => {
  world.model.add(calls(['change', { text: 'a' }], ['change', { text: 'b' }]));
  const [left, right] = (await world.callModel()).calls;
  await world.decide(left?.approvalId ?? '', 'approve');

  const { calls: plans } = await world.callModel({}, { attempt: 2 });

  expect(plans).toEqual([{ ...left, verdict: 'run' }, right]);
});

function shortTiming() {
  return {
    heartbeatMs: 1_000,
    modelIdleMs: 1_000,
    storePatienceMs: 100,
    resultPatienceMs: 100,
    abandonMs: 10,
    policyMs: 100,
    pollMs: 10,
  };
}

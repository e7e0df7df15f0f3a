import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCallResult } from '../../../src/core/activity-contracts';
import type { JsonObject } from '../../../src/core/json';
import type { CallPlan } from '../../../src/core/tools';
import { digestOfBytes } from '../../../src/digests/digest-of';
import { idempotencyKeyOf } from '../../../src/digests/idempotency-key';
import { type ActivityWorld, createActivityWorld, first } from '../../support/activities/activity-world';
import { calls } from '../../support/activities/scripted-model';
import { loseTry, passLeasesOnce } from '../../support/activities/writes';
import { createWorkspaceFolder, toolContext, type WorkspaceFolder } from '../../support/workspace-folder';

/** The leases of the tests are those of a write of one second. */
const TIMEOUT_MS = 1_000;

/** A write of the workspace on a file that holds `one`. */
interface FileWrite {
  readonly tool: 'write_file' | 'edit_file' | 'delete_file';
  readonly args: JsonObject;
  /** The content afterwards; undefined for none. */
  readonly after: string | undefined;
}

const WRITES: readonly FileWrite[] = [
  { tool: 'write_file', args: { path: 'a.txt', content: 'new\n' }, after: 'new\n' },
  // Made twice it would show: what takes the place of the text holds the text.
  { tool: 'edit_file', args: { path: 'a.txt', oldText: 'one\n', newText: 'one\ntwo\n' }, after: 'one\ntwo\n' },
  { tool: 'delete_file', args: { path: 'a.txt' }, after: undefined },
];

let world: ActivityWorld;
let folder: WorkspaceFolder;

beforeEach(async () => {
  world = await createActivityWorld();
  folder = createWorkspaceFolder();
  writeFileSync(join(folder.root, 'a.txt'), 'one\n');
  await world.open();
});

afterEach(async () => {
  await world.close();
  folder.remove();
});

/** An approved write whose first try has begun in a process that died then. */
async function lostTry({ tool, args }: FileWrite): Promise<CallPlan> {
  world.useTools([folder.tools[tool]]);
  world.model.add(calls([tool, args]));
  const plan = first((await world.callModel()).calls);
  expect(await world.decide(plan.approvalId ?? '', 'approve')).toBe('taken');
  await loseTry(world, { ...plan, timeoutMs: TIMEOUT_MS }, plan.approvalId ?? '');
  return plan;
}

/** What the process that died had done by then. */
async function takeEffect({ tool, args }: FileWrite, plan: CallPlan): Promise<void> {
  const approval = await world.store.readApproval(world.key.tenant, plan.approvalId ?? '');
  const context = toolContext({ approvedPrecondition: approval?.precondition, idempotencyKey: keyOf(tool, args) });
  await folder.tools[tool].execute(args, context);
}

function keyOf(tool: string, args: JsonObject): string {
  return idempotencyKeyOf({ ...world.key, turn: 1, round: 1, ordinal: 1, tool, args });
}

/** The next attempt, once the lost one may act no more. */
async function nextAttempt(plan: CallPlan): Promise<ToolCallResult> {
  passLeasesOnce(world);
  return world.callTool(plan, {}, { attempt: 2 });
}

const tries = async (): Promise<number> => (await world.entriesOf('tool.started')).length;

/** Everything in the folder, hidden names too. */
function files(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(folder.root).map((name) => [name, readFileSync(join(folder.root, name), 'utf8')]),
  );
}

describe.each(WRITES)('$tool in a process that dies', (write) => {
  const done = write.after === undefined ? {} : { 'a.txt': write.after };

  test('before the effect is made by the next attempt', async () => {
    const plan = await lostTry(write);

    expect(await nextAttempt(plan)).toMatchObject({ status: 'success' });
    expect(files()).toEqual(done);
    expect(await tries()).toBe(2);
  });

  test('after the effect is not made again', async () => {
    const plan = await lostTry(write);
    await takeEffect(write, plan);

    expect(await nextAttempt(plan)).toMatchObject({ status: 'success' });
    expect(files()).toEqual(done);
    expect(await tries()).toBe(1);
  });
});

test.each(WRITES.slice(0, 2))('$tool removes the unfinished file of a try that died while it wrote', async (write) => {
  const plan = await lostTry(write);
  const stem = `.holdpoint-${digestOfBytes(keyOf(write.tool, write.args)).slice(0, 22)}`;
  writeFileSync(join(folder.root, `${stem}.1.tmp`), 'half of');

  expect(await nextAttempt(plan)).toMatchObject({ status: 'success' });
  expect(files()).toEqual({ 'a.txt': write.after });
});

test.each(WRITES.slice(1))(
  '$tool asks a person when the file is neither what it was nor what it should be',
  async (write) => {
    const plan = await lostTry(write);
    await takeEffect(write, plan);
    rmSync(join(folder.root, 'a.txt'), { force: true });
    writeFileSync(join(folder.root, 'a.txt'), 'one\nby hand\n');

    const asked = await nextAttempt(plan);
    expect(asked).toMatchObject({ status: 'superseded', ask: { kind: 'outcome' } });
    expect(files()).toEqual({ 'a.txt': 'one\nby hand\n' });

    // The edit would still fit, and the file is there to be deleted: it is not what was approved.
    const approvalId = asked.status === 'superseded' ? asked.ask.approvalId : '';
    expect(await world.decide(approvalId, 'run_again')).toBe('taken');
    expect(await world.callTool(plan, { approvalId })).toMatchObject({ status: 'error' });
    expect(files()).toEqual({ 'a.txt': 'one\nby hand\n' });
    expect((await world.entriesOf('tool.result')).map(({ data }) => data.text)).toEqual([
      '"a.txt" is not what it was when this call was approved. It was left alone; read it again.',
    ]);
  },
);

import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import type { Pending } from '../../support/api-driver';
import { CliProcess, type CliResult, runCli } from '../../support/cli/run-cli';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

const refund = defineTool({
  name: 'refund',
  description: 'A write of high risk.',
  parameters: z.object({ order: z.string(), note: z.string().optional() }),
  effect: 'write',
  risk: 'high',
  summarize: ({ order }) => `Refund ${order}`,
  execute: async () => 'refunded',
});

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: [refund] });
});

afterAll(async () => {
  await stack.stop();
});

function environment() {
  return { HOLDPOINT_URL: stack.gateway.url };
}

function holdpoint(...parameters: readonly string[]): Promise<CliResult> {
  return runCli(['approvals', ...parameters], { environment: environment() });
}

async function ask(message: string, sessionId: string): Promise<Pending> {
  await stack.startSession(message, sessionId);
  const [question] = await stack.pending(sessionId);
  return question as Pending;
}

describe('approvals list and show', () => {
  it('list has what is open, and by --status what was answered', async () => {
    const question = await ask('write l.txt: x', 'listed');
    const { stdout } = await holdpoint('list');
    expect(stdout).toMatch(/^approval +tool +risk +status +expires in +session +question\n/);
    expect(stdout).toContain(question.approvalId);
    const listed = JSON.parse((await holdpoint('list', '--json')).stdout) as { approvals: unknown[] };
    expect(listed.approvals).toMatchObject([{ approvalId: question.approvalId, arguments: question.arguments }]);
    await stack.decide(question, 'reject');
    expect(await holdpoint('list')).toEqual({ exitCode: 0, stdout: '', stderr: 'Nothing waits for a decision.\n' });
    expect((await holdpoint('list', '--status', 'rejected')).stdout).toContain(question.approvalId);
    expect((await holdpoint('list', '--status', 'all')).stdout).toContain(question.approvalId);
  });

  it('show has the exact arguments, also long ones and those of several lines, the difference, and the digest', async () => {
    const content = `first\n${'long '.repeat(2_000)}\nlast`;
    const call = `call write_file ${JSON.stringify({ path: 'shown.txt', content })}`;
    const question = await ask(call, 'shown');
    const { stdout } = await holdpoint('show', question.approvalId);
    expect(stdout).toMatch(/^write_file {2}medium risk {2}pending\n/);
    expect(stdout).toContain(`  | ${'long '.repeat(2_000)}\n  | last\n  | (no line break at the end)\n`);
    expect(stdout).toContain('  path: "shown.txt"\n');
    expect(stdout).toContain('  | +first\n');
    expect(stdout).toContain(question.argumentsDigest);
    expect(JSON.parse((await holdpoint('show', question.approvalId, '--json')).stdout)).toMatchObject({
      approvalId: question.approvalId,
      arguments: { content },
      decisions: [],
    });
    await stack.decide(question, 'reject');
  });
});

describe('approvals approve', () => {
  it('approves what has the digest, and nothing else', async () => {
    const question = await ask('write a.txt: x', 'approved');
    const other = await holdpoint('approve', question.approvalId, '--digest', 'other');
    expect(other).toMatchObject({ exitCode: 4, stdout: '', stderr: expect.stringContaining('not the arguments') });
    const taken = await holdpoint('approve', question.approvalId, '--digest', question.argumentsDigest);
    expect(taken).toEqual({ exitCode: 0, stdout: 'Approved. The call may run now.\n', stderr: '' });
    await stack.untilTurnEnded('approved', 1);
    const late = await holdpoint('approve', question.approvalId, '--digest', question.argumentsDigest, '--json');
    expect({ ...late, stdout: JSON.parse(late.stdout) }).toMatchObject({
      exitCode: 4,
      stdout: { outcome: 'already_decided', approval: { status: 'approved' } },
    });
  });

  it('approves nothing unseen: without a terminal it asks for the digest', async () => {
    const question = await ask('write u.txt: x', 'unseen');
    for (const input of ['', 'a\n', 'y\n']) {
      const result = await runCli(['approvals', 'approve', question.approvalId], { environment: environment(), input });
      expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('--digest') });
    }
    expect(await stack.pending('unseen')).toHaveLength(1);
    await stack.decide(question, 'reject');
  });
});

describe('approvals reject and answer', () => {
  it('rejects with a reason that the agent is told', async () => {
    const question = await ask('write r.txt: x', 'rejected');
    const rejected = await holdpoint('reject', question.approvalId, '--comment', 'wrong folder', '--json');
    expect(JSON.parse(rejected.stdout)).toMatchObject({ outcome: 'taken', approval: { status: 'rejected' } });
    await stack.untilTurnEnded('rejected', 1);
    const result = (await stack.wireEntries('rejected')).find(({ type }) => type === 'tool.result');
    expect(result?.data['text']).toContain('wrong folder');
  });

  it('wants a reason where the risk is high', async () => {
    const question = await ask('call refund {"order":"A-17"}', 'risky');
    const refused = await holdpoint('reject', question.approvalId);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--comment') });
    expect(await stack.pending('risky')).toHaveLength(1);
    expect(await holdpoint('reject', question.approvalId, '--comment', 'no receipt')).toMatchObject({
      exitCode: 0,
      stdout: 'Rejected. Nothing will run.\n',
    });
  });

  it('says which answers a question takes', async () => {
    const question = await ask('write q.txt: x', 'wrong-answer');
    const wrong = await holdpoint('answer', question.approvalId, 'applied', '--digest', question.argumentsDigest);
    expect(wrong).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('only be approved or rejected') });
    expect(await holdpoint('answer', question.approvalId, 'applied')).toMatchObject({ exitCode: 2 });
    await stack.decide(question, 'reject');
  });
});

describe('approvals watch', () => {
  it('prints a line for each question and each answer, once, until Ctrl-C', async () => {
    const before = await ask('write before.txt: x', 'before');
    const watch = new CliProcess(['approvals', 'watch'], { environment: environment() });
    await waitUntil(
      () => watch.stdout,
      (text) => text.includes(before.approvalId),
    );
    const later = await ask('write later.txt: x', 'later');
    await waitUntil(
      () => watch.stdout,
      (text) => text.includes(later.approvalId),
    );
    await stack.decide(before, 'reject');
    await waitUntil(
      () => watch.stdout,
      (text) => text.includes('rejected'),
    );
    watch.child.kill('SIGINT');
    const { exitCode, stdout, stderr } = await watch.end();
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('  ').slice(0, 4));
    expect(lines).toEqual([
      [before.approvalId, 'write_file', 'medium', 'pending'],
      [later.approvalId, 'write_file', 'medium', 'pending'],
      [before.approvalId, 'write_file', 'medium', 'rejected'],
    ]);
    await stack.decide(later, 'reject');
  });

  it('prints JSON lines', async () => {
    const question = await ask('write json.txt: x', 'json');
    const watch = new CliProcess(['approvals', 'watch', '--json'], { environment: environment() });
    await waitUntil(
      () => watch.stdout,
      (text) => text.includes(question.approvalId),
    );
    watch.child.kill('SIGINT');
    const { stdout } = await watch.end();
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ event: 'approval', data: { approvalId: question.approvalId, arguments: question.arguments } }]);
    await stack.decide(question, 'reject');
  });
});

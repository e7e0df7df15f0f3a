import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import type { Pending } from '../../support/api-driver';
import { TerminalProcess } from '../../support/cli/terminal-process';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

const refund = defineTool({
  name: 'refund',
  description: 'A write of high risk.',
  parameters: z.object({ order: z.string() }),
  effect: 'write',
  risk: 'high',
  summarize: ({ order }) => `Refund ${order}`,
  execute: async () => 'refunded',
});

const INTERRUPT = '\u0003';
const END = '\u0004';
const ENTER = '\r';

let stack: RunningStack;
const opened: TerminalProcess[] = [];

beforeAll(async () => {
  stack = await RunningStack.start({ tools: [refund] });
});

afterEach(() => {
  for (const terminal of opened.splice(0)) {
    terminal.kill();
  }
});

afterAll(async () => {
  await stack.stop();
});

function open(parameters: readonly string[], size: { columns?: number; rows?: number } = {}): TerminalProcess {
  const terminal = new TerminalProcess(parameters, { environment: { HOLDPOINT_URL: stack.gateway.url }, ...size });
  opened.push(terminal);
  return terminal;
}

async function ask(message: string, sessionId: string): Promise<Pending> {
  await stack.startSession(message, sessionId);
  const [question] = await stack.pending(sessionId);
  return question as Pending;
}

async function openQuestions(): Promise<readonly Pending[]> {
  const { json } = await stack.get('/v1/approvals?status=pending');
  return (json?.['approvals'] ?? []) as Pending[];
}

async function statusOf({ approvalId }: Pending): Promise<unknown> {
  return (await stack.get(`/v1/approvals/${approvalId}`)).json?.['status'];
}

describe('approvals approve at a terminal', () => {
  it('shows everything, and Enter alone does not approve', async () => {
    const question = await ask('write e.txt: x', 'enter');
    const terminal = open(['approvals', 'approve', question.approvalId]);
    const screen = await terminal.shows('Type a to approve:');
    expect(screen).toContain('| +x');
    expect(screen).toContain(question.argumentsDigest);
    terminal.type(ENTER);
    expect(await terminal.end()).toBe(4);
    expect(await terminal.screen()).toContain('nothing was decided');
    expect(await statusOf(question)).toBe('pending');
    await stack.decide(question, 'reject');
  });

  it('approves what it showed after the letter', async () => {
    const question = await ask('write letter.txt: x', 'letter');
    const terminal = open(['approvals', 'approve', question.approvalId]);
    await terminal.shows('Type a to approve:');
    terminal.type(`a${ENTER}`);
    expect(await terminal.end()).toBe(0);
    await terminal.shows('Approved. The call may run now.');
    expect(await statusOf(question)).toBe('approved');
  });

  it("wants the tool's name where the risk is high", async () => {
    const question = await ask('call refund {"order":"A-17"}', 'high');
    const first = open(['approvals', 'approve', question.approvalId]);
    await first.shows('Type refund to approve:');
    first.type(`a${ENTER}`);
    expect(await first.end()).toBe(4);
    expect(await statusOf(question)).toBe('pending');
    const second = open(['approvals', 'approve', question.approvalId]);
    await second.shows('Type refund to approve:');
    second.type(`refund${ENTER}`);
    expect(await second.end()).toBe(0);
    expect(await statusOf(question)).toBe('approved');
  });

  it('ends with 130 at Ctrl-C, and nothing is decided', async () => {
    const question = await ask('write i.txt: x', 'interrupted');
    const terminal = open(['approvals', 'approve', question.approvalId]);
    await terminal.shows('Type a to approve:');
    terminal.type(INTERRUPT);
    expect(await terminal.end()).toBe(130);
    expect(await statusOf(question)).toBe('pending');
    await stack.decide(question, 'reject');
  });
});

describe('approvals watch at a terminal', () => {
  it('shows what is open and what is answered, and brings the former screen back at Ctrl-C', async () => {
    const first = await ask('write first.txt: x', 'first');
    const terminal = open(['approvals', 'watch']);
    await terminal.shows('1 question waits for a decision');
    const second = await ask('call refund {"order":"B-1"}', 'second');
    const screen = await terminal.shows('2 questions wait for a decision');
    expect(screen).toMatch(/write_file {2}medium risk {2}pending {2}expires in 23 h 59 min\n {2}Write first\.txt/);
    expect(screen).toMatch(
      new RegExp(`refund {2}high risk {2}pending.*\\n {2}Refund B-1\\n {2}${second.approvalId} {2}session second`),
    );
    await stack.decide(first, 'reject');
    expect(await terminal.shows('1 question waits for a decision')).toMatch(/write_file {2}medium risk {2}rejected/);
    terminal.type(INTERRUPT);
    expect(await terminal.end()).toBe(130);
    expect(await terminal.screen()).not.toContain('write_file');
    await stack.decide(second, 'reject');
  });

  it('writes only the lines that change', async () => {
    const terminal = open(['approvals', 'watch']);
    await terminal.shows('0 questions wait for a decision');
    const questions = await Promise.all(
      [1, 2, 3, 4].map((number) => ask(`write n${number}.txt: x`, `lines-${number}`)),
    );
    await terminal.shows('4 questions wait for a decision');
    const before = terminal.written.length;
    await stack.decide(questions[0] as Pending, 'reject');
    const screen = await terminal.shows('3 questions wait for a decision');
    const changed = screen.split('\n').filter((line) => /3 questions wait|rejected$/.test(line));
    expect(changed).toHaveLength(2);
    // Each of them with a cursor move, its colours and the clearing of what stands behind it.
    const written = terminal.written.slice(before);
    expect(written.length).toBeLessThanOrEqual(2 * changed.join('').length);
    expect(written).not.toContain('n2.txt');
    for (const question of questions.slice(1)) {
      await stack.decide(question, 'reject');
    }
  });

  it('fits a narrow terminal, and one that is made smaller', async () => {
    const question = await ask('write narrow.txt: x', 'narrow');
    const terminal = open(['approvals', 'watch'], { columns: 40, rows: 12 });
    expect(await terminal.shows(question.approvalId)).toContain('Ctrl-C leaves.');
    terminal.resize(30, 8);
    await waitUntil(
      () => terminal.screen(),
      (screen) => screen.includes('There are more') && screen.split('\n').every((line) => line.length < 30),
    );
    terminal.type(INTERRUPT);
    expect(await terminal.end()).toBe(130);
    await stack.decide(question, 'reject');
  });
});

describe('chat', () => {
  it('talks, asks with everything to see, and goes on when it is approved', async () => {
    const terminal = open(['chat', 'workspace']);
    await terminal.shows(/you>$/);
    terminal.type(`hello${ENTER}`);
    await terminal.shows('only repeat what you said: hello');
    await terminal.shows(/you>$/);
    terminal.type(`write chat.txt: from chat${ENTER}`);
    const screen = await terminal.shows('a to approve, r to reject, l for later:');
    expect(screen).toContain('| +from chat');
    terminal.type(`a${ENTER}`);
    await terminal.shows('Approved. The call may run now.');
    await terminal.shows('write_file succeeded');
    await terminal.shows(/you>$/);
    terminal.type(END);
    expect(await terminal.end()).toBe(0);
    expect(await terminal.screen()).toMatch(/The session goes on: holdpoint chat --session s_/);
  });

  it('decides nothing by Enter alone, nor by keys typed before the question has stood there', async () => {
    const terminal = open(['chat', 'workspace']);
    await terminal.shows(/you>$/);
    // The keys behind the message come before the question does.
    terminal.type(`write early.txt: x${ENTER}`);
    terminal.type(`a${ENTER}a${ENTER}`);
    await terminal.shows('a to approve, r to reject, l for later:');
    terminal.type(ENTER);
    await terminal.shows('Nothing was decided.');
    const [question] = await openQuestions();
    expect(question?.arguments).toMatchObject({ path: 'early.txt' });
    terminal.type(`r${ENTER}`);
    await terminal.shows('reason (sent to the agent):');
    terminal.type(`not now${ENTER}`);
    await terminal.shows('Rejected. Nothing will run.');
    await terminal.shows(/you>$/);
  });

  it('takes a question away that is answered elsewhere', async () => {
    const terminal = open(['chat', 'workspace']);
    await terminal.shows(/you>$/);
    terminal.type(`write elsewhere.txt: x${ENTER}`);
    await terminal.shows('a to approve, r to reject, l for later:');
    const [question] = await openQuestions();
    await stack.decide(question as Pending, 'reject', { comment: 'by somebody else' });
    await terminal.shows('Already rejected by local');
    await terminal.shows(/you>$/);
  });

  it('cancels the turn at the first Ctrl-C, also at a question, and leaves at the second', async () => {
    const terminal = open(['chat', 'workspace']);
    await terminal.shows(/you>$/);
    terminal.type(`write stop.txt: x${ENTER}`);
    await terminal.shows('a to approve, r to reject, l for later:');
    terminal.type(INTERRUPT);
    await terminal.shows('Cancelling the turn; Ctrl-C again leaves.');
    await terminal.shows('The turn ended as cancelled');
    await terminal.shows(/you>$/);
    terminal.type(`slow 20${ENTER}`);
    await terminal.shows(/Asking the model/);
    terminal.type(INTERRUPT);
    await terminal.shows(/Cancelling[\s\S]*Cancelling/);
    terminal.type(INTERRUPT);
    expect(await terminal.end()).toBe(130);
  });

  it('goes on with a session and its open question', async () => {
    const question = await ask('write resumed.txt: x', 'resumed');
    const terminal = open(['chat', '--session', 'resumed']);
    await terminal.shows('a to approve, r to reject, l for later:');
    terminal.type(`a${ENTER}`);
    await terminal.shows('write_file succeeded');
    expect(await statusOf(question)).toBe('approved');
  });

  it('talks with the only agent there is when none is named', async () => {
    const terminal = open(['chat']);
    await terminal.shows(/you>$/);
    terminal.type(`hello${ENTER}`);
    await terminal.shows('only repeat what you said: hello');
  });

  it('shows a reply once that needed more than one attempt', async () => {
    const terminal = open(['chat', 'workspace'], { columns: 60 });
    await terminal.shows(/you>$/);
    terminal.type(`cut${ENTER}`);
    const screen = await terminal.shows(/The turn ended as failed/);
    expect(screen.split('model_stream_cut').length).toBeGreaterThan(2);
    await terminal.shows(/you>$/);
  });
});

import { type CliResult, runCli } from '../../support/cli/run-cli';
import { RunningStack } from '../../support/running-stack';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

function holdpoint(...parameters: readonly string[]): Promise<CliResult> {
  return runCli(parameters, { environment: { HOLDPOINT_URL: stack.gateway.url } });
}

function json({ stdout }: CliResult): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

describe('sessions start', () => {
  it('prints the id of the session, and starts no second one under the same id', async () => {
    const started = await holdpoint('sessions', 'start', 'workspace', 'hello', 'there', '--id', 'once');
    expect(started).toEqual({ exitCode: 0, stdout: 'once\n', stderr: '' });
    const again = await holdpoint('sessions', 'start', 'workspace', 'hello there', '--id', 'once', '--json');
    expect(json(again)).toEqual({ sessionId: 'once' });
    await stack.untilTurnEnded('once', 1);
    const messages = (await stack.wireEntries('once')).filter(({ type }) => type === 'user.message');
    expect(messages.map(({ data }) => data['content'])).toEqual(['hello there']);
  });

  it('with --wait prints what the agent says, and what goes on apart from it', async () => {
    const { exitCode, stdout, stderr } = await holdpoint('sessions', 'start', 'workspace', 'hello', '--wait');
    expect({ exitCode, firstLine: stdout.split('\n')[0] }).toEqual({
      exitCode: 0,
      firstLine: 'I am a mock model and only repeat what you said: hello',
    });
    expect(stderr).toMatch(/^session s_/);
  });

  it('with --wait says which question is in the way, and goes on when it is answered', async () => {
    const waiting = holdpoint('sessions', 'start', 'workspace', 'write w.txt: x', '--id', 'asks', '--wait', '--json');
    const [question] = await stack.pending('asks');
    await stack.decide(question as NonNullable<typeof question>, 'reject', { comment: 'no' });
    const ended = await waiting;
    expect(json(ended)).toMatchObject({ sessionId: 'asks', turn: 1, outcome: 'completed' });
    expect(ended.stderr).toContain(`holdpoint approvals show ${question?.approvalId}`);
    expect(ended.stderr).toContain('Decided: reject by local');
  });

  it('with --wait exits with 1 when the turn ends otherwise than completed', async () => {
    const failed = await holdpoint('sessions', 'start', 'workspace', 'fail model_auth', '--wait', '--json');
    expect(json(failed)).toMatchObject({ outcome: 'failed', code: 'model_auth' });
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ended as failed (model_auth)') });
  });

  it('reads the message from standard input', async () => {
    const options = { environment: { HOLDPOINT_URL: stack.gateway.url }, input: 'list\n' };
    const { exitCode } = await runCli(['sessions', 'start', 'workspace', '-', '--id', 'piped'], options);
    expect(exitCode).toBe(0);
    const [, message] = await stack.wireEntries('piped');
    expect(message?.data).toMatchObject({ content: 'list\n' });
  });
});

describe('sessions send', () => {
  it('prints the id of the message; with --wait what is said in its own turn', async () => {
    await stack.startSession('hello', 'talks');
    const sent = json(await holdpoint('sessions', 'send', 'talks', 'one more', '--json'));
    expect(sent).toEqual({ messageId: expect.stringMatching(/^m_/) });
    const waited = await holdpoint('sessions', 'send', 'talks', 'and a last one', '--wait');
    expect(waited.stdout).toContain('only repeat what you said: and a last one');
    expect(waited.exitCode).toBe(0);
  });

  it('sends into the open turn when it is told to steer', async () => {
    await stack.startSession('write s.txt: x', 'steered');
    await stack.pending('steered');
    expect((await holdpoint('sessions', 'send', 'steered', 'hurry', '--mode', 'steer')).exitCode).toBe(0);
    const [question] = await stack.pending('steered');
    await stack.decide(question as NonNullable<typeof question>, 'reject');
    await stack.untilTurnEnded('steered', 1);
    const steer = (await stack.wireEntries('steered')).filter(({ data }) => data['content'] === 'hurry');
    expect(steer.map(({ data }) => data['mode'])).toEqual(['steer']);
  });
});

describe('sessions show, list and explain', () => {
  beforeAll(async () => {
    await stack.startSession('write shown.txt: x', 'shown');
    await stack.pending('shown');
  });

  it('show says where a session stands and how to see what it waits for, with --log also its log', async () => {
    const [question] = await stack.pending('shown');
    const { stdout } = await holdpoint('sessions', 'show', 'shown', '--log');
    expect(stdout).toMatch(/^shown {2}waiting_for_approval\n/);
    expect(stdout).toContain(`holdpoint approvals show ${question?.approvalId}`);
    expect(stdout).toMatch(/ 2 {2}\d\d:\d\d:\d\d {2}user\.message {2}turn 1\n {4}\| write shown\.txt: x\n/);
    const shown = json(await holdpoint('sessions', 'show', 'shown', '--log', '--json'));
    expect(shown['entries']).toEqual((await stack.get('/v1/sessions/shown/entries?after=0')).json?.['entries']);
  });

  it('list has the newest sessions, those of a status or an agent only when it is told so', async () => {
    const { stdout } = await holdpoint('sessions', 'list', '--status', 'waiting_for_approval');
    expect(stdout).toMatch(/^session +agent +status/);
    expect(stdout).toMatch(/^shown +workspace +waiting_for_approval +1 +1 +/m);
    const page = json(await holdpoint('sessions', 'list', '--limit', '1', '--json'));
    expect(page).toMatchObject({ sessions: [{ sessionId: expect.any(String) }], nextAfter: expect.any(String) });
    const next = json(
      await holdpoint('sessions', 'list', '--limit', '1', '--after', String(page['nextAfter']), '--json'),
    );
    expect(next['sessions']).not.toEqual(page['sessions']);
    const none = await holdpoint('sessions', 'list', '--agent', 'nobody');
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr: 'No session matches.\n' });
  });

  it('explain says what it waits for and what would make it go on', async () => {
    const { stdout } = await holdpoint('sessions', 'explain', 'shown');
    expect(stdout).toMatch(/^Session shown waits for a person/);
    expect(stdout).toContain('- decision: ');
    expect(json(await holdpoint('sessions', 'explain', 'shown', '--json'))).toMatchObject({
      waitsFor: [{ kind: 'decision' }],
      temporal: { status: 'RUNNING' },
    });
  });
});

describe('sessions cancel, close and repair', () => {
  it('cancel ends the open turn, and says so when none is open', async () => {
    await stack.startSession('write c.txt: x', 'cancelled');
    await stack.pending('cancelled');
    expect(json(await holdpoint('sessions', 'cancel', 'cancelled', '--json'))).toEqual({
      sessionId: 'cancelled',
      turn: 1,
    });
    expect(await stack.untilTurnEnded('cancelled', 1)).toMatchObject({ lastTurn: { outcome: 'cancelled' } });
    const { stdout } = await holdpoint('sessions', 'cancel', 'cancelled', '--turn', '1');
    expect(stdout).toBe('No turn is open in cancelled.\n');
  });

  it('close ends a session', async () => {
    await stack.startSession('hello', 'closed');
    await stack.untilTurnEnded('closed', 1);
    expect(await holdpoint('sessions', 'close', 'closed')).toMatchObject({ exitCode: 0 });
    await stack.until('/v1/sessions/closed', ({ status }) => status === 'closed');
    expect(json(await holdpoint('sessions', 'close', 'closed', '--json'))).toMatchObject({ sessionId: 'closed' });
  });

  it('repair refuses a session that is not blocked, and does it by force', async () => {
    await stack.startSession('hello', 'repaired');
    await stack.untilTurnEnded('repaired', 1);
    const refused = await holdpoint('sessions', 'repair', 'repaired', '--reason', 'T-1');
    expect(refused).toMatchObject({ exitCode: 4, stdout: '', stderr: expect.stringContaining('(not_blocked)') });
    const forced = await holdpoint('sessions', 'repair', 'repaired', '--reason', 'T-1', '--force', '--json');
    expect(json(forced)).toEqual({ sessionId: 'repaired', blockedCode: null });
  });
});

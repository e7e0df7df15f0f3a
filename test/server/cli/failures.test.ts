import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, startGateway } from '../../../src/gateway/main';
import { CliProcess, type CliResult, runCli } from '../../support/cli/run-cli';
import { RunningStack } from '../../support/running-stack';
import { silentLogger } from '../../support/silent-logger';
import { waitUntil } from '../../support/wait-until';

let stack: RunningStack;
let folder: string;

beforeAll(async () => {
  stack = await RunningStack.start();
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-cli-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack.stop();
});

function holdpoint(...parameters: readonly string[]): Promise<CliResult> {
  return runCli(parameters, { environment: { HOLDPOINT_URL: stack.gateway.url } });
}

/** An address at which nothing listens. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('exit codes', () => {
  it.each([
    [3, 'unknown_session', ['sessions', 'show', 'nobody']],
    [3, 'unknown_session', ['sessions', 'send', 'nobody', 'hello']],
    [3, 'unknown_session', ['sessions', 'watch', 'nobody']],
    [3, 'unknown_session', ['sessions', 'explain', 'nobody']],
    [3, 'unknown_agent', ['sessions', 'start', 'nobody', 'hello']],
    [3, 'unknown_approval', ['approvals', 'show', 'nobody']],
    [3, 'unknown_approval', ['approvals', 'reject', 'nobody', '--comment', 'x']],
    [2, 'invalid_request', ['sessions', 'start', 'workspace', ' ']],
    [2, 'invalid_request', ['sessions', 'list', '--after', 'nonsense']],
    [2, 'invalid_request', ['sessions', 'list', '--url', 'nonsense']],
    [2, 'invalid_request', ['chat', 'workspace']],
  ])('%i: %s for %j, as a sentence and as JSON', async (exitCode, code, parameters) => {
    const [told, json] = await Promise.all([holdpoint(...parameters), holdpoint(...parameters, '--json')]);
    expect(told).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(`(${code})`) });
    expect({ exitCode: json.exitCode, ...JSON.parse(json.stderr) }).toMatchObject({ exitCode, error: { code } });
  });

  it.each([
    [[]],
    [['nonsense']],
    [['sessions']],
    [['sessions', 'nonsense']],
    [['sessions', 'show']],
    [['sessions', 'show', 'a', 'b']],
    [['sessions', 'list', '--nonsense']],
    [['sessions', 'list', '--limit', '0']],
    [['sessions', 'send', 'a', 'b', '--mode', 'nonsense']],
    [['sessions', 'repair', 'a']],
    [['approvals', 'answer', 'a', 'nonsense']],
    [['completion', 'nonsense']],
  ])('2 for %j, with what to type instead', async (parameters) => {
    const { exitCode, stdout, stderr } = await holdpoint(...parameters);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/--help|display help/);
  });

  it.each([
    [['--help']],
    [['sessions', '--help']],
    [['help', 'sessions']],
    [['sessions', 'start', '--help']],
    [['--version']],
  ])('0 for %j', async (parameters) => {
    expect(await holdpoint(...parameters)).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(/./),
    });
  });

  it.each([[['--help']], [['completion', 'bash']], [['doctor', '--json']], [['init', 'unread']]])(
    'nobody who reads what %j prints is no fault',
    async (parameters) => {
      const unread = new CliProcess(parameters, { workingFolder: folder });
      unread.child.stdout?.destroy();
      expect((await unread.end()).stderr).not.toContain('EPIPE');
    },
  );

  it('6 for a decision that is stored while no worker is up', async () => {
    await stack.startSession('write six.txt: x', 'six');
    const [question] = await stack.pending('six');
    await stack.stopWorker();
    try {
      const { approvalId = '', argumentsDigest = '' } = question ?? {};
      const stored = await holdpoint('approvals', 'approve', approvalId, '--digest', argumentsDigest);
      expect(stored).toMatchObject({
        exitCode: 6,
        stdout: '',
        stderr: expect.stringMatching(/^Stored\. It takes effect/),
      });
    } finally {
      await stack.startWorker();
    }
    await stack.untilTurnEnded('six', 1);
  });
});

describe('a gateway that is not there', () => {
  it('is told at once by every command, with what to do, and exits with 5', async () => {
    const url = await deadAddress();
    const commands = [
      ['sessions', 'list'],
      ['sessions', 'watch', 'a'],
      ['sessions', 'start', 'workspace', 'hello'],
      ['approvals', 'list'],
      ['approvals', 'watch'],
      ['approvals', 'approve', 'a', '--digest', 'b'],
    ];
    for (const command of commands) {
      const { exitCode, stderr } = await runCli([...command, '--url', url]);
      expect({ command, exitCode, stderr }).toEqual({
        command,
        exitCode: 5,
        stderr: `holdpoint: no holdpoint gateway answers at ${url} (gateway_unreachable)\nStart one with \`holdpoint dev\`, or name its address with --url or HOLDPOINT_URL.\n`,
      });
    }
  });

  it('is waited for by a watcher that has seen it, which goes on without a gap or a double', async () => {
    const temporal = { address: stack.temporalAddress, namespace: 'default', taskQueue: 'holdpoint' };
    const open = (port: number): Promise<Gateway> =>
      startGateway({ store: stack.store, feed: stack.feed, temporal, port, logger: silentLogger });
    await stack.startSession('hello', 'followed');
    await stack.untilTurnEnded('followed', 1);
    const first = await open(0);
    const watch = new CliProcess(['sessions', 'watch', 'followed', '--json', '--url', first.url]);
    await waitUntil(
      () => watch.stdout,
      (text) => text.includes('"turn.ended"'),
    );
    await first.close();
    await waitUntil(
      () => watch.stderr,
      (text) => text.includes('does not answer; trying again'),
    );
    const second = await open(Number(new URL(first.url).port));
    try {
      await stack.send('followed', 'hello again');
      await waitUntil(
        () => watch.stdout,
        (text) => text.split('"turn.ended"').length > 2,
      );
      watch.child.kill('SIGINT');
      expect(await watch.end()).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('answers again') });
    } finally {
      await second.close();
    }
    const events = watch.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; data: { seq: number } });
    const seqs = events.filter(({ event }) => event === 'entry').map(({ data }) => data.seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });
});

describe('the address of the gateway', () => {
  it('is that of the holdpoint that runs on the nearest state folder, when nothing names another', async () => {
    const project = join(folder, 'project');
    mkdirSync(join(project, '.holdpoint'), { recursive: true });
    mkdirSync(join(project, 'deep', 'down'), { recursive: true });
    const owner = { pid: process.pid, startedAt: new Date().toISOString(), url: stack.gateway.url };
    writeFileSync(join(project, '.holdpoint', 'owner.json'), JSON.stringify(owner));
    const workingFolder = join(project, 'deep', 'down');
    expect(await runCli(['sessions', 'show', 'nobody'], { workingFolder })).toMatchObject({ exitCode: 3 });
    const flagged = await runCli(['sessions', 'show', 'nobody', '--url', await deadAddress()], { workingFolder });
    expect(flagged).toMatchObject({ exitCode: 5 });
  });
});

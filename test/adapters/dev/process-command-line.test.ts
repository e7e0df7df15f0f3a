import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { listCommandLines, readCommandLine } from '../../../src/dev/process-command-line';
import { processIsRunning } from '../../../src/dev/process-is-running';

const NO_PROCESS = 2 ** 22 + 1;
const WAITS = ['-e', 'setInterval(() => undefined, 60_000)', 'an argument with spaces', 'the last'];

/** The way that asks `ps` is the one of macOS; it serves everywhere. */
describe.each([...new Set([process.platform, 'darwin'])])('command lines of processes, read as on %s', (platform) => {
  let child: ChildProcess;
  beforeAll(async () => {
    child = spawn(process.execPath, WAITS, { stdio: 'ignore' });
    await once(child, 'spawn');
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('finds those of one process and of all', () => {
    const pid = child.pid ?? 0;
    const commandLine = [process.execPath, ...WAITS].join(' ');
    expect(readCommandLine(pid, platform)).toBe(commandLine);
    expect(listCommandLines(platform)).toContainEqual({ pid, commandLine });
  });

  it('finds none for a process that does not exist', () => {
    expect(readCommandLine(NO_PROCESS, platform)).toBeNull();
  });
});

it('takes a process as running until it has ended', async () => {
  const child = spawn(process.execPath, WAITS, { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  expect(processIsRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(processIsRunning(pid)).toBe(false);
});

if (process.platform === 'linux') {
  it('does not wait on Linux for a dead process to be collected by its parent', async () => {
    // The shell replaces itself by a program that never collects the child, which ends at once.
    const script = 'sh -c "echo \\$\\$" & exec sleep 60';
    const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    while (processIsRunning(pid)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // It is still there: the system takes a signal for it.
    expect(process.kill(pid, 0)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
}

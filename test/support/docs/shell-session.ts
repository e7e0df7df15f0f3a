import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../wait-until';

/** A command that has ended. */
interface CommandRun {
  readonly exitCode: number;
  /** What it has printed so far. */
  readonly printed: () => string;
}

/** A terminal: one shell that keeps its variables and background jobs from command to command. */
export class ShellSession {
  private readonly shell: ChildProcess;
  private readonly folder: string;
  private count = 0;

  /** With job control, as at a terminal: what runs in the background has a process group of its own. */
  constructor(workingFolder: string, environment: NodeJS.ProcessEnv) {
    this.folder = mkdtempSync(join(tmpdir(), 'holdpoint-shell-'));
    this.shell = spawn('bash', ['--norc', '--noprofile'], {
      cwd: workingFolder,
      env: environment,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.shell.stdin?.write('set -m\n');
  }

  /** Runs a command to its end, at most a minute. A job that it leaves in the background may print more. */
  async run(command: string): Promise<CommandRun> {
    this.count += 1;
    const output = join(this.folder, `${this.count}.out`);
    const code = join(this.folder, `${this.count}.code`);
    this.shell.stdin?.write(`{ ${command}\n} >${output} 2>&1\necho $? >${code}\n`);
    const ended = await waitUntil(
      () => readOrNothing(code),
      (text) => text.endsWith('\n'),
    );
    return { exitCode: Number(ended), printed: () => readOrNothing(output) };
  }

  /** Ends the shell, not its background jobs. */
  close(): void {
    this.shell.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

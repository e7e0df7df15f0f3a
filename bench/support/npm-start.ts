import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ApiDriver } from '../../test/support/api-driver';

const ROOT_FOLDER = join(__dirname, '..', '..');
const READY_TIMEOUT_MS = 120_000;

/** `npm start` in this clone, as users type it, with a state folder and a workspace of its own. */
export class NpmStart extends ApiDriver {
  private readonly folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  private readonly homeFolder = join(this.folder, 'state');
  private url = '';
  private child: ChildProcess | undefined;

  /** Resolves with the milliseconds until it says that it is ready. */
  async start(): Promise<number> {
    const startMs = performance.now();
    const child = spawn('npm', ['start'], {
      cwd: ROOT_FOLDER,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.environment(),
    });
    this.child = child;
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`npm start ${why}:\n${lines.join('\n')}`));
      const timer = setTimeout(() => fail('was not ready in time'), READY_TIMEOUT_MS);
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          lines.push(line);
          const ready = /^holdpoint ready at (\S+)$/.exec(line);
          if (ready !== null) {
            this.url = ready[1] ?? '';
            clearTimeout(timer);
            resolve(performance.now() - startMs);
          }
        });
      }
    });
  }

  /** Ctrl-C, to the whole group. Resolves when everything has ended. */
  async stop(): Promise<void> {
    const child = this.child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGINT');
    await gone;
  }

  /** Stops everything, also what a failed start left behind, and removes the folders. */
  async dispose(): Promise<void> {
    await this.stop();
    await promisify(execFile)('npm', ['run', 'stop'], { cwd: ROOT_FOLDER, env: this.environment() });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Process ids of holdpoint: the one that started everything, its worker, and the Temporal server. */
  processes(): Readonly<Record<'parent' | 'worker' | 'temporal', number>> {
    const temporal = (JSON.parse(readFileSync(join(this.homeFolder, 'server.json'), 'utf8')) as { pid: number }).pid;
    const group = this.child?.pid;
    const nodes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => groupOf(pid) === group && commandOf(pid).startsWith('node'));
    const worker = nodes.find((pid) => nodes.includes(parentOf(pid)));
    if (worker === undefined) {
      throw new Error(`No worker among the processes of ${group}.`);
    }
    return { parent: parentOf(worker), worker, temporal };
  }

  protected override baseUrl(): string {
    return this.url;
  }

  private environment(): NodeJS.ProcessEnv {
    const own = { HOLDPOINT_HOME: this.homeFolder, HOLDPOINT_WORKSPACE: this.folder, HOLDPOINT_PORT: '0' };
    return { ...process.env, TEMPORAL_ADDRESS: '', ...own };
  }
}

/** The fields behind the name in /proc/PID/stat: state, parent, group, … */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

function groupOf(pid: number): number {
  return Number(statOf(pid)[2]);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'utf8');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(__dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');
const READY_TIMEOUT_MS = 45_000;

/** An answer of the gateway. */
export interface Answer {
  readonly status: number;
  // The tests look into what came over the wire, whatever it is.
  readonly body: Record<string, never> & { readonly [key: string]: unknown };
}

/**
 * `holdpoint dev` as users run it: the built program in processes of its own, in a process group of its own, with a
 * state folder and a workspace of its own.
 */
export class DevProcess {
  readonly homeFolder: string;
  readonly workspaceFolder: string;
  /** Every line it printed, over all starts. */
  readonly lines: string[] = [];
  url = '';
  temporalAddress = '';
  private child: ChildProcess | undefined;
  private readonly extra: Readonly<Record<string, string>>;

  constructor(extraEnvironment: Readonly<Record<string, string>> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-dev-'));
    this.homeFolder = join(folder, 'state');
    this.workspaceFolder = mkdtempSync(join(folder, 'workspace-'));
    this.extra = extraEnvironment;
  }

  /** Resolves when the process says it is ready; rejects with all it printed when it ends before. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, 'dev'], {
      cwd: this.workspaceFolder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TEMPORAL_ADDRESS: '',
        HOLDPOINT_HOME: this.homeFolder,
        HOLDPOINT_PORT: '0',
        ...this.extra,
      },
    });
    this.child = child;
    const from = this.lines.length;
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why}:\n${this.lines.slice(from).join('\n')}`));
      const timer = setTimeout(() => fail('not ready in time'), READY_TIMEOUT_MS);
      child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => {
          this.lines.push(line);
          this.temporalAddress = /^temporal at (\S+)$/.exec(line)?.[1] ?? this.temporalAddress;
          const ready = /^holdpoint ready at (\S+)$/.exec(line);
          if (ready !== null) {
            this.url = ready[1] ?? '';
            clearTimeout(timer);
            resolve();
          }
        });
      }
    });
  }

  /** kill -9 of the whole process group, as a power cut would; the Temporal server is in a group of its own. */
  async kill(): Promise<void> {
    const child = this.child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  /** Ctrl-C: the signal goes to the whole group, as a terminal sends it. Resolves with the exit code. */
  async interrupt(): Promise<number | null> {
    const child = this.child;
    if (child?.pid === undefined || child.exitCode !== null) {
      return child?.exitCode ?? null;
    }
    const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    process.kill(-child.pid, 'SIGINT');
    return gone;
  }

  /** Ends everything, also a Temporal server that a kill left behind, and removes the folders. */
  async dispose(): Promise<void> {
    await this.kill();
    await new Promise<void>((resolve, reject) => {
      const stop = spawn(process.execPath, [PROGRAM, 'stop'], {
        stdio: 'ignore',
        env: { ...process.env, HOLDPOINT_HOME: this.homeFolder },
      });
      stop.once('error', reject);
      stop.once('exit', () => resolve());
    });
    rmSync(join(this.homeFolder, '..'), { recursive: true, force: true });
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await fetch(`${this.url}${path}`));
  }

  async post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return answerOf(response);
  }

  /** Starts a session of the built-in agent and returns its id. */
  async startSession(content: string): Promise<string> {
    const { status, body } = await this.post('/v1/sessions', { agent: 'workspace', message: { content } });
    if (status !== 201) {
      throw new Error(`The session was not created: ${status} ${JSON.stringify(body)}`);
    }
    return String(body['sessionId']);
  }

  /** Asks until `isDone` holds; the gateway has no stream yet. Fails with the last answer after the deadline. */
  async until(path: string, isDone: (answer: Answer) => boolean, deadlineMs = 45_000): Promise<Answer> {
    const endMs = Date.now() + deadlineMs;
    for (;;) {
      const answer = await this.get(path).catch((error: unknown) => ({
        status: 0,
        body: { error: String(error) } as never,
      }));
      if (isDone(answer)) {
        return answer;
      }
      if (Date.now() > endMs) {
        throw new Error(`${path} did not get there: ${JSON.stringify(answer)}\n${this.log().slice(-4_000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  untilIdle(sessionId: string): Promise<Answer> {
    return this.until(`/v1/sessions/${sessionId}`, ({ body }) => body['status'] === 'idle');
  }

  /** The pending approvals of a session, once there are as many as expected. */
  async pendingApprovals(sessionId: string, count = 1): Promise<readonly PendingApproval[]> {
    const mine = ({ body }: Answer) =>
      ((body['approvals'] ?? []) as readonly PendingApproval[]).filter((approval) => approval.sessionId === sessionId);
    return mine(await this.until('/v1/approvals?status=pending', (answer) => mine(answer).length === count));
  }

  approve(approval: PendingApproval): Promise<Answer> {
    return this.post(`/v1/approvals/${approval.approvalId}/decisions`, {
      decision: 'approve',
      argumentsDigest: approval.argumentsDigest,
    });
  }

  async entries(sessionId: string): Promise<readonly WireEntry[]> {
    const { body } = await this.get(`/v1/sessions/${sessionId}/entries?after=0`);
    return body['entries'] as unknown as readonly WireEntry[];
  }

  /** What the processes wrote to their log file. */
  log(): string {
    try {
      return readFileSync(join(this.homeFolder, 'holdpoint.log'), 'utf8');
    } catch {
      return '';
    }
  }
}

export interface PendingApproval {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly kind: string;
  readonly tool: string;
  readonly argumentsDigest: string;
  readonly arguments: unknown;
  readonly preview?: string;
}

export interface WireEntry {
  readonly seq: number;
  readonly key: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

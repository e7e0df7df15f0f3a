import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiDriver, type Pending, type WireEntry } from '../api-driver';
import { logFaults } from '../log-faults';
import type { OwnTemporalServer } from '../own-temporal-server';
import { CrashProcess, type CrashSettings } from './crash-process';
import { EffectTarget } from './effect-tools';

/** A store, a target and the processes that work on them; a process that died is replaced by a new one. */
export class CrashSite extends ApiDriver {
  readonly folder: string;
  readonly target: EffectTarget;
  private readonly temporalAddress: string;
  private readonly taskQueue: string;
  private readonly processes: CrashProcess[] = [];

  constructor(temporalAddress: string) {
    super('payer');
    this.folder = mkdtempSync(join(tmpdir(), 'holdpoint-crash-'));
    this.target = new EffectTarget(join(this.folder, 'target'));
    this.temporalAddress = temporalAddress;
    this.taskQueue = this.folder;
  }

  /** Starts one more process; requests go to the newest one. */
  async startProcess(trap?: string, more: Pick<CrashSettings, 'activeMsPerTurn'> = {}): Promise<CrashProcess> {
    const process = await CrashProcess.start({
      folder: this.folder,
      temporalAddress: this.temporalAddress,
      taskQueue: this.taskQueue,
      ...(trap === undefined ? {} : { trap }),
      ...more,
    });
    this.processes.push(process);
    return process;
  }

  protected override baseUrl(): string {
    return this.processes.at(-1)?.url ?? '';
  }

  protected override explain(): string {
    return this.processes
      .flatMap((process) => process.lines)
      .slice(-20)
      .join('\n');
  }

  /** Starts a session whose first turn asks for one payment, and returns its id. */
  pay(tool: string, name: string, beforeMs = 0, afterMs = 0): Promise<string> {
    return this.startSession(`call ${tool} ${JSON.stringify({ name, beforeMs, afterMs })}`);
  }

  /** The same under an id of the caller's; false when the session was not accepted. */
  async payAs(sessionId: string, tool: string, name: string, beforeMs = 0, afterMs = 0): Promise<boolean> {
    const content = `call ${tool} ${JSON.stringify({ name, beforeMs, afterMs })}`;
    const { status } = await this.post('/v1/sessions', { agent: this.agent, message: { content }, sessionId });
    return status === 201 || status === 200;
  }

  /**
   * Answers questions about the sessions as a careful human would, until their first turns are over: approves calls, and
   * says of writes with an unknown outcome what the target says.
   */
  async decideUntilDone(sessionIds: readonly string[], deadlineMs = 120_000): Promise<void> {
    const endMs = Date.now() + deadlineMs;
    const open = new Set(sessionIds);
    while (open.size > 0) {
      if (Date.now() > endMs) {
        throw new Error(`Not done: ${[...open].join(', ')}\n${this.explain()}`);
      }
      const { json } = await this.get('/v1/approvals?status=pending');
      await this.answerAll((json?.['approvals'] ?? []) as Pending[], open);
      for (const sessionId of open) {
        const session = (await this.get(`/v1/sessions/${sessionId}`)).json;
        if (session?.['lastTurn'] !== null && session?.['status'] === 'idle') {
          open.delete(sessionId);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private async answerAll(approvals: readonly Pending[], sessions: ReadonlySet<string>): Promise<void> {
    for (const approval of approvals.filter(({ sessionId }) => sessions.has(sessionId))) {
      const name = String(approval.arguments['name']);
      const word =
        approval.kind === 'call' ? 'approve' : this.target.counts()[name] === undefined ? 'run_again' : 'applied';
      await this.decide(approval, word);
    }
  }

  /** Faults of a session whose turns are over; see `logFaults`. */
  logFaults(sessionId: string): readonly string[] {
    return logFaults(join(this.folder, 'holdpoint.db'), sessionId);
  }

  async dispose(): Promise<void> {
    for (const process of this.processes) {
      await process.kill();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Results of the calls in a log, by status. */
export function resultStatuses(entries: readonly WireEntry[]): readonly unknown[] {
  return entries.filter((entry) => entry.type === 'tool.result').map((entry) => entry.data['status']);
}

/** Runs a test on a site of its own, so that tests may wait side by side: most of their time is waiting. */
export async function withSite(temporal: OwnTemporalServer, run: (site: CrashSite) => Promise<void>): Promise<void> {
  const site = new CrashSite(temporal.server.address);
  try {
    await run(site);
  } finally {
    await site.dispose();
  }
}

/**
 * How long a decision takes when the worker that has the session in its cache was killed a moment before, while another
 * one polls; beside the same without a kill. Every sample is a session of its own that has worked before it waits.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Pending } from '../test/support/api-driver';
import type { CrashProcess } from '../test/support/crash/crash-process';
import { CrashSite } from '../test/support/crash/crash-site';
import { OwnTemporalServer } from '../test/support/own-temporal-server';
import { untilAtRest } from '../test/support/session-runs';
import { PAIRS, type Pair, pairedValues } from './support/paired';
import { report } from './support/report';

/** One delay says little: four for each pair of other benchmarks. */
const SAMPLES = 4 * PAIRS;

interface Sample {
  readonly takenMs: number;
  readonly bodyStartedMs: number;
}

/** Two processes with a worker and a gateway each; requests go to the one that was spoken to last. */
class TwoWorkers extends CrashSite {
  private spokenTo: CrashProcess | undefined;
  private pair: readonly CrashProcess[] = [];
  private readonly connection: Connection;

  constructor(temporalAddress: string, connection: Connection) {
    super(temporalAddress);
    this.connection = connection;
  }

  async fill(): Promise<void> {
    while (this.pair.length < 2) {
      this.pair = [...this.pair, await this.startProcess()];
    }
    this.spokenTo = this.pair[0];
  }

  protected override baseUrl(): string {
    return this.spokenTo?.url ?? '';
  }

  /** One session from its start to an approved payment. */
  async sample(name: string, isKilling: boolean): Promise<Sample> {
    const sessionId = await this.startSession('hello');
    await this.untilTurnEnded(sessionId, 1);
    await this.send(sessionId, `call pay_once ${JSON.stringify({ name, beforeMs: 0, afterMs: 0 })}`);
    const [approval] = await this.pending(sessionId);
    await untilAtRest(this.connection, `default/${sessionId}`);
    const holder = await this.holderOf(sessionId);
    this.spokenTo = this.pair.find((process) => process !== holder);
    if (isKilling) {
      this.pair = this.pair.filter((process) => process !== holder);
      await holder.kill();
    }
    const sentMs = Date.now();
    const takenMs = (await this.untilTaken(approval as Pending)) - sentMs;
    await this.untilTurnEnded(sessionId, 2);
    return { takenMs, bodyStartedMs: this.effectMs(name) - sentMs };
  }

  /** The process whose worker has the session in its cache. */
  private async holderOf(sessionId: string): Promise<CrashProcess> {
    const client = new Client({ connection: this.connection });
    const { events } = await client.workflow.getHandle(`default/${sessionId}`).fetchHistory();
    const identities = (events ?? []).map((event) => event.workflowTaskCompletedEventAttributes?.identity);
    const newest = identities.filter((identity) => typeof identity === 'string').at(-1) ?? '';
    const holder = this.pair.find(({ pid }) => newest.startsWith(`${pid}@`));
    if (holder === undefined) {
      throw new Error(`No process is ${newest}.`);
    }
    return holder;
  }

  /** Approves, and returns the time at which the approval was known to be taken. */
  private async untilTaken(approval: Pending): Promise<number> {
    const { json } = await this.decide(approval, 'approve');
    if (json?.['outcome'] !== 'taken') {
      await this.until(`/v1/approvals/${approval.approvalId}`, ({ status }) => status === 'approved');
    }
    return Date.now();
  }

  /** When the tool's target saw the payment: the first thing the body does. */
  private effectMs(name: string): number {
    const folder = join(this.folder, 'target', 'keys');
    const file = readdirSync(folder).find((key) => key.startsWith(`${name} `));
    return file === undefined ? Number.NaN : statSync(join(folder, file)).mtimeMs;
  }
}

function valuesOf(pairs: readonly Pair<Sample>[], quantity: keyof Sample) {
  return pairedValues(
    'no kill',
    pairs.map(({ ours, other }) => ({ ours: ours[quantity], other: other[quantity] })),
  );
}

async function measure(site: TwoWorkers): Promise<void> {
  const pairs: Pair<Sample>[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    await site.fill();
    const other = await site.sample(`calm${index}`, false);
    pairs.push({ ours: await site.sample(`killed${index}`, true), other });
  }
  report({ name: 'worker-loss/decision-taken', unit: 'ms', ...valuesOf(pairs, 'takenMs') });
  report({ name: 'worker-loss/body-started', unit: 'ms', ...valuesOf(pairs, 'bodyStartedMs') });
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  const temporal = await OwnTemporalServer.start(folder);
  const connection = await Connection.connect({ address: temporal.server.address });
  const site = new TwoWorkers(temporal.server.address, connection);
  try {
    await measure(site);
  } finally {
    await site.dispose();
    await connection.close();
    await temporal.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();

/**
 * How long `npm start` takes to say that it is ready, in a built clone: with a new state folder, and with one that was
 * used before; beside Temporal's development server alone, until it serves, with a new database and with the same one.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryPort } from '../src/dev/try-port';
import { waitForTemporal } from '../src/dev/wait-for-temporal';
import { temporalExecutable } from '../test/support/dev/temporal-executable';
import { NpmStart } from './support/npm-start';
import { inPairs, type Pair, pairedValues } from './support/paired';
import { report } from './support/report';

const SERVING_TIMEOUT_MS = 120_000;

/** Milliseconds to the first readiness and to the second one. */
interface Starts {
  readonly fresh: number;
  readonly later: number;
}

async function ourStarts(): Promise<Starts> {
  const program = new NpmStart();
  try {
    const fresh = await program.start();
    await program.stop();
    const later = await program.start();
    return { fresh, later };
  } finally {
    await program.dispose();
  }
}

async function bareStarts(): Promise<Starts> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  try {
    const executable = await temporalExecutable();
    const database = join(folder, 'temporal.db');
    const fresh = await startBare(executable, database);
    return { fresh, later: await startBare(executable, database) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startBare(executable: string, database: string): Promise<number> {
  const port = await tryPort(0);
  const startMs = performance.now();
  const server = spawn(
    executable,
    ['server', 'start-dev', '--headless', '--log-level', 'error', '--db-filename', database, '--port', String(port)],
    { stdio: 'ignore' },
  );
  const gone = new Promise((resolve) => server.once('exit', resolve));
  try {
    await waitForTemporal({ address: `127.0.0.1:${port}`, namespace: 'default', timeoutMs: SERVING_TIMEOUT_MS });
    return performance.now() - startMs;
  } finally {
    server.kill();
    await gone;
  }
}

function of(pairs: readonly Pair<Starts>[], which: keyof Starts): readonly Pair<number>[] {
  return pairs.map(({ ours, other }) => ({ ours: ours[which], other: other[which] }));
}

async function main(): Promise<void> {
  const pairs = await inPairs(ourStarts, bareStarts);
  for (const [state, which] of [['new', 'fresh'] as const, ['used before', 'later'] as const]) {
    const values = pairedValues('temporal server start-dev', of(pairs, which));
    report({ name: 'start-to-ready/ready', unit: 'ms', parameters: { state }, ...values });
  }
}

void main();

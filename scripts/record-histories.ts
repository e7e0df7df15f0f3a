/**
 * Records the histories that test/replay replays: runs the built program (`npm run build` first), drives one session per
 * kind of turn, and writes each run's history. Existing files are left alone: an old history must stay replayable, so a
 * new recording gets a new name. Usage: npx tsx scripts/record-histories.ts PREFIX, for example `v1`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { DevProcess } from '../test/support/dev-process';

const HISTORIES_FOLDER = join(__dirname, '..', 'test', 'replay', 'histories');

type Scenario = (dev: DevProcess) => Promise<string>;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'plain-answer': async (dev) => finished(dev, await dev.startSession('good morning')),
  'read-in-two-rounds': async (dev) => finished(dev, await dev.startSession('list')),
  'three-reads-in-one-round': async (dev) => finished(dev, await dev.startSession('read a, b and c')),
  'approved-write': async (dev) => {
    const sessionId = await dev.startSession('write a.txt: one');
    await decideAll(dev, sessionId, 1, 'approve');
    return finished(dev, sessionId);
  },
  'rejected-write': async (dev) => {
    const sessionId = await dev.startSession('write b.txt: one');
    await decideAll(dev, sessionId, 1, 'reject');
    return finished(dev, sessionId);
  },
  'two-writes-decided-in-reverse': async (dev) => {
    const sessionId = await dev.startSession('write c.txt: one; write d.txt: two');
    await decideAll(dev, sessionId, 2, 'approve');
    return finished(dev, sessionId);
  },
  'cancelled-while-waiting': async (dev) => {
    const sessionId = await dev.startSession('write e.txt: one');
    await dev.pending(sessionId);
    await dev.post(`/v1/sessions/${sessionId}/cancel`, {});
    return finished(dev, sessionId);
  },
  'cancelled-in-a-model-call': async (dev) => {
    const sessionId = await dev.startSession('slow 30');
    await dev.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
      JSON.stringify(json).includes('request.header'),
    );
    await dev.post(`/v1/sessions/${sessionId}/cancel`, {});
    return finished(dev, sessionId);
  },
  'two-turns': async (dev) => {
    const sessionId = await dev.startSession('list');
    await finished(dev, sessionId);
    await dev.send(sessionId, 'write f.txt: six');
    await decideAll(dev, sessionId, 1, 'approve');
    return finished(dev, sessionId);
  },
};

async function decideAll(dev: DevProcess, sessionId: string, count: number, decision: string): Promise<void> {
  const approvals = [...(await dev.pending(sessionId, count))].reverse();
  for (const approval of approvals) {
    await dev.decide(approval, decision);
  }
}

async function finished(dev: DevProcess, sessionId: string): Promise<string> {
  await dev.until(`/v1/sessions/${sessionId}`, (json) => json['status'] === 'idle');
  return sessionId;
}

/** The names of processes and of the machine they ran on mean nothing to a replay. */
function withoutMachine(json: string): string {
  const history: unknown = JSON.parse(json, (key, value: unknown) => (key === 'identity' ? 'recorded' : value));
  return JSON.stringify(history).replaceAll(hostname(), 'recorded');
}

async function record(prefix: string): Promise<void> {
  const dev = new DevProcess();
  await dev.start();
  const connection = await Connection.connect({ address: dev.temporalAddress });
  const client = new Client({ connection });
  try {
    for (const [name, run] of Object.entries(SCENARIOS)) {
      const file = join(HISTORIES_FOLDER, `${prefix}-${name}.json`);
      if (existsSync(file)) {
        throw new Error(`${file} exists; recorded histories are never replaced`);
      }
      const history = await client.workflow.getHandle(`default/${await run(dev)}`).fetchHistory();
      writeFileSync(file, `${withoutMachine(historyToJSON(history))}\n`);
      process.stdout.write(`${file}\n`);
    }
  } finally {
    await connection.close();
    await dev.dispose();
  }
}

const prefix = process.argv[2];
if (prefix === undefined) {
  process.stderr.write('usage: npx tsx scripts/record-histories.ts PREFIX\n');
  process.exitCode = 1;
} else {
  void record(prefix);
}

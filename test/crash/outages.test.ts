import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIsRunning } from '../../src/dev/process-is-running';
import { countByType } from '../support/api-driver';
import { DevProcess } from '../support/dev-process';
import { logFaults } from '../support/log-faults';

const DEADLINE_MS = 120_000;

/** Runs a test on a `holdpoint dev` of its own, so that tests may wait side by side. */
async function withDev(run: (dev: DevProcess) => Promise<void>): Promise<void> {
  const dev = new DevProcess();
  try {
    await dev.start();
    await run(dev);
  } finally {
    await dev.dispose();
  }
}

/** Starts a model call that takes a few seconds, and waits until it has begun. */
async function startAnswering(dev: DevProcess): Promise<string> {
  const sessionId = await dev.startSession('slow 4');
  await dev.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
    JSON.stringify(json).includes('"request.header"'),
  );
  return sessionId;
}

async function expectAnswered(dev: DevProcess, sessionId: string): Promise<void> {
  const session = await dev.untilTurnEnded(sessionId, 1, DEADLINE_MS);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
  expect(logFaults(join(dev.homeFolder, 'holdpoint.db'), sessionId)).toEqual([]);
}

/** Approves the one open question of a session and waits until its file is written, once. */
async function expectWritten(dev: DevProcess, sessionId: string, file: string): Promise<void> {
  const [approval] = await dev.pending(sessionId);
  expect([200, 202]).toContain((await dev.decide(approval as never, 'approve')).status);
  await expectWrite(dev, sessionId, file);
}

async function expectWrite(dev: DevProcess, sessionId: string, file: string): Promise<void> {
  await dev.untilTurnEnded(sessionId, 1, DEADLINE_MS);
  expect(readFileSync(join(dev.workspaceFolder, file), 'utf8')).toBe('hello');
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({ 'tool.result': 1, 'turn.ended': 1 });
  expect(logFaults(join(dev.homeFolder, 'holdpoint.db'), sessionId)).toEqual([]);
}

async function untilGone(pid: number): Promise<void> {
  const endMs = Date.now() + 30_000;
  while (processIsRunning(pid)) {
    if (Date.now() > endMs) {
      throw new Error(`Process ${pid} is still there.`);
    }
    await sleep(50);
  }
}

test.concurrent(
  'a Temporal server killed in a model call is started again, and the turn goes on',
  () =>
    withDev(async (dev) => {
      const sessionId = await startAnswering(dev);
      dev.killTemporalServer();
      await expectAnswered(dev, sessionId);
      expect(dev.lines.join('\n')).toContain('the Temporal server runs again');
    }),
  240_000,
);

test.concurrent(
  'a Temporal server that outlived its parent is found again, and started again when it dies later',
  () =>
    withDev(async (dev) => {
      const sessionId = await dev.startSession('write a.txt: hello');
      await dev.pending(sessionId);
      const pid = dev.temporalPid();
      await dev.kill();
      expect(processIsRunning(pid)).toBe(true);
      await dev.start();
      expect(dev.temporalPid()).toBe(pid);
      dev.killTemporalServer();
      await expectWritten(dev, sessionId, 'a.txt');
      expect(dev.temporalPid()).not.toBe(pid);
    }),
  240_000,
);

test.concurrent(
  'a worker child killed in a model call is started again, and asks again',
  () =>
    withDev(async (dev) => {
      const sessionId = await startAnswering(dev);
      dev.killChildren();
      await expectAnswered(dev, sessionId);
    }),
  240_000,
);

test.concurrent(
  'a worker child whose parent was killed ends by itself, and the next start works beside it',
  () =>
    withDev(async (dev) => {
      const holding = await dev.startSession('write a.txt: hello');
      await dev.pending(holding);
      const answering = await startAnswering(dev);
      const [orphan] = dev.workerPids();
      await dev.killParent();
      await dev.start();
      await expectWritten(dev, holding, 'a.txt');
      await expectAnswered(dev, answering);
      await untilGone(orphan as number);
    }),
  240_000,
);

test.concurrent(
  'what a hanging Temporal server does not take is accepted, and delivered when it answers again',
  () =>
    withDev(async (dev) => {
      const holding = await dev.startSession('write a.txt: hello');
      const [approval] = await dev.pending(holding);
      const temporalPid = dev.temporalPid();
      process.kill(temporalPid, 'SIGSTOP');
      const [fresh, decided] = await Promise.all([
        dev.startSession('list'),
        dev.decide(approval as never, 'approve'),
      ]).finally(() => process.kill(temporalPid, 'SIGCONT'));
      expect(decided.status).toBe(202);
      await expectAnsweredList(dev, fresh);
      await expectWrite(dev, holding, 'a.txt');
    }),
  240_000,
);

/** The sweep of `dev` looks every ten seconds for what is older than thirty. */
async function expectAnsweredList(dev: DevProcess, sessionId: string): Promise<void> {
  const session = await dev.untilTurnEnded(sessionId, 1, DEADLINE_MS);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({ 'user.message': 1, 'turn.ended': 1 });
}

test.concurrent(
  'everything killed at the same moment, three times over: nothing is lost, nothing happens twice',
  () =>
    withDev(async (dev) => {
      const holding = await dev.startSession('write a.txt: hello');
      await dev.pending(holding);
      const answering = await startAnswering(dev);
      const written: (readonly [string, string])[] = [];
      for (let round = 1; round <= 3; round += 1) {
        const sessionId = await dev.startSession(`write round-${round}.txt: hello`);
        written.push([sessionId, `round-${round}.txt`]);
        const [approval] = await dev.pending(sessionId);
        // The decision is on its way when everything dies: it was accepted, or the client heard nothing.
        const decided = dev.decide(approval as never, 'approve').then(
          ({ status }) => [200, 202].includes(status),
          () => false,
        );
        await sleep(Math.random() * 100);
        dev.killTemporalServer();
        await dev.kill();
        await decided;
        await dev.start();
      }
      await expectWritten(dev, holding, 'a.txt');
      await expectAnswered(dev, answering);
      for (const [sessionId, file] of written) {
        const open = (await dev.get(`/v1/sessions/${sessionId}`)).json?.['openApprovals'] as readonly string[];
        if (open.length > 0 && !existsSync(join(dev.workspaceFolder, file))) {
          await dev.pending(sessionId).then(([approval]) => dev.decide(approval as never, 'approve'));
        }
        await expectWrite(dev, sessionId, file);
      }
    }),
  240_000,
);

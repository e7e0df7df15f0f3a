import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { countByType } from '../../support/api-driver';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { logFaults } from '../../support/log-faults';
import { OwnTemporalServer } from '../../support/own-temporal-server';
import { RunningStack } from '../../support/running-stack';

const newFolder = temporaryFolders();
/** A body that an outage can begin and end in. */
const BODY_MS = 3_000;

let beginBody: () => void = () => undefined;
const effects = { slow_write: 0 };

const slowWrite = defineTool({
  name: 'slow_write',
  description: 'A write that takes a while.',
  parameters: z.strictObject({}),
  effect: 'write',
  timeoutMs: 20_000,
  execute: async () => {
    beginBody();
    effects.slow_write += 1;
    await new Promise((resolve) => setTimeout(resolve, BODY_MS));
    return 'written';
  },
});

let folder: string;
let temporal: OwnTemporalServer;
let stack: RunningStack;

beforeAll(async () => {
  folder = newFolder();
  temporal = await OwnTemporalServer.start(folder);
  stack = await RunningStack.start({
    temporalAddress: temporal.server.address,
    tools: [slowWrite],
    sweep: { everyMs: 500, olderThanMs: 1_000 },
  });
});

afterAll(async () => {
  await stack.stop();
  await temporal.stop();
});

/** Runs `during` while there is no Temporal server, then starts it again on the same port and database. */
async function whileTemporalIsDown(during: () => Promise<void>): Promise<void> {
  const { port } = temporal.server;
  await temporal.stop();
  try {
    await during();
  } finally {
    temporal = await OwnTemporalServer.start(folder, port);
  }
}

test('sessions, messages and decisions are accepted while Temporal is down, and the sweep delivers them', async () => {
  const talking = await stack.startSession('list');
  const holding = await stack.startSession('write held.txt: hello');
  const [approval] = await stack.pending(holding);
  await stack.untilTurnEnded(talking, 1);
  let fresh = '';
  await whileTemporalIsDown(async () => {
    fresh = await stack.startSession('write fresh.txt: hello');
    expect((await stack.send(talking, 'list')).status).toBe(202);
    const decided = await stack.decide(approval as never, 'approve', { decisionId: 'd-while-down' });
    expect([decided.status, decided.json?.['decisionId']]).toEqual([202, 'd-while-down']);
    expect((await stack.get(`/v1/sessions/${fresh}`)).json).toMatchObject({ status: 'running' });
    // What can't be stored for later is refused in so many words.
    const cancelled = await stack.post(`/v1/sessions/${holding}/cancel`, {});
    expect([cancelled.status, cancelled.json?.['code']]).toEqual([503, 'temporal_unavailable']);
  });
  await stack.untilTurnEnded(talking, 2);
  await stack.untilTurnEnded(holding, 1);
  const [asked] = await stack.pending(fresh);
  expect((await stack.decide(asked as never, 'approve')).status).toBeLessThan(203);
  await stack.untilTurnEnded(fresh, 1);
  expect(['held.txt', 'fresh.txt'].map((name) => readFileSync(join(stack.workspaceFolder, name), 'utf8'))).toEqual([
    'hello',
    'hello',
  ]);
  for (const [sessionId, turns] of [
    [talking, 2],
    [holding, 1],
    [fresh, 1],
  ] as const) {
    expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'user.message': turns, 'turn.ended': turns });
    expect(logFaults(stack.storePath, sessionId)).toEqual([]);
  }
});

test('a model call that outlives its Temporal server is asked for once, and its reply counts', async () => {
  const sessionId = await stack.startSession('slow 4');
  await stack.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
    JSON.stringify(json).includes('"request.header"'),
  );
  await whileTemporalIsDown(async () => {
    await stack.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
      JSON.stringify(json).includes('"model.reply"'),
    );
  });
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
});

test('a write that outlives its Temporal server happens once', async () => {
  const sessionId = await stack.startSession('call slow_write {}');
  const [approval] = await stack.pending(sessionId);
  const begun = new Promise<void>((resolve) => {
    beginBody = resolve;
  });
  await stack.decide(approval as never, 'approve');
  await begun;
  await whileTemporalIsDown(async () => {
    await stack.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
      JSON.stringify(json).includes('"tool.result"'),
    );
  });
  await stack.untilTurnEnded(sessionId, 1);
  expect(effects.slow_write).toBe(1);
  expect(countByType(await stack.entries(sessionId))).toMatchObject({ 'tool.started': 1, 'tool.result': 1 });
  expect(logFaults(stack.storePath, sessionId)).toEqual([]);
});

test('a write that Temporal can no longer vouch for does not start', async () => {
  const sessionId = await stack.startSession('write vouch.txt: hello');
  const [approval] = await stack.pending(sessionId);
  await whileTemporalIsDown(async () => {
    expect((await stack.decide(approval as never, 'approve')).status).toBe(202);
    expect(existsSync(join(stack.workspaceFolder, 'vouch.txt'))).toBe(false);
  });
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(stack.workspaceFolder, 'vouch.txt'), 'utf8')).toBe('hello');
});

/**
 * One session in which everything that people, models, tools, files and providers can say is a planted text, and what
 * Temporal keeps of it afterwards, in all of its runs.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../src/telemetry/create-logger';
import { calls, createScriptedModel, says } from '../../support/activities/scripted-model';
import { CANARY_CALLS, canaryTools, hangsAfter, providerError, repliesAt } from '../../support/canary-agent';
import { canary, findCanary } from '../../support/find-canary';
import { Gate } from '../../support/gated-tools';
import { sendRequest } from '../../support/gateway/gateway-under-test';
import { OwnTemporalServer } from '../../support/own-temporal-server';
import { RunningStack } from '../../support/running-stack';
import { untilAtRest } from '../../support/session-runs';
import { describedRun, type KeptBytes, temporalRecord } from '../../support/temporal-record';
import { waitUntil } from '../../support/wait-until';

const SESSION = 's1';
const WORKFLOW_ID = `default/${SESSION}`;
/** More than the 200 events after which a run parks as a new one. */
const MANY_ROUNDS = 18;

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-canaries-'));
const model = createScriptedModel();
const gate = new Gate();
const lines: string[] = [];
/** What Temporal showed while something was under way. */
const moments: KeptBytes[] = [];
let temporal: OwnTemporalServer;
let stack: RunningStack;

beforeAll(async () => {
  temporal = await OwnTemporalServer.start(folder);
  stack = await RunningStack.start({
    temporalAddress: temporal.server.address,
    tools: canaryTools(),
    model: { ...model, api: 'mock' },
    system: canary('system'),
    limits: { callsPerTurn: 100 },
    logger: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
  });
  writeFileSync(join(stack.workspaceFolder, 'notes.txt'), canary('file'));
  await talkOfEverything();
  await cancelInMidStream();
  await failForGood();
  await workUntilItGoesOnAsNew();
  await closeAndComeBack();
  await terminateAndComeBack();
}, 120_000);

afterAll(async () => {
  await stack.stop();
  await temporal.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A failed attempt, steering, every kind of call, a rejection and an approval. */
async function talkOfEverything(): Promise<void> {
  const looked = calls(['echo', { text: canary('argument') }]);
  model.add(
    providerError('model_overloaded', 'provider-error'),
    repliesAt(gate, 'second attempt', CANARY_CALLS),
    looked,
    says(canary('answer')),
  );
  await stack.startSession(canary('message'), SESSION);
  await gate.reached('second attempt');
  await untilHeardAgain();
  moments.push(...(await describedRun(stack.connection, WORKFLOW_ID)));
  await sendRequest(Number(new URL(stack.gateway.url).port), 'POST', `/v1/sessions/${SESSION}/messages`, {
    body: { content: canary('steered'), mode: 'steer' },
    headers: { 'idempotency-key': canary('key') },
  });
  await stack.post(`/v1/sessions/${SESSION}/messages`, { content: canary('injected'), mode: 'inject' });
  gate.open('second attempt');
  const [write, change] = await stack.pending(SESSION, 2);
  const query = JSON.stringify(await stack.workflow(SESSION).query('status'));
  moments.push(...(await describedRun(stack.connection, WORKFLOW_ID)), { place: 'query', bytes: Buffer.from(query) });
  await stack.decide(change as never, 'approve', {
    argumentsDigest: 'x'.repeat(43),
    comment: canary('refused-comment'),
  });
  await stack.decide(write as never, 'reject', { comment: canary('comment') });
  await stack.decide(change as never, 'approve', { comment: canary('consent') });
  await stack.untilTurnEnded(SESSION, 1);
}

/** Resolves when the second attempt was heard of twice: what a heartbeat carries may come with the second one only. */
async function untilHeardAgain(): Promise<void> {
  const look = async () => {
    const { raw } = await stack.workflow(SESSION).describe();
    const [pending] = raw.pendingActivities ?? [];
    expect(pending?.lastFailure?.applicationFailureInfo?.type).toBe('model_overloaded');
    return String(pending?.lastHeartbeatTime?.seconds ?? '');
  };
  const first = await waitUntil(look, (seconds) => seconds !== '');
  await waitUntil(look, (seconds) => seconds !== first);
}

async function cancelInMidStream(): Promise<void> {
  model.add(hangsAfter(gate, 'for ever'));
  await stack.send(SESSION, canary('message'));
  await gate.reached('for ever');
  await stack.post(`/v1/sessions/${SESSION}/cancel`, {});
  await stack.untilTurnEnded(SESSION, 2);
}

async function failForGood(): Promise<void> {
  model.add(providerError('model_auth', 'provider-refusal'));
  await stack.send(SESSION, canary('message'));
  await stack.untilTurnEnded(SESSION, 3);
}

async function workUntilItGoesOnAsNew(): Promise<void> {
  const rounds = Array.from({ length: MANY_ROUNDS }, () => calls(['echo', { text: canary('argument') }]));
  model.add(...rounds, says(canary('answer')));
  await stack.send(SESSION, canary('message'));
  await stack.untilTurnEnded(SESSION, 4);
  await untilAtRest(stack.connection, WORKFLOW_ID);
}

async function closeAndComeBack(): Promise<void> {
  await stack.workflow(SESSION).signal('close', {});
  // The log is closed a moment before its run is; a message in between would keep the run going.
  await waitUntil(
    async () => (await stack.workflow(SESSION).describe()).status.name,
    (status) => status === 'COMPLETED',
  );
  model.add(says(canary('answer')));
  await stack.send(SESSION, canary('message'));
  await stack.untilTurnEnded(SESSION, 5);
}

async function terminateAndComeBack(): Promise<void> {
  await stack.workflow(SESSION).terminate();
  model.add(says(canary('answer')));
  await stack.send(SESSION, canary('message'));
  await stack.untilTurnEnded(SESSION, 6);
}

/** Each record that holds a planted text, with the form it has there. */
function canariesIn(kept: readonly KeptBytes[]): readonly string[] {
  return kept.flatMap(({ place, bytes }) => findCanary(bytes).map((found) => `${place}: ${found}`));
}

test('every planted text went its way: the log and the approvals hold them all', async () => {
  const entries = await stack.entries(SESSION);
  const ids = entries.flatMap((entry) => (entry.type === 'approval.requested' ? [entry.data.approvalId] : []));
  const approvals = await Promise.all(ids.map((id) => stack.store.readApproval('default' as never, id)));
  const held = JSON.stringify([entries, approvals]);
  const places = [
    ...['message', 'steered', 'injected', 'system', 'description', 'reply', 'reasoning', 'raw', 'answer', 'partial'],
    ...['argument', 'invalid-argument', 'unknown-tool', 'id-0', 'result', 'file', 'file-to-write'],
    ...['thrown', 'refused', 'failure', 'thrown-in-a-write', 'provider-error', 'provider-refusal'],
    ...['summary', 'precondition', 'preview', 'comment', 'consent'],
  ];
  expect(places.filter((place) => !held.includes(canary(place)))).toEqual([]);
  expect(model.left()).toBe(0);
});

test('none of them is in anything Temporal keeps of any run', async () => {
  const runs = await waitUntil(
    () => temporalRecord(stack.connection, WORKFLOW_ID),
    (records) => records.length >= 4,
  );
  const events = runs.flatMap(({ kept }) => kept);
  // Continued as new, closed, terminated, and the one that runs.
  for (const type of ['CONTINUED_AS_NEW', 'EXECUTION_COMPLETED', 'EXECUTION_TERMINATED', 'MARKER_RECORDED']) {
    expect(events.filter(({ place }) => place.includes(type))).not.toEqual([]);
  }
  expect(canariesIn(events)).toEqual([]);
});

test('none of them shows while a call is retried or a question is open', () => {
  expect(moments.length).toBeGreaterThan(3);
  expect(canariesIn(moments)).toEqual([]);
});

test('none of them is in a line of the worker or the gateway', () => {
  expect(lines.join('')).toContain('A tool speaks.');
  expect(canariesIn(lines.map((line) => ({ place: 'log', bytes: Buffer.from(line) })))).toEqual([]);
});

test('none of them is in a file of the Temporal server: database, journal, log', () => {
  const files = readdirSync(folder).filter((name) => name.startsWith('temporal'));
  const kept = files.map((name) => ({ place: name, bytes: readFileSync(join(folder, name)) }));
  // The search sees what is there.
  expect(kept.find(({ place }) => place === 'temporal.db')?.bytes.includes('tool.breaks')).toBe(true);
  expect(canariesIn(kept)).toEqual([]);
});

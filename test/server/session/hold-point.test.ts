import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunningStack } from '../../support/running-stack';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

function fileOf(name: string): string {
  return join(stack.workspaceFolder, name);
}

async function resultsOf(sessionId: string): Promise<Record<string, string>> {
  const results = (await stack.entries(sessionId)).filter((entry) => entry.type === 'tool.result');
  return Object.fromEntries(results.map((entry) => [String(entry.callId), (entry.data as { status: string }).status]));
}

test('a read runs at once, and the answer ends the turn', async () => {
  writeFileSync(fileOf('a.txt'), 'alpha');
  const sessionId = await stack.startSession('read a.txt');
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session).toMatchObject({ status: 'idle', lastTurn: { turn: 1, outcome: 'completed' }, openApprovals: [] });
  expect(await resultsOf(sessionId)).toEqual({ 't1-r1-c1': 'success' });
});

test('three reads of one round are all answered before the next one', async () => {
  for (const name of ['x.txt', 'y.txt', 'z.txt']) {
    writeFileSync(fileOf(name), name);
  }
  const sessionId = await stack.startSession('read x.txt, y.txt and z.txt');
  await stack.untilTurnEnded(sessionId, 1);
  const types = (await stack.entries(sessionId)).map((entry) => entry.type);
  const secondReply = types.lastIndexOf('model.reply');
  expect(types.slice(0, secondReply).filter((type) => type === 'tool.result')).toHaveLength(3);
});

test('a write waits, and an approval by HTTP runs exactly what was shown', async () => {
  const sessionId = await stack.startSession('write one.txt: hello');
  const [approval] = await stack.pending(sessionId);
  expect(approval).toMatchObject({
    kind: 'call',
    tool: 'write_file',
    arguments: { path: 'one.txt', content: 'hello' },
    preview: expect.stringContaining('+hello'),
  });
  expect(existsSync(fileOf('one.txt'))).toBe(false);
  expect((await stack.get(`/v1/sessions/${sessionId}`)).json).toMatchObject({
    status: 'waiting_for_approval',
    openApprovals: [approval?.approvalId],
  });
  const answer = await stack.decide(approval as never, 'approve', { comment: 'go on' });
  expect([answer.status, answer.json?.['outcome']]).toEqual([200, 'taken']);
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(fileOf('one.txt'), 'utf8')).toBe('hello');
});

test('a rejection runs nothing, and the model reads an honest result', async () => {
  const sessionId = await stack.startSession('write two.txt: hello');
  const [approval] = await stack.pending(sessionId);
  const answer = await stack.decide(approval as never, 'reject', { comment: 'not on a Friday' });
  expect([answer.status, answer.json?.['outcome']]).toEqual([200, 'taken']);
  await stack.untilTurnEnded(sessionId, 1);
  expect(existsSync(fileOf('two.txt'))).toBe(false);
  expect(await resultsOf(sessionId)).toEqual({ 't1-r1-c1': 'rejected' });
  const result = (await stack.entries(sessionId)).find((entry) => entry.type === 'tool.result');
  expect(JSON.stringify(result?.data)).toContain('not on a Friday');
});

test.each([
  ['approve', 'success', true],
  ['reject', 'rejected', false],
] as const)(
  'a plain Temporal signal may %s, sent as JSON with the temporal tool',
  async (decision, status, isWritten) => {
    const name = `signal-${decision}.txt`;
    const sessionId = await stack.startSession(`write ${name}: hello`);
    const [approval] = await stack.pending(sessionId);
    const { approvalId, argumentsDigest } = approval ?? { approvalId: '', argumentsDigest: '' };
    await stack.temporalTool(
      ...['workflow', 'signal', '--workflow-id', `default/${sessionId}`, '--name', 'decide', '--input'],
      JSON.stringify({ approvalId, decision, argumentsDigest, principal: 'ops' }),
    );
    await stack.untilTurnEnded(sessionId, 1);
    expect(await resultsOf(sessionId)).toEqual({ 't1-r1-c1': status });
    expect(existsSync(fileOf(name))).toBe(isWritten);
    const decided = (await stack.entries(sessionId)).find((entry) => entry.type === 'approval.decided');
    expect(decided?.data).toMatchObject({ decision, principal: 'ops', provenance: 'request' });
  },
);

test('two writes of one round are two approvals, decided in any order', async () => {
  const sessionId = await stack.startSession('write first.txt: 1; write second.txt: 2');
  const [first, second] = await stack.pending(sessionId, 2);
  expect((await stack.decide(second as never, 'approve')).json?.['outcome']).toBe('taken');
  await stack.until('/v1/approvals?status=pending', () => existsSync(fileOf('second.txt')));
  expect(existsSync(fileOf('first.txt'))).toBe(false);
  expect((await stack.decide(first as never, 'reject')).json?.['outcome']).toBe('taken');
  await stack.untilTurnEnded(sessionId, 1);
  expect(await resultsOf(sessionId)).toEqual({ 't1-r1-c1': 'rejected', 't1-r1-c2': 'success' });
  expect(existsSync(fileOf('first.txt'))).toBe(false);
});

test('a file that changed after the question is asked about again, and only the new answer counts', async () => {
  writeFileSync(fileOf('changing.txt'), 'before');
  const sessionId = await stack.startSession('write changing.txt: after');
  const [approval] = await stack.pending(sessionId);
  writeFileSync(fileOf('changing.txt'), 'meanwhile');
  expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
  const json = await stack.until('/v1/approvals?status=pending', (answer) =>
    JSON.stringify(answer).includes(`"sessionId":"${sessionId}"`),
  );
  const again = (json['approvals'] as { sessionId: string; approvalId: string; preview: string }[]).find(
    (other) => other.sessionId === sessionId,
  );
  expect(again?.approvalId).not.toBe(approval?.approvalId);
  expect(again?.preview).toContain('-meanwhile');
  expect(readFileSync(fileOf('changing.txt'), 'utf8')).toBe('meanwhile');
  const old = await stack.get(`/v1/approvals/${approval?.approvalId}`);
  expect(old.json).toMatchObject({ status: 'superseded' });
  expect((await stack.decide(approval as never, 'approve')).status).toBe(409);
  expect((await stack.decide(again as never, 'approve')).json?.['outcome']).toBe('taken');
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(fileOf('changing.txt'), 'utf8')).toBe('after');
});

test('a copy reads first and then asks to write what it read', async () => {
  writeFileSync(fileOf('source.txt'), 'line one\nline two\n');
  const sessionId = await stack.startSession('copy source.txt to target.txt');
  const [approval] = await stack.pending(sessionId);
  expect(approval).toMatchObject({ callId: 't1-r2-c1', arguments: { content: 'line one\nline two\n' } });
  await stack.decide(approval as never, 'approve');
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(fileOf('target.txt'), 'utf8')).toBe('line one\nline two\n');
});

test('every wrong decision has its own answer, and the hold stays open for the right one', async () => {
  const sessionId = await stack.startSession('write strict.txt: hello');
  const [approval] = await stack.pending(sessionId);
  const wrongDigest = await stack.decide(approval as never, 'approve', { argumentsDigest: 'x'.repeat(43) });
  expect([wrongDigest.status, wrongDigest.json?.['code']]).toEqual([409, 'digest_mismatch']);
  const wrongWord = await stack.decide(approval as never, 'run_again');
  expect([wrongWord.status, wrongWord.json?.['code']]).toEqual([422, 'invalid']);
  const unknown = await stack.post('/v1/approvals/ap_unknown/decisions', { decision: 'reject' });
  expect([unknown.status, unknown.json?.['code']]).toEqual([404, 'unknown_approval']);
  expect(existsSync(fileOf('strict.txt'))).toBe(false);
  expect((await stack.decide(approval as never, 'approve')).json?.['outcome']).toBe('taken');
  const twice = await stack.decide(approval as never, 'reject');
  expect([twice.status, twice.json?.['code']]).toEqual([409, 'already_decided']);
  await stack.untilTurnEnded(sessionId, 1);
  expect(readFileSync(fileOf('strict.txt'), 'utf8')).toBe('hello');
});

test('of two callers who decide at once, one is taken and the other is told', async () => {
  const sessionId = await stack.startSession('write race.txt: hello');
  const [approval] = await stack.pending(sessionId);
  const answers = await Promise.all([
    stack.decide(approval as never, 'approve'),
    stack.decide(approval as never, 'reject'),
  ]);
  expect(answers.map((answer) => answer.json?.['outcome']).sort()).toEqual(['already_decided', 'taken']);
  await stack.untilTurnEnded(sessionId, 1);
  const decided = (await stack.entries(sessionId)).filter((entry) => entry.type === 'approval.decided');
  expect(decided).toHaveLength(1);
});

test('a cancelled turn withdraws its question, and a later decision is told so', async () => {
  const sessionId = await stack.startSession('write never.txt: hello');
  const [approval] = await stack.pending(sessionId);
  expect((await stack.post(`/v1/sessions/${sessionId}/cancel`, {})).status).toBe(202);
  const session = await stack.untilTurnEnded(sessionId, 1);
  expect(session['lastTurn']).toMatchObject({ outcome: 'cancelled' });
  const late = await stack.decide(approval as never, 'approve');
  expect([late.status, late.json?.['code']]).toEqual([410, 'cancelled']);
  expect(existsSync(fileOf('never.txt'))).toBe(false);
  expect(await resultsOf(sessionId)).toEqual({ 't1-r1-c1': 'aborted' });
  await stack.send(sessionId, 'list');
  expect((await stack.untilTurnEnded(sessionId, 2))['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
});

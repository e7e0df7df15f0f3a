import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevProcess } from '../support/dev-process';

let dev: DevProcess;

beforeEach(async () => {
  dev = new DevProcess();
  await dev.start();
});

afterEach(async () => {
  await dev.dispose();
});

function countByType(entries: readonly { readonly type: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { type } of entries) {
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

test('a session killed while it waits for an approval goes on after the next start, and writes once', async () => {
  const sessionId = await dev.startSession('write out.txt: hello');
  const [approval] = await dev.pendingApprovals(sessionId);
  await dev.kill();
  expect(existsSync(join(dev.workspaceFolder, 'out.txt'))).toBe(false);
  await dev.start();
  const [again] = await dev.pendingApprovals(sessionId);
  expect(again).toEqual(approval);
  // 202 when the killed worker still holds the workflow task; the decision is stored all the same.
  expect([200, 202]).toContain((await dev.approve(again as never)).status);
  await dev.untilIdle(sessionId);
  expect(readFileSync(join(dev.workspaceFolder, 'out.txt'), 'utf8')).toBe('hello');
  expect(countByType(await dev.entries(sessionId))).toMatchObject({
    'model.reply': 2,
    'tool.started': 1,
    'tool.result': 1,
    'turn.ended': 1,
  });
});

test('a session killed in a model call asks again and finishes the turn', async () => {
  const sessionId = await dev.startSession('slow 20');
  await dev.until(`/v1/sessions/${sessionId}/entries?after=0`, ({ body }) =>
    (body['entries'] as never as { type: string }[]).some((entry) => entry.type === 'request.header'),
  );
  await dev.kill();
  await dev.start();
  const { body } = await dev.until(`/v1/sessions/${sessionId}`, (answer) => answer.body['status'] === 'idle', 90_000);
  expect(body['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  expect(countByType(await dev.entries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
}, 150_000);

test('a session killed between turns takes the next message, and repeats nothing of the first', async () => {
  writeFileSync(join(dev.workspaceFolder, 'a.txt'), 'one');
  const sessionId = await dev.startSession('read a.txt');
  await dev.untilIdle(sessionId);
  const before = await dev.entries(sessionId);
  await dev.kill();
  await dev.start();
  expect(await dev.entries(sessionId)).toEqual(before);
  expect((await dev.post(`/v1/sessions/${sessionId}/messages`, { content: 'list' })).status).toBe(202);
  const { body } = await dev.untilIdle(sessionId);
  expect(body['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
  expect((await dev.entries(sessionId)).slice(0, before.length)).toEqual(before);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countByType } from '../support/api-driver';
import { DevProcess } from '../support/dev-process';

let dev: DevProcess;

beforeEach(async () => {
  dev = new DevProcess();
  await dev.start();
});

afterEach(async () => {
  await dev.dispose();
});

test('a session killed while it waits for an approval goes on after the next start, and writes once', async () => {
  const sessionId = await dev.startSession('write out.txt: hello');
  const [approval] = await dev.pending(sessionId);
  await dev.kill();
  expect(existsSync(join(dev.workspaceFolder, 'out.txt'))).toBe(false);
  await dev.start();
  const [again] = await dev.pending(sessionId);
  expect(again).toEqual(approval);
  // 202 when the killed worker still holds the workflow task; the decision is stored all the same.
  expect([200, 202]).toContain((await dev.decide(again as never, 'approve')).status);
  await dev.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(dev.workspaceFolder, 'out.txt'), 'utf8')).toBe('hello');
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({
    'model.reply': 2,
    'tool.started': 1,
    'tool.result': 1,
    'turn.ended': 1,
  });
});

test('a session killed in a model call asks again and finishes the turn', async () => {
  const sessionId = await dev.startSession('slow 20');
  await dev.until(`/v1/sessions/${sessionId}/entries?after=0`, (json) =>
    JSON.stringify(json).includes('"request.header"'),
  );
  await dev.kill();
  await dev.start();
  const session = await dev.untilTurnEnded(sessionId, 1, 90_000);
  expect(session['lastTurn']).toEqual({ turn: 1, outcome: 'completed' });
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({ 'model.reply': 1, 'turn.ended': 1 });
}, 150_000);

test('a session killed between turns takes the next message, and repeats nothing of the first', async () => {
  writeFileSync(join(dev.workspaceFolder, 'a.txt'), 'one');
  const sessionId = await dev.startSession('read a.txt');
  await dev.untilTurnEnded(sessionId, 1);
  const before = await dev.wireEntries(sessionId);
  await dev.kill();
  await dev.start();
  expect(await dev.wireEntries(sessionId)).toEqual(before);
  expect((await dev.send(sessionId, 'list')).status).toBe(202);
  const session = await dev.untilTurnEnded(sessionId, 2);
  expect(session['lastTurn']).toEqual({ turn: 2, outcome: 'completed' });
  expect((await dev.wireEntries(sessionId)).slice(0, before.length)).toEqual(before);
});

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countByType } from '../support/api-driver';
import { DeskProject } from '../support/dev/desk-project';
import { DevProcess } from '../support/dev-process';
import { waitUntil } from '../support/wait-until';

const GREET = 'call greet {"name":"Ann"}';

let dev: DevProcess;
let project: DeskProject;

beforeEach(() => {
  dev = new DevProcess({}, 'desk');
  project = new DeskProject(dev.workspaceFolder);
});

afterEach(async () => {
  await dev.dispose();
});

/** What the tool answered in the last turn of a session. */
async function lastResult(sessionId: string): Promise<unknown> {
  const results = (await dev.wireEntries(sessionId)).filter(({ type }) => type === 'tool.result');
  return results.at(-1)?.data['text'];
}

async function greetAgain(sessionId: string, turn: number): Promise<unknown> {
  await dev.send(sessionId, GREET);
  await dev.untilTurnEnded(sessionId, turn);
  return lastResult(sessionId);
}

test('a changed tool is used in the next turn of a session; a broken one is not, and its line is named, until it is mended', async () => {
  await dev.start();
  const sessionId = await dev.startSession(GREET);
  await dev.untilTurnEnded(sessionId, 1);
  expect(await lastResult(sessionId)).toBe('Hello Ann');

  project.putTools({ greeting: 'Welcome' });
  expect(await dev.untilLine(/reloaded/)).toBe('reloaded: 1 agent, 2 tools');
  expect(await greetAgain(sessionId, 2)).toBe('Welcome Ann');

  let from = dev.lines.length;
  const tools = project.put('tools.ts', 'export const greet = 1;\n\nthrow new Error("no key");\n');
  expect(await dev.untilLine(/reloaded/, from)).toBe(`not reloaded: ${project.configPath} (at ${tools}:3:7): no key`);
  expect(await greetAgain(sessionId, 3)).toBe('Welcome Ann');

  from = dev.lines.length;
  project.putTools({ greeting: 'Good day' });
  expect(await dev.untilLine(/reloaded/, from)).toBe('reloaded: 1 agent, 2 tools');
  expect(await greetAgain(sessionId, 4)).toBe('Good day Ann');
}, 120_000);

test('a write that has begun when the code changes happens once, and the process it runs in then ends', async () => {
  await dev.start();
  const [former] = dev.workerPids();
  const sessionId = await dev.startSession('call note {"text":"once","waits":true}');
  const [approval] = await dev.pending(sessionId);
  await dev.decide(approval as never, 'approve');
  await waitUntil(() => existsSync(join(project.folder, 'began.ts')), Boolean);
  project.putTools({ greeting: 'Welcome' });
  await dev.untilLine(/^reloaded/);
  // Another session need not wait for it.
  const other = await dev.startSession(GREET);
  await dev.untilTurnEnded(other, 1);
  expect(await lastResult(other)).toBe('Welcome Ann');
  expect(existsSync(join(project.folder, 'notes.txt'))).toBe(false);
  project.put('go', '');
  await dev.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(project.folder, 'notes.txt'), 'utf8')).toBe('once');
  expect(countByType(await dev.wireEntries(sessionId))).toMatchObject({ 'tool.started': 1, 'tool.result': 1 });
  expect(await greetAgain(sessionId, 2)).toBe('Welcome Ann');
  expect(
    await waitUntil(
      () => dev.workerPids(),
      (pids) => pids.length === 1,
    ),
  ).not.toContain(former);
}, 120_000);

test('a question about a tool that has changed meanwhile is asked again, and its old approval runs nothing', async () => {
  await dev.start();
  const sessionId = await dev.startSession('call note {"text":"once"}');
  const [first] = await dev.pending(sessionId);
  project.putTools({ noteVersion: '2' });
  await dev.untilLine(/^reloaded/);
  await dev.decide(first as never, 'approve');
  const second = await waitUntil(
    async () => (await dev.pending(sessionId))[0],
    (approval) => approval?.approvalId !== first?.approvalId,
  );
  expect((await dev.get(`/v1/approvals/${first?.approvalId}`)).json).toMatchObject({ status: 'superseded' });
  expect(existsSync(join(project.folder, 'notes.txt'))).toBe(false);
  await dev.decide(second as never, 'approve');
  await dev.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(project.folder, 'notes.txt'), 'utf8')).toBe('once');
}, 120_000);

test('quick saves are one reload, what tools write is none, and without its configuration the project stays as it was', async () => {
  await dev.start();
  const sessionId = await dev.startSession('call note {"text":"once"}');
  const [approval] = await dev.pending(sessionId);
  await dev.decide(approval as never, 'approve');
  await dev.untilTurnEnded(sessionId, 1);
  for (const greeting of ['A', 'B', 'C', 'D', 'Welcome']) {
    project.putTools({ greeting });
  }
  await dev.untilLine(/^reloaded/);
  const config = readFileSync(project.configPath, 'utf8');
  rmSync(project.configPath);
  expect(await dev.untilLine(/not reloaded/)).toBe(
    `not reloaded: ${project.configPath}: expected a configuration, but there is no such file`,
  );
  expect(dev.lines.filter((line) => line.startsWith('reloaded'))).toHaveLength(1);
  expect(await greetAgain(sessionId, 2)).toBe('Welcome Ann');
  const from = dev.lines.length;
  project.put('holdpoint.config.ts', config);
  await dev.untilLine(/^reloaded/, from);
}, 120_000);

test('a start from a subfolder is the same project, and its tools work in the folder of the configuration', async () => {
  await dev.dispose();
  dev = new DevProcess({ HOLDPOINT_HOME: '' }, 'desk');
  project = new DeskProject(dev.workspaceFolder);
  project.put('sub/readme.txt', '');
  await dev.start('sub');
  const sessionId = await dev.startSession('call note {"text":"here"}');
  const [approval] = await dev.pending(sessionId);
  await dev.decide(approval as never, 'approve');
  await dev.untilTurnEnded(sessionId, 1);
  expect(readFileSync(join(project.folder, 'notes.txt'), 'utf8')).toBe('here');
  expect(existsSync(join(project.folder, '.holdpoint', 'holdpoint.db'))).toBe(true);
  expect(existsSync(join(project.folder, 'sub', '.holdpoint'))).toBe(false);
  await dev.interrupt();
}, 120_000);

test('a project whose code is broken does not start, and each fault is a line', async () => {
  project.put('sub/readme.txt', '');
  const path = project.put('other.mjs', 'export default { agents: [7], model: "x" };');
  await expect(dev.start('sub', ['--config', '../other.mjs'])).rejects.toThrow('ended with 1');
  expect(dev.lines.join('\n')).toContain(
    `holdpoint: ${path}: agents[0]: expected an agent made by defineAgent, got 7\n` +
      `${path}: model: expected <api>:<model>, for example mock:workspace, got "x" (invalid_config)`,
  );
  expect(dev.lines.filter((line) => line.includes('    at '))).toEqual([]);
});

import { z } from 'zod';
import { foreignLine } from '../../../src/cli/text/foreign-text';
import { defineTool } from '../../../src/definitions/define-tool';
import type { Pending } from '../../support/api-driver';
import { CliProcess, runCli } from '../../support/cli/run-cli';
import { TerminalProcess } from '../../support/cli/terminal-process';
import { RunningStack } from '../../support/running-stack';
import { waitUntil } from '../../support/wait-until';

/** What would drive a terminal, or change how what stands around it is read. */
const HOSTILE =
  '\u001b[2J\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007\b\b\u009b31m invoice\u202efdp.exe \u2066x\u2069 pay\u200bpal\ufeff a\rb\u2028c\u{e0072}';
/** Everything of that kind, but the line breaks that a command ends its lines with. */
const RAW = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u;
/** Colours, cursor moves, clearing and the modes of a screen; no titles, links or other strings. */
const OWN_ESCAPES = new RegExp(`${'\u001b'}\\[\\??[0-9;]*[A-HJKmhl]`, 'g');
const MARKS = ['[U+001B]', '[U+202E]', '[U+200B]', '[U+009B]'];

const post = defineTool({
  name: 'post',
  description: 'A write that repeats a text wherever a tool may.',
  parameters: z.looseObject({}),
  effect: 'write',
  summarize: (args) => `Post ${Object.values(args).join(' ').slice(0, 100)}`,
  preview: async (args) => `--- a/x\n+++ b/x\n@@ -1 +1 @@\n+${Object.values(args).join('\n+')}\n`,
  execute: async (args) => `posted ${Object.values(args).join(' ')}`,
});

let stack: RunningStack;
let question: Pending;

beforeAll(async () => {
  stack = await RunningStack.start({ tools: [post] });
  const [answered] = await ask('answered');
  await stack.decide(answered as Pending, 'approve', { comment: HOSTILE });
  await stack.untilTurnEnded('answered', 1);
  question = (await ask('open'))[0] as Pending;
});

afterAll(async () => {
  await stack.stop();
});

async function ask(sessionId: string): Promise<readonly Pending[]> {
  await stack.startSession(`call post ${JSON.stringify({ text: HOSTILE, [HOSTILE]: HOSTILE })}`, sessionId);
  return stack.pending(sessionId);
}

function environment() {
  return { HOLDPOINT_URL: stack.gateway.url };
}

const COMMANDS: readonly (readonly string[])[] = [
  ['sessions', 'start', 'workspace', HOSTILE, '--wait'],
  ['sessions', 'show', 'answered', '--log'],
  ['sessions', 'show', HOSTILE],
  ['sessions', 'explain', 'open'],
  ['sessions', 'list'],
  ['sessions', 'start', HOSTILE, 'hello'],
  ['approvals', 'list', '--status', 'all'],
  ['approvals', 'show', 'OPEN'],
  ['approvals', 'show', 'ANSWERED'],
  ['approvals', 'approve', 'ANSWERED', '--digest', HOSTILE],
  ['sessions', HOSTILE],
];

it.each(COMMANDS.map((command) => ({ name: foreignLine(command.join(' ')), command })))(
  'nothing of it is written raw by holdpoint $name',
  async ({ command }) => {
    const ids: Readonly<Record<string, string>> = {
      OPEN: question.approvalId,
      ANSWERED: String(
        (await stack.wireEntries('answered')).find(({ type }) => type === 'approval.requested')?.data['approvalId'],
      ),
    };
    const parameters = command.map((word) => ids[word] ?? word);
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await runCli([...parameters, ...more], { environment: environment() });
      expect(RAW.exec(stdout + stderr)).toBeNull();
    }
  },
);

it('is shown as marks, and in JSON as escapes that say the same', async () => {
  const { stdout } = await runCli(['approvals', 'show', question.approvalId], { environment: environment() });
  expect(MARKS.filter((mark) => !stdout.includes(mark))).toEqual([]);
  expect(stdout).toMatch(/^\d+ characters that can not be seen are shown as marks\.$/m);
  const json = await runCli(['approvals', 'show', question.approvalId, '--json'], { environment: environment() });
  expect(JSON.parse(json.stdout)).toMatchObject({ arguments: { text: HOSTILE, [HOSTILE]: HOSTILE } });
});

it('is marked in what watchers print', async () => {
  const watchers = [
    ['approvals', 'watch'],
    ['sessions', 'watch', 'open'],
  ].map((command) => new CliProcess(command, { environment: environment() }));
  for (const watcher of watchers) {
    await waitUntil(
      () => watcher.stdout,
      (text) => text.includes('[U+202E]'),
    );
    watcher.child.kill('SIGINT');
    const { stdout, stderr } = await watcher.end();
    expect(RAW.exec(stdout + stderr)).toBeNull();
  }
});

it('drives no terminal: the escapes on it are our own', async () => {
  const chat = new TerminalProcess(['chat', '--session', 'open'], { environment: environment() });
  const watch = new TerminalProcess(['approvals', 'watch'], { environment: environment() });
  try {
    await chat.shows('for later:');
    await watch.shows('[U+202E]');
    for (const { written } of [chat, watch]) {
      const foreign = written.replace(OWN_ESCAPES, '').replace(/\r?\n/g, '\n');
      expect(RAW.exec(foreign)).toBeNull();
    }
    expect(await chat.screen()).toContain('[U+001B][2J');
  } finally {
    chat.kill();
    watch.kill();
  }
});

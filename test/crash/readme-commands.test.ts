import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { temporalExecutable } from '../support/dev/temporal-executable';
import { shapeFaults } from '../support/docs/shape-faults';
import { type ShellBlock, shellBlocks } from '../support/docs/shell-blocks';
import { ShellSession } from '../support/docs/shell-session';
import { waitUntil } from '../support/wait-until';

const ROOT_FOLDER = join(__dirname, '..', '..');
const COPIED = [
  'src',
  'web',
  'scripts',
  'dist',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Commands of README that are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm start': 'runs until somebody stops it; the crash starts it as `npm start &`',
  'npm test': 'runs this test',
};
/** As README has them, for the machine that wrote it. */
const README_ADDRESS = '127.0.0.1:8400';
const README_TEMPORAL_ADDRESS = '127.0.0.1:46473';

const blocks = shellBlocks(readFileSync(join(ROOT_FOLDER, 'README.md'), 'utf8'));

let folder: string;
let shell: ShellSession;
/** What stands in README, and what stands for it here. */
const known = new Map<string, string>();

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-readme-'));
  for (const path of COPIED.filter((name) => existsSync(join(ROOT_FOLDER, name)))) {
    cpSync(join(ROOT_FOLDER, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(ROOT_FOLDER, 'node_modules'), join(folder, 'node_modules'));
  const port = await freePort();
  known.set(README_ADDRESS, `127.0.0.1:${port}`);
  symlinkSync(await temporalExecutable(), join(folder, 'temporal'));
  shell = new ShellSession(folder, {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    TEMPORAL_ADDRESS: '',
    HOLDPOINT_HOME: '',
    HOLDPOINT_PORT: String(port),
  });
});

afterAll(async () => {
  await shell.run('npm run stop').catch(() => undefined);
  shell.close();
  rmSync(folder, { recursive: true, force: true });
});

function ours(text: string): string {
  return [...known].reduce((changed, [theirs, here]) => changed.replaceAll(theirs, here), text);
}

/** Takes down the address that a start has printed. */
function learnAddress(printed: string): void {
  const address = /^temporal at (\S+)$/m.exec(printed)?.[1];
  if (address !== undefined) {
    known.set(README_TEMPORAL_ADDRESS, address);
  }
}

/** Takes down what a person would copy from a question into the next command. */
function learnQuestion(printed: string): void {
  const [, approvalId, digest] = /"approvalId":"(ap_[^"]+)".*"argumentsDigest":"([^"]+)"/.exec(printed) ?? [];
  if (approvalId !== undefined && digest !== undefined) {
    known.set('APPROVAL_ID', approvalId).set('DIGEST', digest);
  }
}

/** What is wrong with an answer, compared with what README shows; nothing when they are of the same shape. */
function answerFaults(answer: ShellBlock['answer'], printed: string): readonly string[] {
  if (answer?.language === 'json') {
    // README says so: a decision that had to wait for the worker is told as null. What follows shows that it was taken.
    const settled = printed.replace(/^\{"outcome":null,/, '{"outcome":"taken",');
    return printed.startsWith('{') ? shapeFaults(answer.text, settled) : [`no JSON: ${printed}`];
  }
  const text = answer?.text ?? '';
  const listed = [...text.matchAll(/(\d+) ([a-z]+\.[a-z_]+)/g)].map(([, seq, type]) => `${seq} ${type}`);
  if (listed.length > 0) {
    const { entries } = JSON.parse(printed) as { entries: { seq: number; type: string }[] };
    const types = entries.map(({ seq, type }) => `${seq} ${type}`);
    return JSON.stringify(types.sort()) === JSON.stringify(listed.sort()) ? [] : [`the log has ${types.join(', ')}`];
  }
  return text.split('\n').flatMap((line) => lineFaults(line, printed));
}

/** A line of README is printed as it is, except that the data of an event only has the same shape. */
function lineFaults(line: string, printed: string): readonly string[] {
  const lines = printed.split('\n');
  if (!line.startsWith('data: ')) {
    return line === '' || lines.includes(ours(line)) ? [] : [`not printed: ${line}`];
  }
  const data = lines.filter((candidate) => candidate.startsWith('data: ')).map((text) => text.slice('data: '.length));
  return data.some((text) => shapeFaults(line.slice('data: '.length), text).length === 0) ? [] : [`no such ${line}`];
}

/** Asking again changes nothing, so a person who is early asks again. */
function mayAskAgain(command: string): boolean {
  return /^(curl|cat) /.test(command) && !command.includes(' -d ');
}

/** A stream ends when the reader goes: it is read for a while. */
function withEnd(command: string): string {
  return command
    .replace(/^curl -sN /, 'curl -sN --max-time 3 ')
    .replace(/^curl -sN .*/s, (whole) => `${whole} || [ $? = 28 ]`);
}

/** Runs a command until nothing is wrong with what it prints, for a minute. */
async function runCommand(command: string, faultsOf: (printed: string) => readonly string[]): Promise<void> {
  const run = () => shell.run(withEnd(ours(command)));
  let { exitCode, printed } = await run();
  const look = async () => {
    learnAddress(printed());
    if (mayAskAgain(command) && (exitCode !== 0 || faultsOf(printed()).length > 0)) {
      ({ exitCode, printed } = await run());
    }
    return { command, exitCode, faults: exitCode === 0 ? faultsOf(printed()) : [], printed: printed() };
  };
  const last = await waitUntil(look, ({ faults, exitCode: code }) =>
    code === 0 ? faults.length === 0 : !mayAskAgain(command),
  );
  expect(last).toMatchObject({ exitCode: 0, faults: [] });
  learnQuestion(printed());
}

/** A list of questions is read for one that has not been decided yet. */
function questionFaults(command: string, printed: string): readonly string[] {
  const id = /"approvalId":"(ap_[^"]+)"/.exec(printed)?.[1];
  const isWanted = command.includes('/v1/approvals?');
  return isWanted && (id === undefined || id === known.get('APPROVAL_ID')) ? ['no new question'] : [];
}

test("README's commands, typed one after another, print what README shows", async () => {
  const skipped: string[] = [];
  for (const { commands, answer } of blocks) {
    for (const [index, command] of commands.entries()) {
      if (command in NOT_RUN) {
        skipped.push(command);
      } else {
        const isLast = index === commands.length - 1;
        await runCommand(command, (printed) => [
          ...questionFaults(command, printed),
          ...(isLast ? answerFaults(answer, printed) : []),
        ]);
      }
    }
  }
  expect(skipped.sort()).toEqual(Object.keys(NOT_RUN).sort());
  await waitUntil(
    () => existsSync(join(folder, 'bye.txt')) && readFileSync(join(folder, 'bye.txt'), 'utf8'),
    (text) => text === 'bye',
  );
}, 240_000);

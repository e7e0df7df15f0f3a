import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import { whileTakingTurns } from '../../../support/swap-in-turns';
import { createWorkspaceFolder, type WorkspaceFolder, type WorkspaceToolName } from '../../../support/workspace-folder';

const ROUNDS = 200;
/** What lies outside, in contents and in names. */
const SECRET = 'secret';

let folder: WorkspaceFolder;
let outside: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
  outside = createWorkspaceFolder();
  mkdirSync(join(folder.root, 'up', 'in'), { recursive: true });
  mkdirSync(join(outside.root, 'up', 'in'), { recursive: true });
  writeFileSync(join(folder.root, 'up', 'in', 'a.txt'), 'text: inside');
  writeFileSync(join(outside.root, 'up', 'in', 'a.txt'), `text: ${SECRET}`);
  writeFileSync(join(outside.root, 'up', 'in', `${SECRET}.txt`), `text: ${SECRET}`);
});

afterEach(() => {
  folder.remove();
  outside.remove();
});

const CALLS: readonly (readonly [WorkspaceToolName, JsonObject])[] = [
  ['read_file', { path: 'up/in/a.txt' }],
  ['list_files', { dir: 'up/in' }],
  ['search_files', { text: 'text' }],
];

/** What came of all calls: `read_file: …` with the output as JSON text or the words of the refusal. */
async function answersTo(calls: typeof CALLS, isEnough: (answers: ReadonlySet<string>) => boolean) {
  const answers = new Set<string>();
  for (let round = 1; round <= ROUNDS || !isEnough(answers); round += 1) {
    for (const [tool, args] of calls) {
      const { output, refused } = await folder.run(tool, args);
      answers.add(`${tool}: ${refused ?? JSON.stringify(output)}`);
    }
  }
  return answers;
}

/** Puts a stand-in for something in the workspace beside the workspace, and returns where. */
type MakeStandIn = (outsidePath: string, standIn: string) => void;

const makeLink: MakeStandIn = (outsidePath, standIn) => symlinkSync(outsidePath, standIn);
const makeHardLink: MakeStandIn = (outsidePath, standIn) => linkSync(outsidePath, standIn);
const makePipe: MakeStandIn = (_outsidePath, standIn) => execFileSync('mkfifo', [standIn]);

it.each<[string, string, string, MakeStandIn, string]>([
  ['a folder on the way', 'up', 'a link to one outside', makeLink, 'is a symbolic link'],
  ['the folder', 'up/in', 'a link to one outside', makeLink, 'is a symbolic link'],
  ['the file', 'up/in/a.txt', 'a link to one outside', makeLink, 'is a symbolic link'],
  ['the file', 'up/in/a.txt', 'another name of one outside', makeHardLink, 'has several hard links'],
  ['the file', 'up/in/a.txt', 'a pipe', makePipe, 'is not a regular file'],
])(
  'nothing from outside is read, listed or found while %s (%s) is swapped for %s',
  async (_what, path, _standIn, makeStandIn, refusal) => {
    const standIn = join(outside.root, 'stand-in');
    makeStandIn(join(outside.root, path), standIn);
    // Without these the test would prove nothing: every tool came through, and read_file met the stand-in.
    const signs = [
      /^read_file: "\[a\.txt|^read_file: "\[up/,
      /^list_files: \{/,
      /^search_files: \{/,
      new RegExp(refusal),
    ];
    let answers: ReadonlySet<string> = new Set();
    const turns = { path: join(folder.root, path), aside: join(outside.root, 'aside'), standIn };
    const swaps = await whileTakingTurns(turns, async () => {
      answers = await answersTo(CALLS, (seen) => signs.every((sign) => [...seen].some((answer) => sign.test(answer))));
    });
    expect(swaps).toBeGreaterThan(ROUNDS);
    expect([...answers].filter((answer) => answer.includes(SECRET))).toEqual([]);
  },
  60_000,
);

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import { type Swap, whileSwapped } from '../../../support/while-swapped';
import { createWorkspaceFolder, type WorkspaceFolder, type WorkspaceToolName } from '../../../support/workspace-folder';

const ROUNDS = 200;
const RACE_LIMIT_MS = 120_000;
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

/**
 * What came of all calls, again and again until enough was swapped and seen: `read_file: …` with the output as JSON text
 * or the words of the refusal.
 */
async function answersTo(
  calls: typeof CALLS,
  swaps: () => number,
  isEnough: (answers: ReadonlySet<string>) => boolean,
) {
  const answers = new Set<string>();
  for (let round = 1; round <= ROUNDS || swaps() < ROUNDS || !isEnough(answers); round += 1) {
    for (const [tool, args] of calls) {
      const { output, refused } = await folder.run(tool, args);
      answers.add(`${tool}: ${refused ?? JSON.stringify(output)}`);
    }
  }
  return answers;
}

it.each<[string, string, string, Swap['standIn'], string]>([
  ['a folder on the way', 'up', 'a link to one outside', 'link', 'is a symbolic link'],
  ['the folder', 'up/in', 'a link to one outside', 'link', 'is a symbolic link'],
  ['the file', 'up/in/a.txt', 'a link to one outside', 'link', 'is a symbolic link'],
  ['the file', 'up/in/a.txt', 'another name of one outside', 'hard link', 'has several hard links'],
  ['the file', 'up/in/a.txt', 'a pipe', 'hard link', 'is not a regular file'],
])(
  'nothing from outside is read, listed or found while %s (%s) is swapped for %s',
  async (_what, path, what, standIn, refusal) => {
    const target = join(outside.root, path);
    if (what === 'a pipe') {
      rmSync(target);
      execFileSync('mkfifo', [target]);
    }
    if (what === 'another name of one outside') {
      // At no moment it has one name only: that would be a file that was moved into the workspace, and could be read.
      linkSync(target, join(outside.root, 'always-there'));
    }
    // Without these the test would prove nothing: every tool came through, and read_file met the stand-in.
    const signs = [
      /^read_file: "\[a\.txt|^read_file: "\[up/,
      /^list_files: \{/,
      /^search_files: \{/,
      new RegExp(refusal),
    ];
    const areSeen = (seen: ReadonlySet<string>) => signs.every((sign) => [...seen].some((answer) => sign.test(answer)));
    let answers: ReadonlySet<string> = new Set();
    const swap: Swap = { path: join(folder.root, path), aside: join(outside.root, 'aside'), standIn, target };
    await whileSwapped(swap, async (swaps) => {
      answers = await answersTo(CALLS, swaps, areSeen);
    });
    expect([...answers].filter((answer) => answer.includes(SECRET))).toEqual([]);
  },
  RACE_LIMIT_MS,
);

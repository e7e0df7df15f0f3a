import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import {
  answerOf,
  createWorkspaceFolder,
  toolContext,
  type WorkspaceFolder,
  type WorkspaceToolName,
} from '../../../support/workspace-folder';

const WRITES: readonly (readonly [WorkspaceToolName, (path: string) => JsonObject])[] = [
  ['write_file', (path) => ({ path, content: 'new' })],
  ['edit_file', (path) => ({ path, oldText: 'old', newText: 'new' })],
  ['delete_file', (path) => ({ path })],
];

let folder: WorkspaceFolder;
let outside: string;
const at = (name: string): string => join(folder.root, name);

beforeEach(() => {
  folder = createWorkspaceFolder(['state']);
  outside = mkdtempSync(join(tmpdir(), 'holdpoint-outside-'));
  writeFileSync(join(outside, 'a.txt'), 'old');
});

afterEach(() => {
  // Deeper than a path may be long: only a walk by descriptors gets there.
  execFileSync('rm', ['-rf', folder.root, outside]);
});

/** Every name in the folder with its kind, its mode and the content of files, as it is on the disk. */
function everything(): readonly string[] {
  const names = readdirSync(folder.root, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const stats = lstatSync(at(name));
    return `${name} ${stats.mode} ${stats.ino} ${stats.isFile() ? readFileSync(at(name), 'utf8') : ''}`;
  });
}

/** What the functions of a tool that look at a path say: precondition, preview and the write itself. */
async function refusalsOf(tool: WorkspaceToolName, args: JsonObject): Promise<readonly (string | undefined)[]> {
  const { precondition, preview } = folder.tools[tool];
  const answers = [
    await answerOf(async () => precondition?.(args, toolContext())),
    await answerOf(async () => preview?.(args, toolContext())),
    await folder.run(tool, args),
  ];
  return answers.map(({ refused }) => refused);
}

describe.each(WRITES)('%s', (tool, argsFor) => {
  it.each<[string, string, string, () => void]>([
    ['a path out of the workspace', '../a.txt', 'holds ".."', () => {}],
    ['a name with a line end', 'a\nb.txt', 'control character', () => writeFileSync(at('a\nb.txt'), 'old')],
    ['a name that is too long', 'ä'.repeat(128), 'longer than 255 bytes', () => {}],
    ['a path that is too long', `${'a/'.repeat(2_048)}b`, 'longer than 4096 bytes', () => {}],
    ['a protected name', '.env', 'protected', () => writeFileSync(at('.env'), 'old')],
    ['an unfinished file', '.holdpoint-x.1.tmp', 'protected', () => writeFileSync(at('.holdpoint-x.1.tmp'), 'old')],
    ['a protected folder', 'state/a.txt', 'protected', () => makeFolder('state')],
    ['a folder', 'folder', 'is a folder, not a file', () => makeFolder('folder')],
    ['a file used as a folder', 'a.txt/b.txt', 'is not a folder', () => writeFileSync(at('a.txt'), 'old')],
    ['a link to a file', 'link', 'is a symbolic link', () => symlinkSync(join(outside, 'a.txt'), at('link'))],
    ['a link that leads nowhere', 'link', 'is a symbolic link', () => symlinkSync('/nowhere', at('link'))],
    ['a folder behind a link', 'link/a.txt', 'is a symbolic link', () => symlinkSync(outside, at('link'))],
    ['a file with another name', 'a.txt', 'several hard links', () => linkSync(join(outside, 'a.txt'), at('a.txt'))],
    ['a pipe', 'pipe', 'is not a regular file', () => execFileSync('mkfifo', [at('pipe')])],
    ['a read-only file', 'a.txt', 'is read-only', () => writeFileSync(at('a.txt'), 'old', { mode: 0o444 })],
  ])('refuses %s and changes nothing', async (_what, path, words, prepare) => {
    prepare();
    const before = everything();
    expect(await refusalsOf(tool, argsFor(path))).toEqual(Array(3).fill(expect.stringContaining(words)));
    expect(everything()).toEqual(before);
    expect(readdirSync(outside)).toEqual(['a.txt']);
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('old');
  });

  const asRoot = process.getuid?.() === 0 && process.platform === 'linux' ? it : it.skip;
  asRoot('refuses a device and changes nothing (needs the right to make one)', async () => {
    execFileSync('mknod', [at('device'), 'c', '1', '3']);
    expect(await refusalsOf(tool, argsFor('device'))).toEqual(Array(3).fill('"device" is not a regular file.'));
    expect(lstatSync(at('device')).isCharacterDevice()).toBe(true);
  });

  it('leaves a file alone that became something else since it was approved', async () => {
    const args = argsFor('a.txt');
    const swaps: readonly (() => void)[] = [
      () => makeFolder('a.txt'),
      () => symlinkSync(join(outside, 'a.txt'), at('a.txt')),
      () => linkSync(join(outside, 'a.txt'), at('a.txt')),
      () => execFileSync('mkfifo', [at('a.txt')]),
      () => writeFileSync(at('a.txt'), 'old too'),
    ];
    for (const swap of swaps) {
      writeFileSync(at('a.txt'), 'old');
      const approvedPrecondition = (await folder.tools[tool].precondition?.(args, toolContext())) ?? '';
      rmSync(at('a.txt'));
      swap();
      const before = everything();
      expect(await folder.run(tool, args, { approvedPrecondition })).toHaveProperty('refused');
      expect(await folder.tools[tool].verify?.(args, toolContext({ approvedPrecondition }))).toBe('unknown');
      expect(everything()).toEqual(before);
      rmSync(at('a.txt'), { recursive: true });
    }
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('old');
  });
});

function makeFolder(name: string): void {
  mkdirSync(at(name));
  writeFileSync(join(at(name), 'a.txt'), 'old');
  chmodSync(at(name), 0o755);
}

describe('a path of 4,096 bytes', () => {
  const path = `${`${'d'.repeat(254)}/`.repeat(16)}${'f'.repeat(16)}`;

  it('is written, edited and deleted, or refused as too long where the system can not reach it', async () => {
    expect(Buffer.byteLength(path)).toBe(4_096);
    const answers = [
      await folder.run('write_file', { path, content: 'old' }),
      await folder.run('edit_file', { path, oldText: 'old', newText: 'new' }),
      await folder.run('read_file', { path }),
      await folder.run('delete_file', { path }),
      await folder.run('read_file', { path }),
    ];
    const isReached = process.platform === 'linux';
    expect(answers.slice(0, 4).every(({ output }) => (output !== undefined) === isReached)).toBe(true);
    expect(answers.at(-1)).toHaveProperty('refused');
    expect(isReached || !existsSync(at('d'.repeat(254)))).toBe(true);
  });
});

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namePattern } from '../../../../src/adapters/tools/workspace/name-pattern';
import type { JsonObject } from '../../../../src/core/json';
import { DEFAULT_LIMITS } from '../../../../src/core/limits';
import { createWorkspaceFolder, type WorkspaceFolder, workspaceFolderAt } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  folder.remove();
});

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(join(folder.root, dirname(path)), { recursive: true });
  writeFileSync(join(folder.root, path), content);
}

async function search(args: JsonObject): Promise<JsonObject> {
  const { output, refused } = await folder.run('search_files', args);
  expect(refused).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(DEFAULT_LIMITS.resultBytes);
  return output as JsonObject;
}

/** Where a text was found, as `path:line`. */
async function placesOf(args: JsonObject): Promise<readonly string[]> {
  const { matches } = await search(args);
  return (matches as { path: string; line: number }[]).map(({ path, line }) => `${path}:${line}`);
}

describe('search_files', () => {
  it('is a read that may overlap with others', () => {
    expect(folder.tools.search_files).toMatchObject({ effect: 'read', risk: 'low' });
    expect(folder.tools.search_files.parallel({ text: 'a' })).toBe(true);
    expect(folder.tools.search_files.summarize({ text: 'a b', dir: 'src' })).toBe('Search src for a b');
  });

  it('finds lines in all folders, in the order of paths and lines, each line once', async () => {
    write('b.txt', 'needle needle\nhay\nneedle');
    write('a/z.txt', 'hay\r\n  needle here\r\n');
    write('a/y/x.txt', '\n\nneedle\n');
    write('empty.txt', '');
    expect(await search({ text: 'needle' })).toEqual({
      matches: [
        { path: 'a/y/x.txt', line: 3, text: 'needle' },
        { path: 'a/z.txt', line: 2, text: '  needle here' },
        { path: 'b.txt', line: 1, text: 'needle needle' },
        { path: 'b.txt', line: 3, text: 'needle' },
      ],
      searchedFiles: 4,
      truncated: false,
    });
  });

  it('takes the text as it is, not as a pattern, and letters in any case only when asked to', async () => {
    write('a.txt', 'a.*b(c)[d]{1}^$|\\/-\nAxxB(C)\nÄpfel\nthe end');
    expect(await placesOf({ text: 'a.*b(c)[d]{1}^$|\\/-' })).toEqual(['a.txt:1']);
    expect(await placesOf({ text: 'a.*b' })).toEqual(['a.txt:1']);
    expect(await placesOf({ text: 'äpfel' })).toEqual([]);
    expect(await placesOf({ text: 'äpfel', ignoreCase: true })).toEqual(['a.txt:3']);
    expect(await placesOf({ text: 'A', ignoreCase: true })).toEqual(['a.txt:1', 'a.txt:2']);
    expect(await placesOf({ text: 'end' })).toEqual(['a.txt:4']);
  });

  it('looks only into the folder and the files it is asked for', async () => {
    for (const path of ['a.ts', 'a.md', 'src/b.ts', 'src/deep/c.ts', 'src/ts']) {
      write(path, 'needle');
    }
    expect(await placesOf({ text: 'needle', dir: 'src' })).toEqual(['src/b.ts:1', 'src/deep/c.ts:1', 'src/ts:1']);
    expect(await placesOf({ text: 'needle', files: '*.ts' })).toEqual(['a.ts:1', 'src/b.ts:1', 'src/deep/c.ts:1']);
    expect(await placesOf({ text: 'needle', dir: 'src/deep', files: 'c.*' })).toEqual(['src/deep/c.ts:1']);
  });

  it('shortens a long line around the match, never inside a character', async () => {
    write('a.txt', `${'€'.repeat(10_000)}needle${'\u{1f600}'.repeat(10_000)}\n${'x'.repeat(300)}needle`);
    const { matches } = await search({ text: 'needle' });
    const texts = (matches as { text: string }[]).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringMatching(/^…€{60}needle(\u{1f600}){66,67}…$/u),
      expect.stringMatching(/^…x{194}needle$/),
    ]);
  });

  it('shows no more than fits a result and says that there is more', async () => {
    for (let index = 0; index < 50; index += 1) {
      write(`f${String(index).padStart(2, '0')}.txt`, 'a needle in some hay\n'.repeat(50));
    }
    const { matches, truncated } = await search({ text: 'needle' });
    expect(truncated).toBe(true);
    expect((matches as unknown[]).length).toBeGreaterThan(50);
    expect(await search({ text: 'needle', files: 'f00.txt' })).toMatchObject({ searchedFiles: 1, truncated: false });
  });

  it('says what it left out: no text, too large, links, pipes, files with other names', async () => {
    const outside = createWorkspaceFolder();
    try {
      writeFileSync(join(outside.root, 'secret.txt'), 'needle');
      mkdirSync(join(outside.root, 'folder'));
      writeFileSync(join(outside.root, 'folder', 'secret.txt'), 'needle');
      write('a.txt', 'needle');
      write('binary', Buffer.from('needle\0'));
      write('latin1.txt', Buffer.from('needle \u00ff', 'latin1'));
      write('large.txt', 'needle\n');
      truncateSync(join(folder.root, 'large.txt'), 2_147_483_648);
      symlinkSync(join(outside.root, 'secret.txt'), join(folder.root, 'link'));
      symlinkSync(join(outside.root, 'folder'), join(folder.root, 'folder-link'));
      symlinkSync('.', join(folder.root, 'loop'));
      linkSync(join(outside.root, 'secret.txt'), join(folder.root, 'hard-link'));
      execFileSync('mkfifo', [join(folder.root, 'pipe')]);
      expect(await search({ text: 'needle' })).toEqual({
        matches: [{ path: 'a.txt', line: 1, text: 'needle' }],
        searchedFiles: 1,
        truncated: false,
        skipped: { notText: 2, tooLarge: 1, refused: 5 },
      });
    } finally {
      outside.remove();
    }
  });

  it('looks into nothing that is protected', async () => {
    for (const path of ['.git/config', '.env', 'deep/.ENV', 'server.pem', 'state/store.txt', 'a.txt']) {
      write(path, 'needle');
    }
    const guarded = workspaceFolderAt(folder.root, [join(folder.root, 'state')]);
    expect(await guarded.run('search_files', { text: 'needle' })).toEqual({
      output: {
        matches: [{ path: 'a.txt', line: 1, text: 'needle' }],
        searchedFiles: 1,
        truncated: false,
        skipped: { refused: 1 },
      },
    });
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('goes on behind a file that the system can not read', async () => {
    // The first page of a process is never mapped, so that its memory can't be read from the start.
    const unreadable = workspaceFolderAt('/proc/self');
    expect(await unreadable.run('search_files', { text: 'needle', files: 'mem' })).toMatchObject({
      output: { matches: [], searchedFiles: 0, truncated: false, skipped: { unreadable: expect.any(Number) } },
    });
  });

  it('shows names that no path can hold escaped and looks into none of them', async () => {
    write('a.txt:1: fake', 'needle');
    write('x\n{"path":"fake.txt","line":1}', 'needle');
    write('f\nolder/a.txt', 'needle');
    expect(await search({ text: 'needle' })).toEqual({
      matches: [{ path: 'a.txt:1: fake', line: 1, text: 'needle' }],
      searchedFiles: 1,
      truncated: false,
      skipped: { unusableName: 2 },
      unusable: ['"f\\nolder"', '"x\\n{\\"path\\":\\"fake.txt\\",\\"line\\":1}"'],
    });
  });

  it('goes 100 folders deep and says that there are deeper ones', async () => {
    write(`${'d/'.repeat(100)}in.txt`, 'needle');
    write(`${'d/'.repeat(101)}out.txt`, 'needle');
    expect(await search({ text: 'needle' })).toMatchObject({
      matches: [{ path: `${'d/'.repeat(100)}in.txt` }],
      skipped: { tooDeep: 1 },
    });
    expect(await placesOf({ text: 'needle', dir: 'd' })).toHaveLength(2);
  });

  it('stops after 20 seconds with what it has', async () => {
    write('a.txt', 'needle');
    write('b.txt', 'needle');
    const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(20_001);
    try {
      expect(await search({ text: 'needle' })).toEqual({
        matches: [{ path: 'a.txt', line: 1, text: 'needle' }],
        searchedFiles: 1,
        truncated: true,
      });
    } finally {
      clock.mockRestore();
    }
  });

  it('stops when it is told to', async () => {
    write('a.txt', 'needle');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(folder.run('search_files', { text: 'needle' }, { signal })).rejects.toThrow('stopped');
  });

  it('refuses a folder that is none, and arguments that can find nothing', async () => {
    write('file', '');
    expect(await folder.run('search_files', { text: 'a', dir: 'file' })).toEqual({
      refused: '"file" is not a folder.',
    });
    expect(await folder.run('search_files', { text: 'a', dir: 'no' })).toEqual({ refused: '"no" does not exist.' });
    expect(await folder.run('search_files', { text: 'a', dir: '../x' })).toHaveProperty('refused');
    for (const args of [{ text: '' }, { text: 'a\nb' }, { text: 'a'.repeat(201) }, { text: 'a', regex: true }]) {
      expect(folder.tools.search_files.parse(args)).toMatchObject({ ok: false });
    }
  });
});

describe('patterns of names', () => {
  it.each([
    ['*', ['', 'a', 'a.ts'], []],
    ['*.ts', ['.ts', 'a.ts', 'a.ts.ts'], ['a.tsx', 'ts']],
    ['a*', ['a', 'ab'], ['ba']],
    ['a*b*c', ['abc', 'axbxc', 'abbcc'], ['acb', 'ab', 'ac']],
    ['a*a', ['aa', 'aba'], ['a']],
    ['a', ['a'], ['', 'aa']],
    ['**', ['', 'a'], []],
    ['[a].?', ['[a].?'], ['a.b']],
  ])('%j fits what it should', (pattern, fitting, others) => {
    const fits = namePattern(pattern);
    expect([fitting.filter((name) => !fits(name)), others.filter(fits)]).toEqual([[], []]);
  });

  it('take no time however many stars they have', () => {
    expect(namePattern(`${'*a'.repeat(100)}*b`)('a'.repeat(255))).toBe(false);
  });
});

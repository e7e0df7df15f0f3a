import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProtectedName } from '../../../../src/adapters/tools/workspace/protected-names';
import {
  createWorkspaceFolder,
  type ToolAnswer,
  type WorkspaceFolder,
  workspaceFolderAt,
} from '../../../support/workspace-folder';

let folder: WorkspaceFolder;
let outside: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
  outside = createWorkspaceFolder();
  writeFileSync(join(outside.root, 'secret.txt'), 'secret');
});

afterEach(() => {
  folder.remove();
  outside.remove();
});

/** What each of the tools says about a path. */
async function answersAbout(path: string): Promise<readonly ToolAnswer[]> {
  return Promise.all([
    folder.run('list_files', { dir: path }),
    folder.run('search_files', { text: 'x', dir: path }),
    folder.run('read_file', { path }),
    folder.run('write_file', { path, content: 'x' }),
    folder.run('edit_file', { path, oldText: 'x', newText: 'y' }),
    folder.run('delete_file', { path }),
  ]);
}

async function expectRefused(path: string, words: string): Promise<void> {
  for (const answer of await answersAbout(path)) {
    expect(answer).toEqual({ refused: expect.stringContaining(words) });
  }
}

describe('paths as texts', () => {
  it.each([
    ['../x', '".."'],
    ['a/../../x', '".."'],
    ['a/..', '".."'],
    ['/etc/passwd', 'absolute'],
    ['//etc/passwd', 'absolute'],
    ['C:\\x', 'absolute'],
    ['..\\x', 'backslash'],
    ['a\0b', 'control character'],
    ['a\nb', 'control character'],
    ['a\u0085b', 'control character'],
    ['a\u2028b', 'control character'],
    ['safe\u202etxt.exe', 'control character'],
    ['e\u0301.txt', 'decomposed'],
    ['a\ud800b', 'broken'],
    ['a\ufffdb', 'broken'],
  ])('refuses %j for every tool', async (path, words) => {
    await expectRefused(path, words);
  });

  it('refuses paths and names that are too long for every tool', async () => {
    await expectRefused('a/'.repeat(2_049), 'longer than 4096 bytes');
    await expectRefused('ä'.repeat(128), 'longer than 255 bytes');
  });

  it('takes a path of 4,096 bytes', async () => {
    const path = [...Array.from({ length: 195 }, (_, index) => `folder-${index}`.padEnd(20, '-')), 'f'].join('/');
    expect(Buffer.byteLength(path)).toBe(4_096);
    for (const answer of [
      await folder.run('list_files', { dir: path }),
      await folder.run('search_files', { text: 'x', dir: path }),
      await folder.run('read_file', { path }),
    ]) {
      expect(answer).toEqual({ refused: expect.stringContaining('does not exist') });
    }
  });

  it('goes through 200 folders and no more', async () => {
    const path = `${'d/'.repeat(199)}a.txt`;
    mkdirSync(join(folder.root, path, '..'), { recursive: true });
    writeFileSync(join(folder.root, path), 'a');
    expect(await folder.run('read_file', { path })).toEqual({ output: `[${path}, 1 byte]\na` });
    await expectRefused(`d/${path}`, 'more than 200 folders');
  });

  it.each([
    '.git/config',
    'sub/.GIT/hooks/pre-commit',
    '.gi\u200ct/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'server.pem:stream',
    '.holdpoint/store.db',
    '.holdpoint-abc.1.tmp',
    '.env',
    '.ENV.local',
    'deploy/.envrc',
    'server.pem',
    'Server.KEY',
    'id_rsa',
    'ID_RſA',
    'keys/id_ed25519.pub',
    '.ssh/config',
    '.ẞh/config',
    '.npmrc',
  ])('refuses the protected path %j for every tool', async (path) => {
    await expectRefused(path, 'protected');
    expect(existsSync(join(folder.root, path))).toBe(false);
  });

  it.each(['git', 'environment.txt', '.gitignore', '.github', 'keys', 'monkey', 'id_card.txt', 'a.pem.txt'])(
    'does not protect %j',
    (name) => {
      expect(isProtectedName(name)).toBe(false);
    },
  );

  it('refuses a path that names a folder where a file is needed', async () => {
    for (const path of ['', '.', './', 'a/', 'a/.']) {
      const answers = [await folder.run('read_file', { path }), await folder.run('write_file', { path, content: '' })];
      expect(answers).toEqual(answers.map(() => ({ refused: expect.stringContaining('names a folder') })));
    }
  });

  it('takes doubled separators and single dots as nothing', async () => {
    mkdirSync(join(folder.root, 'a'));
    writeFileSync(join(folder.root, 'a', 'b.txt'), 'x');
    expect(await folder.run('read_file', { path: './a//./b.txt' })).toEqual({ output: '[a/b.txt, 1 byte]\nx' });
  });

  it('keeps a refusal short, however long the path', async () => {
    const { refused } = await folder.run('read_file', { path: ['a'.repeat(3_000), '..'].join('/') });
    expect(refused?.length).toBeLessThan(400);
  });
});

describe('paths on the disk', () => {
  it('follows no symbolic link, wherever it stands and leads', async () => {
    mkdirSync(join(folder.root, 'real'));
    writeFileSync(join(folder.root, 'real', 'a.txt'), 'a');
    symlinkSync(join(outside.root, 'secret.txt'), join(folder.root, 'file-link'));
    symlinkSync(outside.root, join(folder.root, 'folder-link'));
    symlinkSync(join(folder.root, 'real'), join(folder.root, 'inner-link'));
    symlinkSync('/nowhere/at/all', join(folder.root, 'dangling'));
    symlinkSync('loop', join(folder.root, 'loop'));
    for (const path of ['file-link', 'folder-link', 'folder-link/secret.txt', 'inner-link/a.txt', 'dangling', 'loop']) {
      await expectRefused(path, 'symbolic link');
    }
    await expectRefused('folder-link/new.txt', 'symbolic link');
    expect(readFileSync(join(outside.root, 'secret.txt'), 'utf8')).toBe('secret');
    expect(existsSync(join(outside.root, 'new.txt'))).toBe(false);
  });

  it('works in a folder that is itself reached by a link', async () => {
    const link = join(tmpdir(), `holdpoint-link-${process.pid}`);
    writeFileSync(join(folder.root, 'a.txt'), 'a');
    symlinkSync(folder.root, link);
    try {
      const linked = workspaceFolderAt(link);
      expect(await linked.run('read_file', { path: 'a.txt' })).toEqual({ output: '[a.txt, 1 byte]\na' });
      expect(await linked.run('write_file', { path: 'b.txt', content: 'b' })).toHaveProperty('output');
    } finally {
      rmSync(link);
    }
  });

  it('neither reads nor writes a file that has another name', async () => {
    linkSync(join(outside.root, 'secret.txt'), join(folder.root, 'a.txt'));
    const refused = '"a.txt" has several hard links; such files are not touched.';
    expect(await folder.run('read_file', { path: 'a.txt' })).toEqual({ refused });
    expect(await folder.run('write_file', { path: 'a.txt', content: 'b' })).toEqual({ refused });
    expect(readFileSync(join(outside.root, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('refuses pipes, sockets and devices at once', async () => {
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    const server = createServer().listen(join(folder.root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      for (const path of ['pipe', 'socket']) {
        expect(await folder.run('read_file', { path })).toEqual({ refused: `"${path}" is not a regular file.` });
        expect(await folder.run('write_file', { path, content: '' })).toEqual({
          refused: `"${path}" is not a regular file.`,
        });
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    const devices = workspaceFolderAt('/dev');
    expect(await devices.run('read_file', { path: 'zero' })).toEqual({ refused: '"zero" is not a regular file.' });
    expect(await devices.run('write_file', { path: 'null', content: 'x' })).toEqual({
      refused: '"null" is not a regular file.',
    });
  });

  it('tells folders and files apart', async () => {
    mkdirSync(join(folder.root, 'folder'));
    writeFileSync(join(folder.root, 'file'), '');
    expect(await folder.run('read_file', { path: 'folder' })).toEqual({ refused: '"folder" is a folder, not a file.' });
    expect(await folder.run('write_file', { path: 'folder', content: '' })).toEqual({
      refused: '"folder" is a folder, not a file.',
    });
    expect(await folder.run('list_files', { dir: 'file' })).toEqual({
      refused: '"file" is not a folder.',
    });
    for (const answer of await answersAbout('file/inside')) {
      expect(answer).toEqual({ refused: '"file" is not a folder.' });
    }
  });

  it('says what is missing', async () => {
    expect(await folder.run('read_file', { path: 'a/b' })).toEqual({ refused: '"a/b" does not exist.' });
    expect(await folder.run('list_files', { dir: 'a' })).toEqual({ refused: '"a" does not exist.' });
    const gone = workspaceFolderAt(join(folder.root, 'gone'));
    expect(await gone.run('list_files', {})).toEqual({ refused: 'The workspace folder is not there.' });
  });

  it('never enters a protected folder, whatever its name', async () => {
    const guarded = workspaceFolderAt(folder.root, [join(folder.root, 'state'), join(folder.root, 'not-there')]);
    mkdirSync(join(folder.root, 'state', 'deep'), { recursive: true });
    writeFileSync(join(folder.root, 'state', 'deep', 'store.db'), 'x');
    for (const answer of [
      await guarded.run('list_files', { dir: 'state' }),
      await guarded.run('read_file', { path: 'state/deep/store.db' }),
      await guarded.run('write_file', { path: 'state/new/file', content: 'x' }),
    ]) {
      expect(answer).toEqual({ refused: '"state" is protected: it holds the state of this program.' });
    }
  });

  it.each(['.', 'state', 'state/deep', 'link/deep'])('does nothing in a workspace at %j inside one', async (root) => {
    mkdirSync(join(folder.root, 'state', 'deep'), { recursive: true });
    symlinkSync('state', join(folder.root, 'link'));
    const guarded = workspaceFolderAt(join(folder.root, root), [
      root === '.' ? folder.root : join(folder.root, 'link'),
    ]);
    for (const answer of [
      await guarded.run('list_files', {}),
      await guarded.run('search_files', { text: 'x' }),
      await guarded.run('write_file', { path: 'a.txt', content: 'x' }),
    ]) {
      expect(answer).toEqual({ refused: 'The workspace lies in a folder that holds the state of this program.' });
    }
    expect(existsSync(join(folder.root, root, 'a.txt'))).toBe(false);
  });
});

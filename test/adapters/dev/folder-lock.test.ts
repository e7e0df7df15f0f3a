import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acquireFolderLock, type FolderLock } from '../../../src/dev/folder-lock';
import { type ScriptProcess, startScript } from '../../support/dev/script-process';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
const NO_PROCESS = 2 ** 22 + 1;
const NOBODY = 65_534;

let locks: FolderLock[] = [];
let scripts: ScriptProcess[] = [];

afterEach(async () => {
  for (const lock of locks) {
    lock.release();
  }
  await Promise.all(scripts.map((script) => script.kill()));
  locks = [];
  scripts = [];
});

async function lock(folder: string): Promise<FolderLock> {
  const acquired = await acquireFolderLock(folder);
  locks.push(acquired);
  return acquired;
}

function holdInAnotherProcess(folder: string, userId?: number): ScriptProcess {
  const script = startScript('hold-folder', [folder], userId);
  scripts.push(script);
  return script;
}

function owner(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
}

describe('the lock of a state folder', () => {
  it('makes the folder, for its user only and kept out of git, and says who holds it', async () => {
    const folder = join(newFolder(), 'a', '.holdpoint');
    const held = await lock(folder);
    expect(held.folder.path).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(owner(folder)).toEqual({ pid: process.pid, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    held.announce('http://127.0.0.1:8400');
    expect(owner(folder)).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:8400' });
  });

  it('refuses a second start and names the holder', async () => {
    const folder = newFolder();
    const script = holdInAnotherProcess(folder);
    expect(await script.firstLine).toBe('held');
    await expect(acquireFolderLock(folder, 0)).rejects.toMatchObject({
      code: 'folder_in_use',
      message: expect.stringContaining(`${folder} is in use by holdpoint, process ${script.pid} since 20`),
      details: { folder, pid: script.pid, startedAt: expect.any(String) },
    });
  });

  it('is one lock for two names of the folder, in one process too', async () => {
    const folder = newFolder();
    const link = join(newFolder(), 'link');
    symlinkSync(folder, link);
    const held = await lock(folder);
    held.announce('http://127.0.0.1:8400');
    await expect(acquireFolderLock(link, 0)).rejects.toMatchObject({
      code: 'folder_in_use',
      message: expect.stringContaining('(http://127.0.0.1:8400)'),
    });
  });

  it('goes to exactly one of two processes that start at once', async () => {
    const folder = join(newFolder(), '.holdpoint');
    const lines = await Promise.all([holdInAnotherProcess(folder).firstLine, holdInAnotherProcess(folder).firstLine]);
    expect(lines.sort()).toEqual(['folder_in_use', 'held']);
  });

  it('is free after kill -9 of its holder', async () => {
    const folder = newFolder();
    const script = holdInAnotherProcess(folder);
    await script.firstLine;
    await script.kill();
    await lock(folder);
    expect(owner(folder)).toMatchObject({ pid: process.pid });
  });

  it('is free after release, which can be repeated', async () => {
    const folder = newFolder();
    const first = await lock(folder);
    first.release();
    expect(existsSync(join(folder, 'owner.json'))).toBe(false);
    await lock(folder);
    first.release();
    expect(owner(folder)).toMatchObject({ pid: process.pid });
  });

  it('names nobody while the file still names a process that is gone', async () => {
    const folder = newFolder();
    await lock(folder);
    writeFileSync(join(folder, 'owner.json'), JSON.stringify({ pid: NO_PROCESS, startedAt: '2020-01-01T00:00:00Z' }));
    const error = await acquireFolderLock(folder, 0).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'folder_in_use', details: { folder } });
    expect(String(error)).toContain('another process');
  });
});

describe('a state folder that cannot be written', () => {
  it.each([
    ['lies under a file', () => '/dev/null/.holdpoint'],
    [
      'is a file',
      () => {
        const path = join(newFolder(), '.holdpoint');
        writeFileSync(path, '');
        return path;
      },
    ],
    [
      'holds something else as lock.db',
      () => {
        const folder = newFolder();
        writeFileSync(join(folder, 'lock.db'), 'no database, and long enough to be taken for one'.repeat(50));
        return folder;
      },
    ],
    [
      'holds a folder as lock.db',
      () => {
        const folder = newFolder();
        mkdirSync(join(folder, 'lock.db'));
        return folder;
      },
    ],
    ['lies where no folder can be made', () => (process.platform === 'linux' ? '/proc/x/y' : '/dev/null/x')],
  ])('is refused in one line when it %s', async (_name, make) => {
    const folder = make();
    const error = await acquireFolderLock(folder).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'folder_not_writable', details: { folder } });
    expect(String(error)).toMatch(/^HoldpointError: the state folder .* cannot be written: .+$/);
  });

  it.each(['the folder', 'lock.db'])('is refused to a user who may only read %s', async (what) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock.db'), '');
    chmodSync(join(folder, 'lock.db'), what === 'lock.db' ? 0o444 : 0o666);
    chmodSync(folder, what === 'lock.db' ? 0o777 : 0o555);
    // Permissions do not bind the superuser, so the attempt is made as somebody else.
    const script = holdInAnotherProcess(folder, process.getuid?.() === 0 ? NOBODY : undefined);
    expect(await script.firstLine).toBe('folder_not_writable');
  });
});

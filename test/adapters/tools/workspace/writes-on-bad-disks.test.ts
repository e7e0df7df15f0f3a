import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import { SmallDisk } from '../../../support/small-disk';
import {
  answerOf,
  createWorkspaceFolder,
  toolContext,
  type WorkspaceFolder,
  type WorkspaceToolName,
  workspaceFolderAt,
} from '../../../support/workspace-folder';

/** A user without rights of its own on every system. */
const NOBODY = 65_534;
const OLD = 'old text';

/** Writes that each would change something in a folder that holds `a.txt`. */
const WRITES: readonly (readonly [WorkspaceToolName, JsonObject])[] = [
  ['write_file', { path: 'a.txt', content: 'x'.repeat(100_000) }],
  ['write_file', { path: 'new/deep/b.txt', content: 'x'.repeat(100_000) }],
  ['edit_file', { path: 'a.txt', oldText: 'old', newText: 'y'.repeat(100_000) }],
  ['delete_file', { path: 'a.txt' }],
];

/** What each write is refused with; null for one that worked. */
async function refusals(folder: WorkspaceFolder, within = ''): Promise<readonly (string | null)[]> {
  const words: (string | null)[] = [];
  for (const [tool, args] of WRITES) {
    const { refused } = await folder.run(tool, { ...args, path: join(within, String(args['path'])) });
    words.push(refused ?? null);
  }
  return words;
}

const disk = new SmallDisk();
/** Only a real disk can be full or read-only. */
const onDisk = disk.isMounted ? test : test.skip;
const onDiskAt = (name: string): string => join(disk.folder, name);

afterAll(() => {
  disk.dispose();
});

describe('writes on a disk (needs the right to mount one)', () => {
  let folder: WorkspaceFolder;

  beforeEach(() => {
    folder = workspaceFolderAt(disk.folder);
    if (disk.isMounted) {
      writeFileSync(onDiskAt('a.txt'), OLD);
    }
  });

  onDisk('that is full are refused and leave everything as it was, but a file can be deleted', async () => {
    disk.fill();
    expect(await refusals(folder)).toEqual([
      '"a.txt" can not be written: the disk is full.',
      '"new/deep/b.txt" can not be written: the disk is full.',
      '"a.txt" can not be written: the disk is full.',
      null,
    ]);
    expect(readdirSync(disk.folder)).toEqual(['ballast']);
    disk.empty();
    expect(await folder.run('write_file', { path: 'a.txt', content: OLD })).toHaveProperty('output');
  });

  onDisk('that is full keep the old content of the file', async () => {
    disk.fill();
    await refusals(folder);
    disk.empty();
    writeFileSync(onDiskAt('a.txt'), OLD);
    disk.fill();
    await folder.run('write_file', { path: 'a.txt', content: 'x'.repeat(100_000) });
    expect(readFileSync(onDiskAt('a.txt'), 'utf8')).toBe(OLD);
    disk.empty();
  });

  onDisk('that is read-only are refused, before anybody is asked where there is a file', async () => {
    execFileSync('mount', ['-o', 'remount,ro', disk.folder]);
    try {
      for (const [tool, args] of WRITES.filter(([, { path }]) => path === 'a.txt')) {
        expect(await answerOf(async () => folder.tools[tool].precondition?.(args, toolContext()))).toEqual({
          refused: '"a.txt" can not be written: the file system is read-only.',
        });
      }
      expect(await refusals(folder)).toEqual([
        '"a.txt" can not be written: the file system is read-only.',
        '"new/deep/b.txt" can not be written: the file system is read-only.',
        '"a.txt" can not be written: the file system is read-only.',
        '"a.txt" can not be written: the file system is read-only.',
      ]);
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', disk.folder]);
    }
    expect([readdirSync(disk.folder), readFileSync(onDiskAt('a.txt'), 'utf8')]).toEqual([['a.txt'], OLD]);
  });

  onDisk('that lies on a single file are refused', async () => {
    writeFileSync(onDiskAt('source'), OLD);
    execFileSync('mount', ['--bind', onDiskAt('source'), onDiskAt('a.txt')]);
    try {
      const words = '"a.txt" can not be replaced or deleted: the system holds it in its place.';
      expect((await refusals(folder)).filter((_word, index) => index !== 1)).toEqual([words, words, words]);
    } finally {
      execFileSync('umount', [onDiskAt('a.txt')]);
    }
    expect(folder.leftovers()).toEqual([]);
  });
});

describe('writes without permission', () => {
  let folder: WorkspaceFolder;

  beforeEach(() => {
    folder = createWorkspaceFolder();
    chmodSync(folder.root, 0o755);
    for (const name of ['fixed', 'blind']) {
      mkdirSync(join(folder.root, name));
      writeFileSync(join(folder.root, name, 'a.txt'), OLD);
      chmodSync(join(folder.root, name, 'a.txt'), 0o666);
    }
    chmodSync(join(folder.root, 'fixed'), 0o555);
    chmodSync(join(folder.root, 'blind'), 0o333);
  });

  afterEach(() => {
    chmodSync(join(folder.root, 'blind'), 0o755);
    for (const name of ['fixed', 'blind']) {
      expect(readdirSync(join(folder.root, name))).toEqual(['a.txt']);
      expect(readFileSync(join(folder.root, name, 'a.txt'), 'utf8')).toBe(OLD);
    }
    folder.remove();
  });

  /** As a user whom file modes stop; the superuser is stopped by none. */
  async function refusalsOfNobody(within: string): Promise<readonly (string | null)[]> {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      process.seteuid?.(NOBODY);
    }
    try {
      return await refusals(folder, within);
    } finally {
      if (isRoot) {
        process.seteuid?.(0);
      }
    }
  }

  const noPermission = (path: string): string => `"${path}" can not be used: no permission.`;

  it.each(['fixed', 'blind'])('on the folder %s are refused before anything is done', async (name) => {
    expect(await refusalsOfNobody(name)).toEqual([
      noPermission(`${name}/a.txt`),
      noPermission(`${name}/new/deep/b.txt`),
      noPermission(`${name}/a.txt`),
      noPermission(`${name}/a.txt`),
    ]);
  });
});

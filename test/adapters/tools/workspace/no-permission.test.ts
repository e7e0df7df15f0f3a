import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaceFolder, type WorkspaceFolder } from '../../../support/workspace-folder';

/** A user without rights of its own on every system. */
const NOBODY = 65_534;
/** A group that no system has. */
const SHARED = 54_321;

let folder: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
  chmodSync(folder.root, 0o755);
});

afterEach(() => {
  folder.remove();
});

/** Runs as a user whom file modes stop; the superuser is stopped by none. */
async function withoutPrivileges<Value>(run: () => Promise<Value>): Promise<Value> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    process.seteuid?.(NOBODY);
  }
  try {
    return await run();
  } finally {
    if (isRoot) {
      process.seteuid?.(0);
    }
  }
}

describe('workspace tools without permission', () => {
  it('say so in plain words and change nothing', async () => {
    mkdirSync(join(folder.root, 'closed'));
    writeFileSync(join(folder.root, 'closed', 'a.txt'), 'x');
    chmodSync(join(folder.root, 'closed'), 0o000);
    writeFileSync(join(folder.root, 'private.txt'), 'x');
    chmodSync(join(folder.root, 'private.txt'), 0o000);
    mkdirSync(join(folder.root, 'fixed'));
    chmodSync(join(folder.root, 'fixed'), 0o555);
    const answers = await withoutPrivileges(async () => [
      await folder.run('list_files', { dir: 'closed' }),
      await folder.run('read_file', { path: 'closed/a.txt' }),
      await folder.run('read_file', { path: 'private.txt' }),
      await folder.run('write_file', { path: 'fixed/new.txt', content: 'x' }),
      await folder.run('write_file', { path: 'fixed/deep/new.txt', content: 'x' }),
    ]);
    expect(answers.map(({ refused }) => refused)).toEqual([
      '"closed" can not be used: no permission.',
      '"closed/a.txt" can not be used: no permission.',
      '"private.txt" can not be used: no permission.',
      '"fixed/new.txt" can not be used: no permission.',
      '"fixed/deep/new.txt" can not be used: no permission.',
    ]);
    expect(existsSync(join(folder.root, 'fixed', 'deep'))).toBe(false);
    chmodSync(join(folder.root, 'closed'), 0o755);
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('leave a file of somebody else to its group', async () => {
    const groups = process.getgroups?.() ?? [];
    writeFileSync(join(folder.root, 'shared.txt'), 'x');
    chmodSync(join(folder.root, 'shared.txt'), 0o660);
    chownSync(join(folder.root, 'shared.txt'), 0, SHARED);
    chmodSync(folder.root, 0o777);
    process.setgroups?.([SHARED]);
    try {
      const answer = await withoutPrivileges(() => folder.run('write_file', { path: 'shared.txt', content: 'xy' }));
      expect(answer).toEqual({ output: 'Wrote "shared.txt" (2 bytes).' });
    } finally {
      process.setgroups?.(groups);
    }
    const { uid, gid, mode } = statSync(join(folder.root, 'shared.txt'));
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: NOBODY, gid: SHARED, mode: 0o660 });
  });

  it('search what they may and count the rest', async () => {
    for (const path of ['closed/a.txt', 'open/a.txt', 'private.txt']) {
      mkdirSync(join(folder.root, path, '..'), { recursive: true });
      writeFileSync(join(folder.root, path), 'needle');
    }
    chmodSync(join(folder.root, 'closed'), 0o000);
    chmodSync(join(folder.root, 'private.txt'), 0o000);
    const answer = await withoutPrivileges(() => folder.run('search_files', { text: 'needle' }));
    expect(answer).toEqual({
      output: {
        matches: [{ path: 'open/a.txt', line: 1, text: 'needle' }],
        searchedFiles: 1,
        truncated: false,
        skipped: { noPermission: 2 },
      },
    });
    chmodSync(join(folder.root, 'closed'), 0o755);
  });
});

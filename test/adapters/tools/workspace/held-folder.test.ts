import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { checkExactName } from '../../../../src/adapters/tools/workspace/exact-name';
import { HeldFolder } from '../../../../src/adapters/tools/workspace/held-folder';
import { readRegularFile } from '../../../../src/adapters/tools/workspace/read-regular-file';
import type { JsonObject } from '../../../../src/core/json';
import {
  answerOf,
  createWorkspaceFolder,
  type ToolAnswer,
  type WorkspaceFolder,
  type WorkspaceToolName,
} from '../../../support/workspace-folder';

let folder: WorkspaceFolder;
let outside: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
  outside = createWorkspaceFolder();
  for (const [root, text] of [
    [folder.root, 'inside'],
    [outside.root, 'outside'],
  ] as const) {
    mkdirSync(join(root, 'up', 'in'), { recursive: true });
    writeFileSync(join(root, 'up', 'in', 'a.txt'), text);
  }
});

afterEach(() => {
  folder.remove();
  outside.remove();
});

async function holding<Value>(names: readonly string[], use: (held: HeldFolder) => Promise<Value>): Promise<Value> {
  let held = await HeldFolder.openRoot({ root: folder.root, protectedFolders: [] });
  for (const name of names) {
    const next = await held.enter(name);
    await held.close();
    held = next;
  }
  try {
    return await use(held);
  } finally {
    await held.close();
  }
}

function swapForLink(path: string): void {
  renameSync(join(folder.root, path), join(folder.root, 'aside'));
  symlinkSync(join(outside.root, path), join(folder.root, path));
}

/** Looks at the file and reads it, all after a folder on the way was swapped for a link to one outside. */
async function readAfterSwapOf(path: string): Promise<ToolAnswer> {
  return holding(['up', 'in'], async (held) => {
    swapForLink(path);
    const stats = await held.look('a.txt');
    const file = { path: { segments: ['a.txt'], shown: 'a.txt' }, name: 'a.txt', stats, held };
    const { signal } = new AbortController();
    return answerOf(async () => (await readRegularFile(file, { maxBytes: 100, signal })).bytes.toString());
  });
}

/** Where open descriptors of this process on the workspace lead. Empty where nobody can tell. */
function openDescriptors(): readonly string[] {
  const descriptors = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : [];
  const targets = descriptors.map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // The one that listed the folder.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(folder.root));
}

async function onPlatform<Value>(platform: NodeJS.Platform, run: () => Promise<Value>): Promise<Value> {
  const own = process.platform;
  Object.defineProperty(process, 'platform', { value: platform });
  try {
    return await run();
  } finally {
    Object.defineProperty(process, 'platform', { value: own });
  }
}

describe('a held folder', () => {
  it.each(['up', 'up/in'])('goes on in the folder that was opened when %s is swapped for a link', async (path) => {
    expect(await readAfterSwapOf(path)).toEqual(
      process.platform === 'linux'
        ? { output: 'inside' }
        : { refused: 'A folder on the way to "up/in" was replaced meanwhile. Try again.' },
    );
  });

  it.each(['up', 'up/in'])('notices where it has no descriptor paths that %s was swapped for a link', async (path) => {
    expect(await onPlatform('darwin', () => readAfterSwapOf(path))).toEqual({
      refused: 'A folder on the way to "up/in" was replaced meanwhile. Try again.',
    });
  });

  it('reads files by plain paths where there is nothing else', async () => {
    await onPlatform('darwin', async () => {
      expect(await folder.run('read_file', { path: 'up/in/a.txt' })).toEqual({
        output: '[up/in/a.txt, 6 bytes]\ninside',
      });
      expect(await folder.run('list_files', { dir: 'up' })).toMatchObject({ output: { entries: ['in/'] } });
    });
  });

  it('is closed after every call, whatever came of it', async () => {
    writeFileSync(join(folder.root, 'up', 'in', 'many.txt'), `${'needle '.repeat(20)}\n`.repeat(100));
    symlinkSync('a.txt', join(folder.root, 'up', 'in', 'link'));
    const calls: readonly (readonly [WorkspaceToolName, JsonObject])[] = [
      ['read_file', { path: 'up/in/a.txt' }],
      ['read_file', { path: 'up/in/none.txt' }],
      ['read_file', { path: 'up/in/link' }],
      ['read_file', { path: 'up/in/a.txt/x' }],
      ['list_files', { dir: 'up/in' }],
      ['list_files', { dir: 'up/in/a.txt' }],
      // Ends in the middle of the walk: the result is full.
      ['search_files', { text: 'needle' }],
    ];
    const before = openDescriptors();
    const answers = await Promise.all(calls.map(([tool, args]) => folder.run(tool, args)));
    expect(answers.at(-1)).toMatchObject({ output: { truncated: true } });
    expect(openDescriptors()).toEqual(before);
  });

  it('does not enter a folder that was swapped after it was looked at', async () => {
    await holding(['up'], async (held) => {
      const seen = await held.look('in');
      renameSync(join(folder.root, 'up', 'in'), join(folder.root, 'aside'));
      mkdirSync(join(folder.root, 'up', 'in'));
      expect(await answerOf(() => held.enter('in', seen))).toEqual({
        refused: '"up/in" was replaced while it was opened. Try again.',
      });
    });
  });

  it('does not follow a link that took the place of what was looked at', async () => {
    await holding(['up'], async (held) => {
      const seen = await held.look('in');
      swapForLink('up/in');
      await expect(held.enter('in', seen)).rejects.toMatchObject({ code: 'ENOTDIR' });
    });
  });
});

describe('a name in other letters than on the disk', () => {
  // What lstat would return for it on a file system that takes both for the same.
  const seen = () => lstatSync(join(folder.root, 'README'), { bigint: true });

  beforeEach(() => {
    writeFileSync(join(folder.root, 'README'), '');
  });

  it.each(['readme', 'ReadMe'])('is refused where %j reaches README', async (name) => {
    const answer = await holding([], (held) => answerOf(() => checkExactName(held, name, seen())));
    expect(answer).toEqual({ refused: `"${name}" is written differently on the disk. Use the name list_files shows.` });
  });

  it('is a name of its own where both are on the disk', async () => {
    linkSync(join(folder.root, 'README'), join(folder.root, 'ReadMe'));
    expect(await holding([], (held) => answerOf(() => checkExactName(held, 'ReadMe', seen())))).toEqual({});
    expect(await holding([], (held) => answerOf(() => checkExactName(held, 'README', seen())))).toEqual({});
  });
});

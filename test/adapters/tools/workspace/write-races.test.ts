import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../../../src/adapters/tools/workspace/atomic-write';
import { locate, type Place, type Workspace } from '../../../../src/adapters/tools/workspace/locate';
import { removeFile } from '../../../../src/adapters/tools/workspace/remove-file';
import { parseFilePath } from '../../../../src/adapters/tools/workspace/workspace-path';
import type { JsonObject } from '../../../../src/core/json';
import { type Swap, whileSwapped } from '../../../support/while-swapped';
import {
  answerOf,
  createWorkspaceFolder,
  type WorkspaceFolder,
  type WorkspaceToolName,
} from '../../../support/workspace-folder';

const ROUNDS = 100;
const RACE_LIMIT_MS = 120_000;

let folder: WorkspaceFolder;
/** Outside the workspace, with the same names and contents as inside: whoever is led there notices nothing. */
let outside: string;

beforeEach(() => {
  folder = createWorkspaceFolder();
  outside = mkdtempSync(join(tmpdir(), 'holdpoint-outside-'));
  for (const root of [folder.root, outside]) {
    mkdirSync(join(root, 'up', 'in'), { recursive: true });
    writeFileSync(join(root, 'up', 'in', 'a.txt'), 'old');
  }
});

afterEach(() => {
  folder.remove();
  rmSync(outside, { recursive: true, force: true });
});

/** Everything that a write outside would change, the folders' own times too. */
function outsideNow(): readonly string[] {
  const names = ['', ...readdirSync(outside, { recursive: true, encoding: 'utf8' }).sort()];
  return names.map((name) => {
    const { ino, mtimeNs, ctimeNs, mode } = statSync(join(outside, name), { bigint: true });
    return [name, ino, mtimeNs, ctimeNs, mode].join(' ');
  });
}

/**
 * Changes files until that was done often enough while enough was swapped: some changes came through, and some met the
 * link. Fewer would prove nothing.
 */
async function changeAgainAndAgain(swaps: () => number): Promise<void> {
  let [done, metLink] = [0, 0];
  const change = async (tool: WorkspaceToolName, args: JsonObject): Promise<void> => {
    const { output, refused } = await folder.run(tool, args);
    done += output === undefined ? 0 : 1;
    metLink += refused?.includes('is a symbolic link') === true ? 1 : 0;
  };
  for (let round = 1; round <= ROUNDS || swaps() < ROUNDS || done === 0 || metLink === 0; round += 1) {
    await change('edit_file', { path: 'up/in/a.txt', oldText: 'old', newText: 'new' });
    await change('delete_file', { path: 'up/in/a.txt' });
    await change('write_file', { path: 'up/in/a.txt', content: 'old' });
    await change('write_file', { path: `up/in/made/${round}.txt`, content: 'old' });
  }
}

it.each(['up', 'up/in', 'up/in/a.txt'])(
  'nothing outside the workspace is made, changed or deleted while %s is swapped for a link that leads there',
  async (path) => {
    const before = outsideNow();
    const swap: Swap = {
      path: join(folder.root, path),
      aside: join(folder.root, dirname(path), 'aside'),
      standIn: 'link',
      target: join(outside, path),
    };
    await whileSwapped(swap, changeAgainAndAgain);
    expect(outsideNow()).toEqual(before);
    expect(readFileSync(join(outside, 'up', 'in', 'a.txt'), 'utf8')).toBe('old');
  },
  RACE_LIMIT_MS,
);

describe('a folder that is swapped for a link between the look and the step', () => {
  const workspace = (): Workspace => ({ root: folder.root, protectedFolders: [] });
  const { signal } = new AbortController();
  const write = (place: Place): Promise<void> =>
    writeAtomically({ place, bytes: Buffer.from('new'), idempotencyKey: 'k', signal });

  /** Swaps the folder `up` after the look; what is done then is done in the folder that was seen, or not at all. */
  async function swapAndThen(path: string, step: (place: Place) => Promise<void>): Promise<void> {
    const before = outsideNow();
    await answerOf(() =>
      locate(workspace(), parseFilePath(path), async (place) => {
        renameSync(join(folder.root, 'up'), join(folder.root, 'seen'));
        symlinkSync(join(outside, 'up'), join(folder.root, 'up'));
        await step(place);
      }),
    );
    expect(outsideNow()).toEqual(before);
  }

  const onLinux = process.platform === 'linux' ? it : it.skip;

  onLinux('does not lead a write outside (by descriptor)', async () => {
    await swapAndThen('up/in/a.txt', write);
    expect(readFileSync(join(folder.root, 'seen', 'in', 'a.txt'), 'utf8')).toBe('new');
  });

  onLinux('does not lead the making of folders outside (by descriptor)', async () => {
    await swapAndThen('up/in/b/c.txt', write);
    expect(readFileSync(join(folder.root, 'seen', 'in', 'b', 'c.txt'), 'utf8')).toBe('new');
  });

  onLinux('does not lead a removal outside (by descriptor)', async () => {
    await swapAndThen('up/in/a.txt', removeFile);
    expect(readdirSync(join(folder.root, 'seen', 'in'))).toEqual([]);
  });
});

import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locate } from '../../../../src/adapters/tools/workspace/locate';
import { removeFile } from '../../../../src/adapters/tools/workspace/remove-file';
import { parseFilePath } from '../../../../src/adapters/tools/workspace/workspace-path';
import type { ToolContext } from '../../../../src/definitions/define-tool';
import { answerOf, createWorkspaceFolder, toolContext, type WorkspaceFolder } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;
const at = (name: string): string => join(folder.root, name);

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  folder.remove();
});

const remove = (path: string, context: Partial<ToolContext> = {}) => folder.run('delete_file', { path }, context);
const preview = async (path: string) => folder.tools.delete_file.preview?.({ path }, toolContext());

async function approved(path: string): Promise<{ approvedPrecondition: string }> {
  return { approvedPrecondition: (await folder.tools.delete_file.precondition?.({ path }, toolContext())) ?? '' };
}

describe('delete_file', () => {
  it('is a write of high risk', () => {
    const { delete_file: tool } = folder.tools;
    expect(tool).toMatchObject({ effect: 'write', risk: 'high', idempotent: false, timeoutMs: 5_000 });
    expect(tool.summarize({ path: 'a.txt' })).toBe('Delete a.txt');
  });

  it('deletes the file and nothing else', async () => {
    mkdirSync(at('a'));
    writeFileSync(at('a/b.txt'), 'text');
    writeFileSync(at('a/c.txt'), 'stays');
    expect(await remove('a/b.txt', await approved('a/b.txt'))).toEqual({ output: 'Deleted "a/b.txt" (4 bytes).' });
    expect(existsSync(at('a/b.txt'))).toBe(false);
    expect(readFileSync(at('a/c.txt'), 'utf8')).toBe('stays');
  });

  it('refuses what is no file it may delete, before anybody is asked and when it runs', async () => {
    mkdirSync(at('folder'));
    writeFileSync(at('read-only'), 'x');
    chmodSync(at('read-only'), 0o444);
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 2_147_483_648);
    writeFileSync(at('linked'), 'x');
    linkSync(at('linked'), at('other'));
    const cases = [
      ['folder', '"folder" is a folder, not a file.'],
      ['folder/', 'names a folder, not a file.'],
      ['read-only', '"read-only" is read-only.'],
      ['huge', '"huge" has 2,147,483,648 bytes; only files up to 4,194,304 bytes are changed.'],
      ['linked', '"linked" has several hard links'],
      ['missing', '"missing" does not exist.'],
      ['no/such/folder', '"no/such/folder" does not exist.'],
    ] as const;
    for (const [path, words] of cases) {
      const refusals = [await answerOf(() => approved(path)), await answerOf(() => preview(path)), await remove(path)];
      expect(refusals.map(({ refused }) => refused)).toEqual(Array(3).fill(expect.stringContaining(words)));
    }
    expect(['folder', 'read-only', 'huge', 'linked'].every((name) => existsSync(at(name)))).toBe(true);
  });

  it('leaves a file alone that is not what was approved any more', async () => {
    writeFileSync(at('a.txt'), 'shown');
    const context = await approved('a.txt');
    writeFileSync(at('a.txt'), 'edited by hand');
    expect(await remove('a.txt', context)).toEqual({
      refused: '"a.txt" is not what it was when this call was approved. It was left alone; read it again.',
    });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('edited by hand');
  });

  it.each<[string, () => void]>([
    ['was changed', () => writeFileSync(at('a.txt'), 'by hand')],
    ['got another name', () => linkSync(at('a.txt'), at('other.txt'))],
    ['was put in its place', () => replaceByHand('a.txt')],
  ])('notices just before the end that a file %s', async (_what, change) => {
    writeFileSync(at('a.txt'), 'old');
    const answer = await answerOf(() =>
      locate({ root: folder.root, protectedFolders: [] }, parseFilePath('a.txt'), async (place) => {
        change();
        await removeFile(place);
      }),
    );
    expect(answer.refused).toBe('"a.txt" changed meanwhile. It was left alone; look at it again.');
    expect(existsSync(at('a.txt'))).toBe(true);
  });

  it('finds its own effect when it is repeated', async () => {
    writeFileSync(at('a.txt'), 'x');
    const context = await approved('a.txt');
    await remove('a.txt', context);
    expect(await remove('a.txt', context)).toEqual({ output: '"a.txt" is gone already.' });
  });

  it('deletes nothing when it is stopped', async () => {
    writeFileSync(at('a.txt'), 'x');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(remove('a.txt', { signal })).rejects.toThrow('stopped');
    expect(existsSync(at('a.txt'))).toBe(true);
  });
});

function replaceByHand(name: string): void {
  rmSync(at(name));
  writeFileSync(at(name), 'old');
}

describe('preview of delete_file', () => {
  it('shows how much is lost, and the text', async () => {
    writeFileSync(at('a.txt'), 'one\ntwo');
    expect(await preview('a.txt')).toBe(
      [
        'Deletes a text file (7 bytes, 2 lines).',
        '--- a/a.txt',
        '+++ /dev/null',
        '@@ -1,2 +0,0 @@',
        '-one',
        '-two',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  it('shows an empty file and a file that is no text', async () => {
    writeFileSync(at('empty'), '');
    writeFileSync(at('binary'), Buffer.from([0, 1, 2]));
    expect(await preview('empty')).toBe('Deletes a text file (0 bytes, 0 lines).\n--- a/empty\n+++ /dev/null\n');
    expect(await preview('binary')).toBe('Deletes a file that is no text (3 bytes).\n--- a/binary\n+++ /dev/null\n');
  });

  it('shows the start of a long text and says that it is cut', async () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `line ${index + 1}\n`).join('');
    writeFileSync(at('long.txt'), text);
    const shown = (await preview('long.txt')) ?? '';
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(65_536);
    expect(shown).toContain('40,000 lines).\n--- a/long.txt\n+++ /dev/null\n@@ -1,40000 +0,0 @@\n-line 1\n-line 2\n');
    expect(shown).toMatch(/\[cut: the whole preview has \d{3},\d{3} bytes; the file holds all of it\]\n$/);
  });
});

describe('verify of delete_file', () => {
  const verify = async (path: string, context: Partial<ToolContext>) =>
    folder.tools.delete_file.verify?.({ path }, toolContext(context));

  it('knows a file that is gone from one that is not', async () => {
    mkdirSync(at('a'));
    writeFileSync(at('a/b.txt'), 'x');
    const context = await approved('a/b.txt');
    expect(await verify('a/b.txt', context)).toBe('not_applied');
    await remove('a/b.txt', context);
    expect(await verify('a/b.txt', context)).toBe('applied');
  });

  it('says unknown where the disk does not tell', async () => {
    mkdirSync(at('a'));
    writeFileSync(at('a/b.txt'), 'x');
    const context = await approved('a/b.txt');
    writeFileSync(at('a/b.txt'), 'made anew');
    expect(await verify('a/b.txt', context)).toBe('unknown');
    // The whole folder may have been moved away, with the file in it.
    rmSync(at('a'), { recursive: true });
    expect(await verify('a/b.txt', context)).toBe('unknown');
    // Nobody was asked, so nobody looked whether there was a file.
    expect(await verify('never-there.txt', {})).toBe('unknown');
  });
});

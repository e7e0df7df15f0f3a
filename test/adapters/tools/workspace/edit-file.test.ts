import { chmodSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import type { ToolContext } from '../../../../src/definitions/define-tool';
import { answerOf, createWorkspaceFolder, toolContext, type WorkspaceFolder } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;
const at = (name: string): string => join(folder.root, name);
const contentOf = (name: string): string => readFileSync(at(name), 'utf8');

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  expect(folder.leftovers()).toEqual([]);
  folder.remove();
});

/** An edit whose new text holds the old one: made twice it would show. */
const APPEND = { path: 'a.txt', oldText: 'one\n', newText: 'one\ntwo\n' };

const edit = (args: JsonObject = APPEND, context: Partial<ToolContext> = {}) => folder.run('edit_file', args, context);

/** What an approval of the edit is bound to now. */
async function approved(args: JsonObject = APPEND): Promise<{ approvedPrecondition: string }> {
  return { approvedPrecondition: (await folder.tools.edit_file.precondition?.(args, toolContext())) ?? '' };
}

const preview = (args: JsonObject) => folder.tools.edit_file.preview?.(args, toolContext());
const verify = (context: Partial<ToolContext>) => folder.tools.edit_file.verify?.(APPEND, toolContext(context));

describe('edit_file', () => {
  it('is a write that may not simply be repeated', () => {
    const { edit_file: tool } = folder.tools;
    expect(tool).toMatchObject({ effect: 'write', risk: 'medium', idempotent: false, timeoutMs: 5_000 });
    expect(tool.parallel(APPEND)).toBe(false);
    expect(tool.summarize(APPEND)).toBe('Edit a.txt');
    expect(tool.summarize({ ...APPEND, replaceAll: true })).toBe('Edit a.txt, every occurrence');
  });

  it('replaces the part and leaves everything else as it is', async () => {
    writeFileSync(at('run.sh'), '\ufeffone\r\ntwo\r\nthree');
    chmodSync(at('run.sh'), 0o751);
    expect(await edit({ path: 'run.sh', oldText: 'two\n', newText: '2\n\u{1f600}\n' })).toEqual({
      output: 'Edited "run.sh" (22 bytes now).',
    });
    expect(contentOf('run.sh')).toBe('\ufeffone\r\n2\r\n\u{1f600}\r\nthree');
    expect(statSync(at('run.sh')).mode & 0o777).toBe(0o751);
  });

  it('replaces every occurrence when it is told to', async () => {
    writeFileSync(at('a.txt'), 'a b a');
    await edit({ path: 'a.txt', oldText: 'a', newText: 'aa', replaceAll: true });
    expect(contentOf('a.txt')).toBe('aa b aa');
  });

  it('refuses what it can not do, before anybody is asked and when it runs', async () => {
    const content = 'one\none\n';
    writeFileSync(at('a.txt'), content);
    writeFileSync(at('binary'), Buffer.from([0x61, 0]));
    writeFileSync(at('latin'), Buffer.from([0x61, 0xe4]));
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 2_147_483_648);
    mkdirSync(at('folder'));
    const cases: readonly (readonly [JsonObject, string])[] = [
      [{ path: 'a.txt', oldText: 'three', newText: 'x' }, 'oldText does not occur in "a.txt".'],
      [{ path: 'a.txt', oldText: 'one', newText: 'x' }, 'oldText occurs 2 times in "a.txt", at lines 1, 2.'],
      [{ path: 'a.txt', oldText: '', newText: 'x' }, 'oldText is empty.'],
      [{ path: 'a.txt', oldText: 'one', newText: 'one' }, 'oldText and newText are the same'],
      [{ path: 'a.txt', oldText: '\ud800', newText: 'x' }, 'oldText holds half a character'],
      [{ path: 'a.txt', oldText: 'one', newText: '\udc00' }, 'newText holds half a character'],
      [{ path: 'a.txt', oldText: 'one\none', newText: 'x'.repeat(1_048_577) }, '"a.txt" would have 1,048,578 bytes'],
      [{ path: 'missing.txt', oldText: 'a', newText: 'b' }, '"missing.txt" does not exist.'],
      [{ path: 'no/such/folder.txt', oldText: 'a', newText: 'b' }, '"no/such/folder.txt" does not exist.'],
      [{ path: 'binary', oldText: 'a', newText: 'b' }, '"binary" is not a UTF-8 text file (2 bytes).'],
      [{ path: 'latin', oldText: 'a', newText: 'b' }, '"latin" is not a UTF-8 text file (2 bytes).'],
      [{ path: 'huge', oldText: 'a', newText: 'b' }, 'only files up to 4,194,304 bytes are changed.'],
      [{ path: 'folder', oldText: 'a', newText: 'b' }, '"folder" is a folder, not a file.'],
    ];
    for (const [args, words] of cases) {
      const refusals = [
        await answerOf(() => approved(args)),
        await answerOf(async () => preview(args)),
        await edit(args),
      ].map(({ refused }) => refused);
      expect(refusals).toEqual(Array(3).fill(expect.stringContaining(words)));
    }
    expect(contentOf('a.txt')).toBe(content);
    expect(folder.tools.edit_file.parse({ ...APPEND, content: 'x' })).toMatchObject({ ok: false });
  });

  it('does nothing when it is made already, though it could be made again', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const context = await approved();
    expect(await edit(APPEND, context)).toEqual({ output: 'Edited "a.txt" (8 bytes now).' });
    const before = statSync(at('a.txt'), { bigint: true });
    expect(await edit(APPEND, context)).toEqual({ output: '"a.txt" has this change already.' });
    expect(contentOf('a.txt')).toBe('one\ntwo\n');
    expect(statSync(at('a.txt'), { bigint: true }).ino).toBe(before.ino);
  });

  it('leaves a file alone that is not what was approved any more, though the edit would still fit', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const context = await approved();
    writeFileSync(at('a.txt'), 'zero\none\n');
    expect(await edit(APPEND, context)).toEqual({
      refused: '"a.txt" is not what it was when this call was approved. It was left alone; read it again.',
    });
    expect(contentOf('a.txt')).toBe('zero\none\n');
  });

  it('leaves nothing behind when it is stopped', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(edit(APPEND, { signal })).rejects.toThrow('stopped');
    expect(contentOf('a.txt')).toBe('one\n');
  });
});

describe('precondition and preview of edit_file', () => {
  it('change with the content of the file and with what becomes of it', async () => {
    const states = new Set<string>();
    for (const content of ['one\n', 'zero\none\n']) {
      writeFileSync(at('a.txt'), content);
      for (const newText of ['x', 'y']) {
        states.add((await approved({ ...APPEND, newText })).approvedPrecondition);
      }
    }
    expect(states.size).toBe(4);
  });

  it('show the difference of the whole file', async () => {
    writeFileSync(at('a.txt'), 'zero\none\nmore\n');
    expect(await preview(APPEND)).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n zero\n one\n+two\n more\n');
  });
});

describe('verify of edit_file', () => {
  it('knows an edit that was made from one that was not', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const context = await approved();
    expect(await verify(context)).toBe('not_applied');
    await edit(APPEND, context);
    expect(await verify(context)).toBe('applied');
  });

  it('says unknown when the file is neither', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const context = await approved();
    // Both fit the arguments: only the approved contents tell.
    for (const content of ['one\ntwo\nthree\n', 'zero\none\n', '']) {
      writeFileSync(at('a.txt'), content);
      expect(await verify(context)).toBe('unknown');
    }
  });

  it('says unknown without an approval, for a file that is gone, and when something else lies there', async () => {
    writeFileSync(at('a.txt'), 'one\n');
    const context = await approved();
    expect(await verify({})).toBe('unknown');
    folder.remove();
    expect(await verify(context)).toBe('unknown');
    mkdirSync(at('a.txt'), { recursive: true });
    expect(await verify(context)).toBe('unknown');
  });
});

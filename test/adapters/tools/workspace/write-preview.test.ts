import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaceFolder, toolContext, type WorkspaceFolder } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  folder.remove();
});

async function previewOf(path: string, content: string, before?: string | Uint8Array): Promise<string> {
  if (before !== undefined) {
    writeFileSync(join(folder.root, path), before);
  }
  return (await folder.tools.write_file.preview?.({ path, content }, toolContext())) ?? '';
}

const lines = (count: number, text: string): string => `${text}\n`.repeat(count);

describe('preview of write_file', () => {
  it('is a unified difference', async () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
    expect(await previewOf('ü.txt', before.replace('five', '5'), before)).toBe(
      [
        '--- a/ü.txt',
        '+++ b/ü.txt',
        '@@ -2,7 +2,7 @@',
        ' two',
        ' three',
        ' four',
        '-five',
        '+5',
        ' six',
        ' seven',
        ' eight',
        '',
      ].join('\n'),
    );
  });

  it('shows a new file and the folders it needs', async () => {
    expect(await previewOf('a/b/c.txt', 'hello')).toBe(
      [
        'New folder: a/b',
        '--- /dev/null',
        '+++ b/a/b/c.txt',
        '@@ -0,0 +1,1 @@',
        '+hello',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  it('shows a change of the last line end alone', async () => {
    expect(await previewOf('a.txt', 'x\n', 'x')).toContain('-x\n\\ No newline at end of file\n+x\n');
  });

  it('says when nothing would change', async () => {
    expect(await previewOf('a.txt', 'x', 'x')).toBe('No change: the file already has exactly this content.\n');
    expect(await previewOf('empty.txt', '', '')).toBe('No change: the file already has exactly this content.\n');
    expect(await previewOf('new-and-empty.txt', '')).toContain('--- /dev/null\n+++ b/new-and-empty.txt');
  });

  it('shows what takes the place of a file that is no text', async () => {
    expect(await previewOf('a.bin', 'text\n', Buffer.from([0, 1, 2]))).toBe(
      '--- a/a.bin\n+++ b/a.bin\nReplaces a file of 3 bytes that is no text by this content:\n+text\n+\n',
    );
  });

  it('does not compute a difference of thousands of lines but shows the new content', async () => {
    const before = Array.from({ length: 50_000 }, (_, index) => `a${index}`).join('\n');
    const after = Array.from({ length: 5_000 }, (_, index) => `b${index}`).join('\n');
    const preview = await previewOf('a.txt', after, before);
    expect(preview).toContain('Replaces 50000 lines by this content:\n+b0\n+b1\n');
  }, 60_000);

  it('is cut at 64 KiB and says so, never inside a character', async () => {
    const preview = await previewOf('a.txt', lines(1_500, '€'.repeat(100)));
    expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(65_536);
    expect(preview).toMatch(/€\n\[cut: the whole preview has 453,\d{3} bytes; the arguments say all that changes\]\n$/);
    expect(preview).not.toContain('\ufffd');
  });
});

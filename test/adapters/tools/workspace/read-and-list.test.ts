import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspaceFolder, type WorkspaceFolder } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  folder.remove();
});

async function read(content: string | Uint8Array): Promise<string> {
  writeFileSync(join(folder.root, 'a.txt'), content);
  const { output, refused } = await folder.run('read_file', { path: 'a.txt' });
  return refused ?? String(output);
}

describe('read_file', () => {
  it('is a read that may overlap with others', () => {
    expect(folder.tools.read_file).toMatchObject({ effect: 'read', risk: 'low', timeoutMs: 5_000 });
    expect(folder.tools.read_file.parallel({ path: 'a' })).toBe(true);
    expect(folder.tools.read_file.summarize({ path: 'a.txt' })).toBe('Read a.txt');
  });

  it.each<[string, string, string]>([
    ['nothing', '', '0 bytes'],
    ['a trailing line end', 'a\n', '2 bytes'],
    ['no trailing line end', 'a\nb', '3 bytes'],
    ['line ends of another system', 'a\r\nb\r\n', '6 bytes'],
    ['characters of every size', 'aä€\u{1f600}', '10 bytes'],
    ['a byte order mark', '\ufeffa', '4 bytes'],
    ['control characters', 'a\u001b[31m\t', '7 bytes'],
  ])('shows a file with %s exactly, behind one header line', async (_name, content, size) => {
    expect(await read(content)).toBe(`[a.txt, ${size}]\n${content}`);
  });

  it('refuses what is no UTF-8 text and names its size', async () => {
    const refusal = (size: string) => `"a.txt" is not a UTF-8 text file (${size}).`;
    expect(await read(Buffer.from([0x61, 0, 0x62]))).toBe(refusal('3 bytes'));
    expect(await read(Buffer.from([0xff]))).toBe(refusal('1 byte'));
    expect(await read(Buffer.from([0x61, 0xe2, 0x82]))).toBe(refusal('3 bytes'));
    expect(await read(Buffer.from([0xed, 0xa0, 0x80]))).toBe(refusal('3 bytes'));
  });

  it('shows the start of a long file and never cuts a character', async () => {
    const whole = 'x'.repeat(262_144);
    expect(await read(whole)).toBe(`[a.txt, 262,144 bytes]\n${whole}`);
    expect(await read(`${whole}y`)).toBe(`[a.txt, first 262,144 bytes of 262,145 bytes]\n${whole}`);
    const wide = `x${'€'.repeat(100_000)}`;
    const shown = await read(wide);
    expect(shown.split('\n')[0]).toBe('[a.txt, first 262,144 bytes of 300,001 bytes]');
    expect(wide.startsWith(shown.slice(shown.indexOf('\n') + 1))).toBe(true);
  });

  it('reads no more of a file of 2 GB than it shows', async () => {
    writeFileSync(join(folder.root, 'huge.txt'), 'line\n'.repeat(60_000));
    truncateSync(join(folder.root, 'huge.txt'), 2_147_483_648);
    const { output } = await folder.run('read_file', { path: 'huge.txt' });
    expect(String(output).split('\n')[0]).toBe('[huge.txt, first 262,144 bytes of 2,147,483,648 bytes]');
    writeFileSync(join(folder.root, 'empty.bin'), '');
    truncateSync(join(folder.root, 'empty.bin'), 2_147_483_648);
    expect(await folder.run('read_file', { path: 'empty.bin' })).toEqual({
      refused: '"empty.bin" is not a UTF-8 text file (2,147,483,648 bytes).',
    });
  });

  it('stops when it is told to', async () => {
    writeFileSync(join(folder.root, 'a.txt'), 'a');
    const stopped = folder.run('read_file', { path: 'a.txt' }, { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(stopped).rejects.toThrow('stopped');
  });

  it('refuses arguments it does not know', () => {
    expect(folder.tools.read_file.parse({ path: 'a', offset: 3 })).toMatchObject({ ok: false });
    expect(folder.tools.read_file.parse({})).toMatchObject({ ok: false });
  });
});

describe('list_files', () => {
  it('is a read that may overlap with others', () => {
    expect(folder.tools.list_files).toMatchObject({ effect: 'read', risk: 'low', timeoutMs: 5_000 });
    expect(folder.tools.list_files.parallel({})).toBe(true);
    expect([folder.tools.list_files.summarize({}), folder.tools.list_files.summarize({ dir: 'a' })]).toEqual([
      'List .',
      'List a',
    ]);
  });

  it('lists one folder, sorted, folders with a slash, without protected names', async () => {
    for (const name of ['b.txt', 'B.txt', 'a b', 'new\nline', '.env', '.gitignore', 'key.pem']) {
      writeFileSync(join(folder.root, name), '');
    }
    mkdirSync(join(folder.root, '.git'));
    mkdirSync(join(folder.root, 'sub', 'deep'), { recursive: true });
    symlinkSync('b.txt', join(folder.root, 'link'));
    expect(await folder.run('list_files', {})).toEqual({
      output: {
        folder: '.',
        entries: ['.gitignore', 'B.txt', 'a b', 'b.txt', 'link', 'new\nline', 'sub/'],
        total: 7,
        truncated: false,
      },
    });
    const sub = { folder: 'sub', entries: ['deep/'], total: 1, truncated: false };
    expect(await folder.run('list_files', { dir: 'sub' })).toEqual({ output: sub });
    expect(await folder.run('list_files', { dir: './sub/' })).toEqual({ output: sub });
  });

  it('shows the first 1,000 names of a large folder and says how many there are', async () => {
    const names = Array.from({ length: 3_500 }, (_, index) => `f${String((index * 7_919) % 3_500).padStart(5, '0')}`);
    for (const name of names) {
      writeFileSync(join(folder.root, name), '');
    }
    const { output } = await folder.run('list_files', {});
    expect(output).toEqual({ folder: '.', entries: names.sort().slice(0, 1_000), total: 3_500, truncated: true });
  });
});

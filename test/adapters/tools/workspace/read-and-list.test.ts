import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import { DEFAULT_LIMITS } from '../../../../src/core/limits';
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
    expect(folder.tools.read_file.summarize({ path: 'a.txt', offset: 7 })).toBe('Read a.txt from line 7');
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

  it('shows a long file in pages that together are the whole file, none longer than a result may be', async () => {
    const content = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1} €\r\n`).join('');
    writeFileSync(join(folder.root, 'a.txt'), content);
    const pages: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const output: string = String((await folder.run('read_file', { path: 'a.txt', offset })).output);
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(DEFAULT_LIMITS.resultBytes);
      const [header = ''] = output.split('\n');
      expect(header).toMatch(/^\[a\.txt, lines [\d,]+-[\d,]+ of 3,000(; go on with offset \d+)?\]$/);
      pages.push(output.slice(header.length + 1));
      const next = /offset (\d+)\]$/.exec(header)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(pages.join('')).toBe(content);
  });

  it.each<[JsonObject, string]>([
    [{ offset: 2 }, '[a.txt, lines 2-4 of 4]\ntwo\n\nfour'],
    [{ limit: 1 }, '[a.txt, line 1 of 4; go on with offset 2]\none\n'],
    [{ offset: 2, limit: 2 }, '[a.txt, lines 2-3 of 4; go on with offset 4]\ntwo\n\n'],
    [{ offset: 4 }, '[a.txt, line 4 of 4]\nfour'],
    [{ limit: 4 }, '[a.txt, 13 bytes]\none\ntwo\n\nfour'],
    [{ limit: 1_000_000 }, '[a.txt, 13 bytes]\none\ntwo\n\nfour'],
  ])('shows the lines %j asks for', async (lines, expected) => {
    writeFileSync(join(folder.root, 'a.txt'), 'one\ntwo\n\nfour');
    expect(await folder.run('read_file', { path: 'a.txt', ...lines })).toEqual({ output: expected });
  });

  it('says how many lines there are when it is asked for one behind them', async () => {
    writeFileSync(join(folder.root, 'a.txt'), 'one\ntwo\n');
    writeFileSync(join(folder.root, 'empty.txt'), '');
    expect(await folder.run('read_file', { path: 'a.txt', offset: 3 })).toEqual({
      refused: '"a.txt" has no line 3: it has 2.',
    });
    expect(await folder.run('read_file', { path: 'empty.txt', offset: 7 })).toEqual({
      output: '[empty.txt, 0 bytes]\n',
    });
  });

  it('cuts a line that is longer than a page, never inside a character, and goes on behind it', async () => {
    const content = `one\nx${'€'.repeat(100_000)}\nthree`;
    writeFileSync(join(folder.root, 'a.txt'), content);
    const first = String((await folder.run('read_file', { path: 'a.txt', offset: 2 })).output);
    expect(first).toMatch(/^\[a\.txt, line 2 of 3, cut after 7,\d{3} bytes; go on with offset 3\]\nx€+$/);
    expect(Buffer.byteLength(first)).toBeLessThanOrEqual(DEFAULT_LIMITS.resultBytes);
    expect(await folder.run('read_file', { path: 'a.txt', offset: 3 })).toEqual({
      output: '[a.txt, line 3 of 3]\nthree',
    });
  });

  it('leaves room for a path of thousands of bytes', async () => {
    const path = [...Array.from({ length: 15 }, () => 'f'.repeat(200)), 'a.txt'].join('/');
    mkdirSync(join(folder.root, path, '..'), { recursive: true });
    writeFileSync(join(folder.root, path), 'x\n'.repeat(10_000));
    const output = String((await folder.run('read_file', { path })).output);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(DEFAULT_LIMITS.resultBytes);
    expect(output).toMatch(/\/a\.txt, lines 1-2,\d{3} of 10,000; go on with offset 2\d{3}\]\n(x\n)+$/);
  });

  it('reads lines of a file of gigabytes, and counts lines only so far', async () => {
    const path = join(folder.root, 'huge.txt');
    writeFileSync(path, '');
    const file = openSync(path, 'w');
    // One block of lines, then the same again: 256 MiB that are text, and nothing behind them.
    const block = Buffer.alloc(1_048_576, `${'x'.repeat(1_023)}\n`);
    for (let count = 0; count < 256; count += 1) {
      writeSync(file, block);
    }
    closeSync(file);
    truncateSync(path, 2_147_483_648);
    const { output } = await folder.run('read_file', { path: 'huge.txt', offset: 200_000, limit: 1 });
    expect(String(output).split('\n')[0]).toBe(
      '[huge.txt, line 200,000 of more than 262,144; go on with offset 200001]',
    );
    expect(await folder.run('read_file', { path: 'huge.txt', offset: 300_000 })).toEqual({
      refused:
        '"huge.txt" has no line 300,000 within its first 268,435,456 bytes, which hold 262,144. ' +
        'What is behind them is not read.',
    });
  }, 180_000);

  it('refuses a sparse file of 2 GB at its first empty byte', async () => {
    writeFileSync(join(folder.root, 'sparse'), 'text\n');
    truncateSync(join(folder.root, 'sparse'), 2_147_483_648);
    expect(await folder.run('read_file', { path: 'sparse' })).toEqual({
      refused: '"sparse" is not a UTF-8 text file (2,147,483,648 bytes).',
    });
  });

  it('refuses a file that changes while it is read', async () => {
    const path = join(folder.root, 'a.txt');
    writeFileSync(path, 'old\n'.repeat(1_000));
    // The signal is looked at between two reads of the file.
    const signal = { throwIfAborted: () => appendFileSync(path, 'new\n') };
    expect(await folder.run('read_file', { path: 'a.txt' }, { signal: signal as AbortSignal })).toEqual({
      refused: '"a.txt" changed while it was read. Try again.',
    });
  });

  it('stops when it is told to', async () => {
    writeFileSync(join(folder.root, 'a.txt'), 'a');
    const stopped = folder.run('read_file', { path: 'a.txt' }, { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(stopped).rejects.toThrow('stopped');
  });

  it('refuses arguments it does not know', () => {
    for (const lines of [{ offset: 0 }, { offset: 1.5 }, { limit: 0 }, { limit: -1 }, { lines: 3 }]) {
      expect(folder.tools.read_file.parse({ path: 'a', ...lines })).toMatchObject({ ok: false });
    }
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
        entries: ['.gitignore', 'B.txt', 'a b', 'b.txt', 'link', 'sub/'],
        unusable: ['"new\\nline"'],
        total: 7,
        truncated: false,
      },
    });
    const sub = { folder: 'sub', entries: ['deep/'], total: 1, truncated: false };
    expect(await folder.run('list_files', { dir: 'sub' })).toEqual({ output: sub });
    expect(await folder.run('list_files', { dir: './sub/' })).toEqual({ output: sub });
  });

  it('shows names that no path can hold apart, escaped', async () => {
    const names = ['a\nb', 'a\u001b[31m', 'back\\slash', 'e\u0301', 'turned\u202etxt.exe', 'line\u2028end'];
    for (const name of names) {
      writeFileSync(join(folder.root, name), '');
    }
    writeFileSync(Buffer.from(`${folder.root}/\u00ff`, 'latin1'), '');
    const { output } = await folder.run('list_files', {});
    expect(output).toEqual({
      folder: '.',
      entries: [],
      unusable: [
        '"a\\nb"',
        '"a\\u001b[31m"',
        '"back\\\\slash"',
        '"e\u0301"',
        '"line\\u2028end"',
        '"turned\\u202etxt.exe"',
        '"\ufffd"',
      ],
      total: 7,
      truncated: false,
    });
    for (const name of names) {
      expect(await folder.run('read_file', { path: name })).toHaveProperty('refused');
    }
  });

  it('shows a folder of 100,000 names in pages, none longer than a result may be', async () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `f${String(index).padStart(6, '0')}`);
    for (const name of names) {
      closeSync(openSync(join(folder.root, name), 'w'));
    }
    const seen: string[] = [];
    let after: string | undefined;
    for (let page = 1; page <= 3; page += 1) {
      const { output } = await folder.run('list_files', after === undefined ? {} : { after });
      expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(DEFAULT_LIMITS.resultBytes);
      const listed = output as { entries: string[]; next: string };
      expect(listed).toMatchObject({ total: 100_000, truncated: true, next: listed.entries.at(-1) });
      seen.push(...listed.entries);
      after = listed.next;
    }
    expect(seen).toEqual(names.slice(0, seen.length));
    const { output } = await folder.run('list_files', { after: 'f099997' });
    expect(output).toEqual({ folder: '.', entries: ['f099998', 'f099999'], total: 100_000, truncated: false });
  }, 180_000);

  it('goes on behind a name that no path can hold', async () => {
    for (let index = 0; index < 100; index += 1) {
      writeFileSync(join(folder.root, `${String(index).padStart(2, '0')}${'\n'.repeat(200)}`), '');
    }
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const answer = await folder.run('list_files', { after });
      const output = answer.output as { unusable: string[]; next?: string };
      count += output.unusable.length;
      after = output.next;
    }
    expect(count).toBe(100);
  });
});

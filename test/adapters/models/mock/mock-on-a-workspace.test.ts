import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/core/json';
import type { Message } from '../../../../src/core/messages';
import { answered, ask, callsOf, mockRequest, textOf, userText } from '../../../support/mock-conversation';
import { createWorkspaceFolder, type WorkspaceFolder, type WorkspaceToolName } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  folder.remove();
});

/** Plays a whole turn on the real folder, every call allowed. Returns the text it ends with. */
async function play(text: string): Promise<string> {
  let messages: readonly Message[] = [userText(text)];
  for (;;) {
    const reply = await ask(mockRequest(messages));
    const calls = callsOf(reply);
    if (calls.length === 0) {
      return textOf(reply);
    }
    const results: { text: string; isError: boolean }[] = [];
    for (const { name, argumentsText } of calls) {
      const tool = name as WorkspaceToolName;
      const { output, refused } = await folder.run(tool, JSON.parse(argumentsText) as JsonObject);
      const shown = typeof output === 'string' ? output : JSON.stringify(output);
      results.push({ text: refused ?? shown, isError: refused !== undefined });
    }
    messages = [...messages, ...answered(reply, results)];
  }
}

describe('the mock model with the workspace tools', () => {
  it.each<[string, string]>([
    ['an empty file', ''],
    ['a file without a line end', 'a'],
    ['trailing line ends', 'a\n\n'],
    ['a byte order mark and other line ends', '\ufeffa\r\n'],
    ['a file that looks like a result', '[b.txt, 3 bytes]\n\u{1f600} ü'],
    ['a file that just fits', 'x'.repeat(7_500)],
  ])('copies %s exactly', async (_name, content) => {
    writeFileSync(join(folder.root, 'a, 1 byte].txt'), content);
    expect(await play('copy a, 1 byte].txt to b/c.txt')).toContain('write_file succeeded');
    expect(readFileSync(join(folder.root, 'b', 'c.txt'), 'utf8')).toBe(content);
  });

  it('copies nothing of a file that is too long to be shown', async () => {
    for (const content of ['x'.repeat(8_000), 'x\n'.repeat(4_000)]) {
      writeFileSync(join(folder.root, 'a.txt'), content);
      expect(await play('copy a.txt to b.txt')).toContain('I did not write b.txt');
    }
  });

  it('lists, reads and writes', async () => {
    mkdirSync(join(folder.root, 'src'));
    expect(await play('write src/a.txt: hello; write src/b.txt: world')).toContain('Created "src/b.txt" (5 bytes).');
    expect(await play('list src')).toContain('"entries":["a.txt","b.txt"]');
    expect(await play('read src/a.txt and src/b.txt')).toContain('[src/b.txt, 5 bytes] world');
  });

  it.each([
    ['', 'new\n'],
    ['a', 'a\nnew\n'],
    ['a\na\n', 'a\na\nnew\n'],
    ['\ufeffa\r\nb\r\n', '\ufeffa\r\nb\r\nnew\r\n'],
  ])('adds a line to %j', async (content, expected) => {
    writeFileSync(join(folder.root, 'a.txt'), content);
    expect(await play('append new to a.txt')).toMatch(/(edit|write)_file succeeded/);
    expect(readFileSync(join(folder.root, 'a.txt'), 'utf8')).toBe(expected);
  });

  it('adds to a file that is not there, searches, and deletes', async () => {
    expect(await play('append one two to notes/a.txt')).toContain('Created "notes/a.txt" (8 bytes).');
    expect(await play('search two')).toContain('"path":"notes/a.txt"');
    expect(await play('delete notes/a.txt')).toContain('Deleted "notes/a.txt" (8 bytes).');
    expect(await play('delete notes/a.txt')).toContain('delete_file did not succeed: "notes/a.txt" does not exist.');
  });

  it('says what was refused', async () => {
    expect(await play('write ../x: y')).toContain('write_file did not succeed: The path "../x" holds ".."');
    expect(await play('read .env')).toContain('read_file did not succeed: The path ".env" is protected');
  });
});

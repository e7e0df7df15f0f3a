import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolContext, type WorkspaceFolder, workspaceFolderAt } from '../../../support/workspace-folder';

let folder: string;
let workspace: WorkspaceFolder;

/** The workspace is a link, as for somebody who deploys by moving one: `current` leads to `a`, later to `b`. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-moved-'));
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'there.txt'), 'old');
  }
  symlinkSync('a', join(folder, 'current'));
  workspace = workspaceFolderAt(join(folder, 'current'), []);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function moveOn(): void {
  unlinkSync(join(folder, 'current'));
  symlinkSync('b', join(folder, 'current'));
}

const WRITES = [
  ['write_file', { path: 'new.txt', content: 'new' }],
  ['write_file', { path: 'there.txt', content: 'new' }],
  ['edit_file', { path: 'there.txt', oldText: 'old', newText: 'new' }],
  ['delete_file', { path: 'there.txt' }],
] as const;

it.each(WRITES)('%s of %j is not done in another workspace than it was approved for', async (tool, args) => {
  const definition = workspace.tools[tool];
  const approvedPrecondition = (await definition.precondition?.(args, toolContext())) ?? '';
  moveOn();
  expect(await definition.precondition?.(args, toolContext())).not.toBe(approvedPrecondition);
  expect(await workspace.run(tool, args, { approvedPrecondition })).toEqual({
    refused: 'The workspace is another folder than when this call was approved. Nothing was done in it.',
  });
  for (const name of ['a', 'b']) {
    expect(readFileSync(join(folder, name, 'there.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(folder, name, 'new.txt'))).toBe(false);
  }
});

it.each(WRITES)('whether %s of %j took effect can not be told from another workspace', async (tool, args) => {
  const definition = workspace.tools[tool];
  const approvedPrecondition = (await definition.precondition?.(args, toolContext())) ?? '';
  moveOn();
  for (const content of ['new', 'old']) {
    writeFileSync(join(folder, 'b', args.path), content);
    expect(await definition.verify?.(args, toolContext({ approvedPrecondition }))).toBe('unknown');
  }
  rmSync(join(folder, 'b', args.path));
  expect(await definition.verify?.(args, toolContext({ approvedPrecondition }))).toBe('unknown');
});

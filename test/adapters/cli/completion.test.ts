import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bashCompletion, zshCompletion } from '../../../src/cli/completion/bash-completion';
import { commandPlaces } from '../../../src/cli/completion/command-places';
import { fishCompletion } from '../../../src/cli/completion/fish-completion';
import { createProgram } from '../../../src/cli/create-program';

const places = commandPlaces(createProgram('completion'));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-completion-'));
  writeFileSync(join(folder, 'completion.bash'), bashCompletion('holdpoint', places));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What bash offers behind these words; the last one is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `
    source ${join(folder, 'completion.bash')}
    COMP_WORDS=(holdpoint ${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length}
    _holdpoint
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

it('offers commands, their commands, their options and the values of these', () => {
  expect(offered('')).toEqual(expect.arrayContaining(['dev', 'sessions', 'approvals', 'chat', '--help']));
  expect(offered('sess')).toEqual(['sessions']);
  expect(offered('sessions', 's')).toEqual(['start', 'send', 'show']);
  expect(offered('sessions', 'start', '--w')).toEqual(['--wait']);
  expect(offered('sessions', 'send', '--mode', '')).toEqual(['followup', 'steer', 'inject']);
  expect(offered('approvals', 'list', '--status', 'p')).toEqual(['pending']);
});

it('goes on behind arguments and options, and knows no command that another one has', () => {
  expect(offered('sessions', 'show', 'demo', '--l')).toEqual(['--log']);
  expect(offered('sessions', 'start', 'workspace', 'list', '--js')).toEqual(['--json']);
  expect(offered('approvals', 'st')).toEqual([]);
});

it('has every command and option of the program in each shell', () => {
  for (const script of [bashCompletion, zshCompletion, fishCompletion].map((make) => make('holdpoint', places))) {
    for (const { path, commands, options } of places) {
      expect(script).toContain(path);
      for (const name of [
        ...commands.map((command) => command.name),
        ...options.map((option) => option.name.slice(2)),
      ]) {
        expect(script).toContain(name);
      }
    }
  }
});

it('quotes descriptions for fish', () => {
  const quoted = fishCompletion('x', [
    { path: '', commands: [{ name: 'a', description: "it's a \\ b" }], options: [] },
  ]);
  expect(quoted).toContain("-a a -d 'it\\'s a \\\\ b'");
});

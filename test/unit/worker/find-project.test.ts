import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../../src/config';
import { findProject } from '../../../src/worker/find-project';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();

test('the project of a subfolder is that of the configuration above it, and has its state there', () => {
  const folder = newFolder();
  const below = join(folder, 'a', 'b');
  mkdirSync(below, { recursive: true });
  writeFileSync(join(folder, 'holdpoint.config.ts'), '');
  const place = findProject(undefined, below);
  expect(place).toEqual({ configPath: join(folder, 'holdpoint.config.ts'), folder });
  expect(parseConfig({}, below, place.folder).homeFolder).toBe(join(folder, '.holdpoint'));
});

test('a folder without a configuration is its own project', () => {
  const folder = newFolder();
  expect(findProject(undefined, folder)).toEqual({ configPath: undefined, folder });
});

test('a configuration that is named may have any name and lie anywhere', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'desk.mjs'), '');
  expect(findProject('../desk.mjs', join(folder, 'below'))).toEqual({ configPath: join(folder, 'desk.mjs'), folder });
});

test.each(['nowhere.ts', '.'])('a named configuration %s that is no file is refused by its name', (name) => {
  expect(() => findProject(name, newFolder())).toThrow(`--config: expected a file that exists, got "${name}"`);
});

import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProjectWatch, type ProjectWatch } from '../../../src/dev/project-watch';
import { temporaryFolders } from '../../support/dev/temporary-folders';

const newFolder = temporaryFolders();
let folder: string;
let config: string;
let tools: string;

beforeEach(() => {
  folder = newFolder();
  config = put('holdpoint.config.ts', 'config');
  tools = put('tools.ts', 'tools');
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** A time after all that was written: nothing is newer than the load. */
const later = () => Date.now() + 1_000;

/** Watches a project that is loaded as it is. */
async function watching({ ok = true, beganAtMs = later() } = {}): Promise<ProjectWatch> {
  const watch = createProjectWatch(folder);
  await watch.follow({ beganAtMs, files: [config, tools], ok });
  await watch.isChanged();
  return watch;
}

/** What the next looks say, when nobody changes anything between them. */
async function looks(watch: ProjectWatch, count = 3): Promise<readonly boolean[]> {
  const seen: boolean[] = [];
  for (let look = 0; look < count; look += 1) {
    seen.push(await watch.isChanged());
  }
  return seen;
}

test.each([
  ['a file that was loaded has other content', () => put('tools.ts', 'other')],
  ['a file that was loaded is gone', () => rmSync(tools)],
  ['a file that was loaded is replaced, as editors do', () => renameSync(put('new', 'other'), tools)],
  ['the configuration is gone', () => rmSync(config)],
])('the project has changed, once, when %s', async (_what, change) => {
  const watch = await watching();
  expect(await looks(watch)).toEqual([false, false, false]);
  change();
  expect(await looks(watch)).toEqual([false, true, false]);
});

test.each([
  ['nothing happens', () => undefined],
  ['a file is saved as it is', () => put('tools.ts', 'tools')],
  ['a file is touched', () => utimesSync(tools, new Date(), new Date(Date.now() + 5_000))],
  ['a file comes that was not loaded', () => put('made-by-a-tool.ts', 'export {};')],
])('the project has not changed when %s', async (_what, change) => {
  const watch = await watching();
  change();
  expect(await looks(watch)).toEqual([false, false, false]);
});

test('saves that follow each other are one change, and it is seen when they are over', async () => {
  const watch = await watching();
  for (const text of ['a', 'ab', 'abc']) {
    put('tools.ts', text);
    expect(await watch.isChanged()).toBe(false);
  }
  expect(await looks(watch)).toEqual([true, false, false]);
});

test('a save while the project is being loaded is a change after it', async () => {
  const watch = await watching();
  put('tools.ts', 'first save');
  expect(await looks(watch, 2)).toEqual([false, true]);
  const beganAtMs = Date.now();
  put('tools.ts', 'second save');
  await watch.follow({ beganAtMs, files: [config, tools], ok: true });
  expect(await looks(watch)).toEqual([false, true, false]);
});

test('a file that is new in the project and was written while it was being loaded counts as changed', async () => {
  const watch = await watching({ beganAtMs: 0 });
  expect(await looks(watch, 2)).toEqual([true, false]);
});

test('a load that wrote what it then loaded, the same as before, is no change', async () => {
  const watch = await watching();
  put('holdpoint.config.ts', 'other');
  expect(await looks(watch, 2)).toEqual([false, true]);
  const beganAtMs = Date.now();
  put('tools.ts', 'tools');
  await watch.follow({ beganAtMs, files: [config, tools], ok: true });
  expect(await looks(watch)).toEqual([false, false, false]);
});

test('after a load that failed a file of code that comes is a change, in any folder, but not what is installed or built', async () => {
  const watch = await watching();
  put('holdpoint.config.ts', 'imports a missing file');
  expect(await looks(watch, 2)).toEqual([false, true]);
  await watch.follow({ beganAtMs: later(), files: [config], ok: false });
  expect(await looks(watch)).toEqual([false, false, false]);
  put('notes.txt', 'no code');
  put('node_modules/a/index.js', '');
  put('dist/a.js', '');
  put('.cache/a.js', '');
  expect(await looks(watch)).toEqual([false, false, false]);
  put('deep/inside/missing.ts', '');
  expect(await looks(watch)).toEqual([false, true, false]);
});

test('after a load that failed the files of the load before still count', async () => {
  const watch = await watching();
  put('holdpoint.config.ts', 'broken');
  await looks(watch, 2);
  await watch.follow({ beganAtMs: later(), files: [config], ok: false });
  await looks(watch, 2);
  put('tools.ts', 'other');
  expect(await looks(watch)).toEqual([false, true, false]);
});

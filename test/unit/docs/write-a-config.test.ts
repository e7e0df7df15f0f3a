import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '../../../src/config';
import { loadProject } from '../../../src/worker/load-project';
import { temporaryFolders } from '../../support/dev/temporary-folders';
import { ROOT_FOLDER, readProjectFile } from './project-files';

const newFolder = temporaryFolders();

/** A project of the files in a document: each a block of TypeScript below its name. */
function projectOf(document: string, pattern: RegExp): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT_FOLDER, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
  for (const [, name, text = ''] of readProjectFile(document).matchAll(pattern)) {
    writeFileSync(join(folder, name || 'holdpoint.config.ts'), text);
  }
  return join(folder, 'holdpoint.config.ts');
}

test.each([
  ['docs/how-to/write-a-config.md', /`([a-z.]+\.ts)`:\n\n```ts\n(.*?)```/gs, ['close_ticket', 'find_ticket']],
  ['README.md', /(?<=or named by `--config`:\n\n)()```ts\n(.*?)```/gs, ['greet']],
])('the project in %s is loaded as it stands', async (document, pattern, tools) => {
  const path = projectOf(document, pattern);
  const { catalog } = await loadProject(path, parseConfig({}, '/project'), () => undefined);
  expect([...catalog.agents.keys()]).toEqual(['desk']);
  expect([...catalog.tools.keys()].sort()).toEqual(tools);
});

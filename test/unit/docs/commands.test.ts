import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shellBlocks } from '../../support/docs/shell-blocks';
import { ROOT_FOLDER, readProjectFile } from './project-files';

/** Commands of the how-to pages, and what runs each of them. README's are run by test/crash/readme-commands. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'npm test -- test/adapters/tools --selectProjects adapters': 'CI runs this tier',
  'npm test -- test/replay --selectProjects replay': 'CI runs this tier',
  'npm run build': 'every test of a built program begins with it',
  'npx tsx scripts/record-histories.ts v3': 'takes minutes; it has recorded the histories that are replayed',
  'npm run verify': 'CI runs it, and this test with it',
  'npx holdpoint migrate': 'test/crash/services runs the command',
  'npx holdpoint worker': 'test/crash/services runs the command',
  'npx holdpoint gateway': 'test/crash/services runs the command',
  'npm start': "README's, which test/crash/readme-commands runs",
  'TEMPORAL_ADDRESS=127.0.0.1:46473 npx tsx worker.ts': 'test/server/session/child-workflow starts this worker',
  [`temporal workflow execute --address 127.0.0.1:46473 --task-queue notes --type writeNotes \\\n  --input '{"sessionId":"notes-1","request":"write notes.txt: hello"}'`]:
    'test/server/session/child-workflow starts this workflow',
};

test('every command of a how-to page is known, and none that is known has gone', () => {
  const pages = readdirSync(join(ROOT_FOLDER, 'docs', 'how-to')).map((page) => readProjectFile(`docs/how-to/${page}`));
  const commands = new Set(pages.flatMap(shellBlocks).flatMap((block) => block.commands));
  expect([...commands].sort()).toEqual(Object.keys(RUN_ELSEWHERE).sort());
});

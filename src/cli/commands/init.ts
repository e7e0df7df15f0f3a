import { relative } from 'node:path';
import { Command } from 'commander';
import { writeProject } from '../init/write-project';
import { createOutput } from '../output';
import { reportFailure } from '../report-failure';
import { foreignLine } from '../text/foreign-text';

const NEXT_STEPS = [
  '',
  'What the files need, when it is not there yet:',
  '  npm install holdpoint zod && npm install --save-dev tsx',
  'Test the agent, without a server or a key:',
  '  npx tsx --test notes.test.ts',
  'Run it, and ask it for a note:',
  '  npx holdpoint dev',
  '  npx holdpoint chat notes',
];

/** `holdpoint init`: the files of a first project. */
export function initCommand(): Command {
  return new Command('init')
    .argument('[folder]', 'where to', '.')
    .option('--json', 'print JSON')
    .action((folder: string, { json }: { readonly json?: true }) => {
      try {
        const output = createOutput(process);
        const files = writeProject(folder);
        if (json) {
          output.json({ files });
          return;
        }
        for (const line of [...files.map((file) => `wrote ${foreignLine(relative('.', file))}`), ...NEXT_STEPS]) {
          output.print(line);
        }
      } catch (error) {
        reportFailure(error, json);
      }
    });
}

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MODULES = join(__dirname, '..', '..', '..', 'node_modules');

/** A project of a user in a folder: an agent `desk` with a read and a write, in two files. */
export class DeskProject {
  readonly folder: string;
  readonly configPath: string;

  constructor(folder: string) {
    this.folder = folder;
    this.configPath = join(folder, 'holdpoint.config.ts');
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(join(MODULES, 'zod'), join(folder, 'node_modules', 'zod'));
    this.putTools();
    this.put(
      'holdpoint.config.ts',
      `import { defineAgent, defineConfig } from 'holdpoint';
import { greet, note } from './tools';

export default defineConfig({ agents: [defineAgent({ name: 'desk', system: 'Help.', tools: [greet, note] })] });
`,
    );
  }

  /** Writes a file of the project and returns its path. */
  put(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /**
   * Writes `tools.ts`. `greet` answers with the greeting; `note` writes files in the folder: it says that it began,
   * waits for a file `go` when it is told to, and adds its text to `notes.txt`.
   */
  putTools({ greeting = 'Hello', noteVersion = '1' } = {}): string {
    return this.put(
      'tools.ts',
      `import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from 'holdpoint';
import { z } from 'zod';

export const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody.',
  parameters: z.object({ name: z.string().describe('Whom.') }),
  effect: 'read',
  execute: async ({ name }) => \`${greeting} \${name}\`,
});

export const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  parameters: z.object({ text: z.string().describe('What.'), waits: z.boolean().optional().describe('For go.') }),
  version: '${noteVersion}',
  timeoutMs: 50_000,
  execute: async ({ text, waits }) => {
    writeFileSync('began.ts', 'export const began = true;');
    while (waits && !existsSync('go')) {
      await sleep(20);
    }
    appendFileSync('notes.txt', text);
    return 'noted';
  },
});
`,
    );
  }
}

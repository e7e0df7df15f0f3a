/** The files of a first project, by name: a configuration, an agent with a read and a write, and a test of it. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  'holdpoint.config.ts': `import { defineConfig } from 'holdpoint';
import { notesAgent } from './notes';

export default defineConfig({
  agents: [notesAgent('notes.txt')],
  // The mock model needs no key and calls a tool when it is told to: call add_note {"text":"Buy milk"}
  model: 'mock:workspace',
});
`,
  'notes.ts': `import { appendFile, readFile } from 'node:fs/promises';
import { defineAgent, defineTool } from 'holdpoint';
import { z } from 'zod';

/** An agent that keeps notes in a file, one a line, each behind the key of the call that added it. */
export function notesAgent(file: string) {
  const lines = async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\\n').filter((line) => line !== '');
  };

  const listNotes = defineTool({
    name: 'list_notes',
    description: 'Lists all notes.',
    parameters: z.object({}),
    // A read runs at once.
    effect: 'read',
    execute: async () => (await lines()).map((line) => line.slice(line.indexOf(' ') + 1)),
  });

  const addNote = defineTool({
    name: 'add_note',
    description: 'Adds a note of one line. A person approves it before it is kept.',
    parameters: z.object({ text: z.string().min(1).max(200).regex(/^[^\\n]*$/).describe('One line.') }),
    // A write waits for a person, who sees the summary and the exact arguments.
    effect: 'write',
    risk: 'low',
    summarize: ({ text }) => \`Add the note "\${text}"\`,
    // Asked when a worker died in the middle: was it done, or not?
    verify: async (_args, { idempotencyKey }) =>
      (await lines()).some((line) => line.startsWith(idempotencyKey)) ? 'applied' : 'not_applied',
    execute: async ({ text }, { idempotencyKey }) => {
      await appendFile(file, \`\${idempotencyKey} \${text}\\n\`);
      return 'The note is kept.';
    },
  });

  return defineAgent({
    name: 'notes',
    system: 'You keep notes for a person. Say in one sentence what you did.',
    tools: [listNotes, addNote],
  });
}
`,
  'notes.test.ts': `import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { reply, runAgent } from 'holdpoint/testing';
import { notesAgent } from './notes';

/** What the model does: it asks for a note, then says something. */
const script = [
  reply({ calls: [{ tool: 'add_note', args: { text: 'Buy milk' } }] }),
  reply({ text: 'That is settled.' }),
];

/** Runs the agent on a file of its own; returns how it ended and what is in the file. */
async function run(decision: 'approve' | 'reject') {
  const folder = await mkdtemp(join(tmpdir(), 'notes-'));
  try {
    const file = join(folder, 'notes.txt');
    const message = 'Remember to buy milk.';
    const { outcome } = await runAgent({ agent: notesAgent(file), message, script, decisions: { add_note: decision } });
    return { outcome, notes: await readFile(file, 'utf8').catch(() => '') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a note is kept once it is approved', async () => {
  const { outcome, notes } = await run('approve');
  assert.equal(outcome, 'completed');
  assert.match(notes, / Buy milk\\n$/);
});

test('a note that is rejected is not kept', async () => {
  assert.equal((await run('reject')).notes, '');
});
`,
};

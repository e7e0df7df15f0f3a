import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ToolDefinition } from '../../../src/definitions/define-tool';
import { type ActivityWorld, createActivityWorld, first } from '../../support/activities/activity-world';
import { calls } from '../../support/activities/scripted-model';

const ROOT_FOLDER = join(__dirname, '..', '..', '..');

/** Where a reader is told to copy the `ts` blocks of each page, in order. */
const COPIES: Readonly<Record<string, readonly string[]>> = {
  'add-a-tool.md': ['src/adapters/tools/notes/add-note.ts'],
  'change-a-workflow-safely.md': ['src/workflows/closes-at-once.ts', 'src/workflows/upgrade-carried.ts'],
};
/** Pages whose `ts` blocks are whole files of an example, in order; test/server/session/child-workflow runs them. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'run-an-agent-from-your-workflow.md': ['write-notes', 'worker'].map((name) => `examples/child-workflow/${name}.ts`),
};
/** Pages whose blocks tests of their own run: test/adapters/testing/how-to, test/unit/docs/write-a-config. */
const RUN_ELSEWHERE: readonly string[] = ['test-an-agent.md', 'write-a-config.md'];
const COPIED_FILES = Object.values(COPIES).flat();

let project: string;

/** The rooms of the project as links, so that what is copied lies beside them. */
function linkRooms(): void {
  const rooms = ['core', 'definitions', 'digests'];
  mkdirSync(join(project, 'src'));
  for (const room of rooms) {
    symlinkSync(join(ROOT_FOLDER, 'src', room), join(project, 'src', room));
  }
  for (const path of ['node_modules', 'tsconfig.json']) {
    symlinkSync(join(ROOT_FOLDER, path), join(project, path));
  }
}

function blocksOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT_FOLDER, 'docs', 'how-to', page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => String(block));
}

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'holdpoint-how-to-'));
  linkRooms();
  for (const [page, files] of Object.entries(COPIES)) {
    const blocks = blocksOf(page);
    for (const [index, file] of files.entries()) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), blocks[index] ?? '');
    }
  }
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

test('every block of code that a how-to page has is one of these', () => {
  const pages = readdirSync(join(ROOT_FOLDER, 'docs', 'how-to'));
  const counted = Object.fromEntries(pages.map((page) => [page, blocksOf(page).length]));
  expect(counted).toMatchObject(
    Object.fromEntries(Object.entries(COPIES).map(([page, files]) => [page, files.length])),
  );
  const known = [...Object.keys(COPIES), ...Object.keys(EXAMPLES), ...RUN_ELSEWHERE];
  expect(pages.filter((page) => counted[page] !== 0 && !known.includes(page))).toEqual([]);
});

test.each(Object.entries(EXAMPLES))('the code of %s is that of its example', (page, files) => {
  expect(blocksOf(page)).toEqual(files.map((file) => readFileSync(join(ROOT_FOLDER, file), 'utf8')));
});

test('the code to copy passes the compiler with the settings of the project', async () => {
  const settings = {
    extends: './tsconfig.json',
    compilerOptions: { types: ['node'] },
    include: [],
    files: COPIED_FILES,
  };
  writeFileSync(join(project, 'tsconfig.copied.json'), JSON.stringify(settings));
  const compiler = join(ROOT_FOLDER, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.copied.json'], {
    cwd: project,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
}, 60_000);

test('the tool to copy is asked about, runs once when it is approved, and knows that it did', async () => {
  const world: ActivityWorld = await createActivityWorld();
  try {
    await world.open();
    const copied = (await import(join(project, 'src/adapters/tools/notes/add-note.ts'))) as {
      addNoteTool(folder: string): ToolDefinition;
    };
    const notes = join(project, 'notes');
    const tool = copied.addNoteTool(notes);
    world.useTools([tool]);
    world.model.add(calls(['add_note', { text: 'hello' }]));
    const plan = first((await world.callModel()).calls);
    const approval = await world.store.readApproval(world.key.tenant, plan.approvalId ?? '');
    expect(approval).toMatchObject({ preview: 'hello', summary: 'Keep a note (5 characters)', risk: 'low' });
    expect(await world.decide(plan.approvalId ?? '', 'approve')).toBe('taken');

    expect(await world.callTool(plan)).toMatchObject({ status: 'success' });

    const files = readdirSync(notes);
    expect(files.map((file) => readFileSync(join(notes, file), 'utf8'))).toEqual(['hello']);
    const context = { idempotencyKey: String(files[0]).replace('.txt', '') } as never;
    expect(await tool.verify?.({ text: 'hello' }, context)).toBe('applied');
    expect(await tool.verify?.({ text: 'hello' }, { idempotencyKey: 'another' } as never)).toBe('not_applied');
  } finally {
    await world.close();
  }
}, 60_000);

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResultData } from '../../../src/core/entries';
import type { Pending } from '../../support/api-driver';
import { RunningStack } from '../../support/running-stack';

let stack: RunningStack;

beforeAll(async () => {
  stack = await RunningStack.start();
});

afterAll(async () => {
  await stack.stop();
});

/** One kind of write on a file that holds `one`, and what it does when the file has got a line more meanwhile. */
interface Write {
  readonly tool: string;
  /** What a person types about a file. */
  readonly message: (file: string) => string;
  readonly shows: string;
  /** The content afterwards; undefined for none. */
  readonly after: string | undefined;
  readonly showsAgain: string;
  readonly afterChange: string | undefined;
}

const WRITES: readonly Write[] = [
  {
    tool: 'write_file',
    message: (file) => `write ${file}: new`,
    shows: '-one\n+new\n',
    after: 'new',
    showsAgain: '-zero\n-one\n+new\n',
    afterChange: 'new',
  },
  {
    tool: 'edit_file',
    message: (file) => `append two to ${file}`,
    shows: '@@ -1,1 +1,2 @@\n one\n+two\n',
    after: 'one\ntwo\n',
    showsAgain: '@@ -1,2 +1,3 @@\n zero\n one\n+two\n',
    afterChange: 'zero\none\ntwo\n',
  },
  {
    tool: 'delete_file',
    message: (file) => `delete ${file}`,
    shows: 'Deletes a text file (4 bytes, 1 line).\n',
    after: undefined,
    showsAgain: 'Deletes a text file (9 bytes, 2 lines).\n',
    afterChange: undefined,
  },
];

const fileOf = (name: string): string => join(stack.workspaceFolder, name);
const contentOf = (name: string): string | undefined =>
  existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : undefined;

/** Starts a session on a file of its own and returns the question about the write. */
async function ask(write: Write, file: string): Promise<{ readonly sessionId: string; readonly approval: Pending }> {
  writeFileSync(fileOf(file), 'one\n');
  const sessionId = await stack.startSession(write.message(file));
  return { sessionId, approval: await onlyQuestion(sessionId, write) };
}

async function onlyQuestion(sessionId: string, write: Write): Promise<Pending> {
  const [approval] = await stack.pending(sessionId);
  expect(approval).toMatchObject({ kind: 'call', tool: write.tool });
  return approval as Pending;
}

/** Statuses of the results of a session's write, and how often it was begun. */
async function outcomeOf(
  sessionId: string,
  { tool }: Write,
): Promise<{ readonly statuses: readonly string[]; readonly tries: number }> {
  const entries = await stack.entries(sessionId);
  const results = entries.filter(({ type }) => type === 'tool.result').map(({ data }) => data as ToolResultData);
  return {
    statuses: results.filter((result) => result.tool === tool).map(({ status }) => status),
    tries: entries.filter(({ type }) => type === 'tool.started').length,
  };
}

describe.each(WRITES)('$tool', (write) => {
  const { tool } = write;

  test('shows what would change, and takes effect once when it is approved', async () => {
    const file = `approved-${tool}.txt`;
    const { sessionId, approval } = await ask(write, file);
    expect(approval.preview).toContain(write.shows);
    expect(contentOf(file)).toBe('one\n');
    expect((await stack.decide(approval, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(contentOf(file)).toBe(write.after);
    expect(await outcomeOf(sessionId, write)).toEqual({ statuses: ['success'], tries: 1 });
  });

  test('touches nothing when it is rejected', async () => {
    const file = `rejected-${tool}.txt`;
    const { sessionId, approval } = await ask(write, file);
    const before = statSync(fileOf(file), { bigint: true });
    expect((await stack.decide(approval, 'reject')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(statSync(fileOf(file), { bigint: true })).toMatchObject({ ino: before.ino, ctimeNs: before.ctimeNs });
    expect(await outcomeOf(sessionId, write)).toEqual({ statuses: ['rejected'], tries: 0 });
  });

  test('asks again, with what would change now, when the file has changed since the question', async () => {
    const file = `changed-${tool}.txt`;
    const { sessionId, approval } = await ask(write, file);
    writeFileSync(fileOf(file), 'zero\none\n');
    expect((await stack.decide(approval, 'approve')).json?.['outcome']).toBe('taken');
    const old = await stack.until(`/v1/approvals/${approval.approvalId}`, ({ status }) => status === 'superseded');
    expect(old).toMatchObject({ status: 'superseded' });
    const again = await onlyQuestion(sessionId, write);
    expect(again.approvalId).not.toBe(approval.approvalId);
    expect(again.preview).toContain(write.showsAgain);
    expect(contentOf(file)).toBe('zero\none\n');
    expect((await stack.decide(again, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(contentOf(file)).toBe(write.afterChange);
    expect(await outcomeOf(sessionId, write)).toEqual({ statuses: ['success'], tries: 1 });
  });
});

test.each(WRITES.slice(1))(
  '$tool of a file that is gone when it is approved is answered and asks nobody',
  async (write) => {
    const file = `gone-${write.tool}.txt`;
    const { sessionId, approval } = await ask(write, file);
    rmSync(fileOf(file));
    expect((await stack.decide(approval, 'approve')).json?.['outcome']).toBe('taken');
    await stack.untilTurnEnded(sessionId, 1);
    expect(await outcomeOf(sessionId, write)).toEqual({ statuses: ['error'], tries: 0 });
    expect(readdirSync(stack.workspaceFolder)).not.toContain(file);
  },
);

test('no unfinished file is left in the workspace', () => {
  expect(readdirSync(stack.workspaceFolder).filter((name) => name.startsWith('.holdpoint'))).toEqual([]);
});

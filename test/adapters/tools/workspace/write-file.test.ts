import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../../../src/adapters/tools/workspace/atomic-write';
import { explainFileErrors } from '../../../../src/adapters/tools/workspace/explain-file-error';
import { locate, type Place } from '../../../../src/adapters/tools/workspace/locate';
import { syncChange } from '../../../../src/adapters/tools/workspace/sync-change';
import { parseFilePath } from '../../../../src/adapters/tools/workspace/workspace-path';
import { answerOf, createWorkspaceFolder, toolContext, type WorkspaceFolder } from '../../../support/workspace-folder';

let folder: WorkspaceFolder;
const at = (name: string): string => join(folder.root, name);
const contentOf = (name: string): string => readFileSync(at(name), 'utf8');
const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;

beforeEach(() => {
  folder = createWorkspaceFolder();
});

afterEach(() => {
  expect(folder.leftovers()).toEqual([]);
  folder.remove();
});

/** The digest of what an approver would rely on now. */
async function preconditionOf(path: string): Promise<string> {
  return (await folder.tools.write_file.precondition?.({ path, content: '' }, toolContext())) ?? '';
}

/** Runs with what is seen at a path, its folder held. */
function looked<Value>(path: string, use: (place: Place) => Promise<Value>): Promise<Value> {
  return locate({ root: folder.root, protectedFolders: [] }, parseFilePath(path), use);
}

function contentIsNew(name: string): boolean {
  return statSync(at(name)).isFile() && contentOf(name) === 'new';
}

function writeAt(place: Place, signal = new AbortController().signal): Promise<void> {
  return writeAtomically({ place, bytes: Buffer.from('new'), idempotencyKey: 'k', signal });
}

describe('write_file', () => {
  it('is a write that may be repeated under its key', () => {
    expect(folder.tools.write_file).toMatchObject({
      effect: 'write',
      risk: 'medium',
      idempotent: true,
      timeoutMs: 5_000,
    });
    expect(folder.tools.write_file.parallel({ path: 'a', content: '' })).toBe(false);
    expect(folder.tools.write_file.summarize({ path: 'a', content: 'ä' })).toBe('Write a (2 bytes)');
  });

  it.each(['', 'a', 'a\n', 'line\r\n\u{1f600}\0\ufeff'])('writes %j exactly', async (content) => {
    expect(await folder.run('write_file', { path: 'a.txt', content })).toEqual({
      output: expect.stringContaining('Created "a.txt"'),
    });
    expect(contentOf('a.txt')).toBe(content);
  });

  it('replaces a file and keeps its mode', async () => {
    writeFileSync(at('run.sh'), 'old');
    chmodSync(at('run.sh'), 0o751);
    expect(await folder.run('write_file', { path: 'run.sh', content: 'new' })).toEqual({
      output: 'Wrote "run.sh" (3 bytes).',
    });
    expect([contentOf('run.sh'), modeOf('run.sh')]).toEqual(['new', 0o751]);
  });

  it('gives a new file the mode every new file of this process has', async () => {
    writeFileSync(at('made-by-hand'), '');
    await folder.run('write_file', { path: 'made-by-tool', content: '' });
    expect(modeOf('made-by-tool')).toBe(modeOf('made-by-hand'));
  });

  it('makes missing folders inside the workspace', async () => {
    mkdirSync(at('a'));
    await folder.run('write_file', { path: 'a/b/c/d.txt', content: 'x' });
    expect(contentOf('a/b/c/d.txt')).toBe('x');
  });

  it('does nothing when the file has the content already', async () => {
    writeFileSync(at('a.txt'), 'same');
    const before = statSync(at('a.txt'), { bigint: true });
    const approvedPrecondition = await preconditionOf('nothing-there.txt');
    const answer = await folder.run('write_file', { path: 'a.txt', content: 'same' }, { approvedPrecondition });
    expect(answer).toEqual({ output: '"a.txt" has exactly this content (4 bytes).' });
    expect(statSync(at('a.txt'), { bigint: true }).mtimeNs).toBe(before.mtimeNs);
  });

  it('leaves a file alone that is not what was approved any more', async () => {
    writeFileSync(at('a.txt'), 'shown');
    const approvedPrecondition = await preconditionOf('a.txt');
    writeFileSync(at('a.txt'), 'edited by hand');
    expect(await folder.run('write_file', { path: 'a.txt', content: 'new' }, { approvedPrecondition })).toEqual({
      refused: '"a.txt" is not what it was when this call was approved. It was left alone; read it again.',
    });
    expect(contentOf('a.txt')).toBe('edited by hand');
    const absent = { approvedPrecondition: await preconditionOf('b.txt') };
    writeFileSync(at('b.txt'), '');
    expect(await folder.run('write_file', { path: 'b.txt', content: 'new' }, absent)).toHaveProperty('refused');
    expect(contentOf('b.txt')).toBe('');
  });

  it('refuses what it can not show or must not replace', async () => {
    writeFileSync(at('read-only'), 'x');
    chmodSync(at('read-only'), 0o444);
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 2_147_483_648);
    const refusals = [
      await folder.run('write_file', { path: 'read-only', content: 'y' }),
      await folder.run('write_file', { path: 'huge', content: 'y' }),
      await folder.run('write_file', { path: 'a', content: 'x'.repeat(1_048_577) }),
      await folder.run('write_file', { path: 'a', content: '\ud800' }),
    ];
    expect(refusals.map(({ refused }) => refused)).toEqual([
      '"read-only" is read-only.',
      '"huge" has 2,147,483,648 bytes; only files up to 4,194,304 bytes are changed.',
      'The content has 1,048,577 bytes; at most 1,048,576 bytes are written at once.',
      expect.stringContaining('lone surrogate'),
    ]);
    expect(folder.tools.write_file.parse({ path: 'a', content: 'x', append: true })).toMatchObject({ ok: false });
  });

  it('leaves nothing behind when it is stopped', async () => {
    writeFileSync(at('a.txt'), 'old');
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(looked('new/deep/b.txt', (place) => writeAt(place, signal))).rejects.toThrow('stopped');
    await expect(folder.run('write_file', { path: 'a.txt', content: 'new' }, { signal })).rejects.toThrow('stopped');
    expect(contentOf('a.txt')).toBe('old');
    expect(existsSync(at('new'))).toBe(false);
  });

  it.each<[string, string, () => void]>([
    ['was changed', 'a.txt', () => writeFileSync(at('a.txt'), 'by hand')],
    ['got other rights', 'a.txt', () => chmodSync(at('a.txt'), 0o600)],
    ['got another name', 'a.txt', () => linkSync(at('a.txt'), at('other.txt'))],
    ['is gone', 'a.txt', () => rmSync(at('a.txt'))],
    ['was made', 'new.txt', () => writeFileSync(at('new.txt'), 'by hand')],
    ['became a folder', 'new.txt', () => mkdirSync(at('new.txt'))],
  ])('notices just before the end that the file %s', async (_what, name, change) => {
    writeFileSync(at('a.txt'), 'old');
    const answer = await answerOf(() =>
      looked(name, async (place) => {
        change();
        await writeAt(place);
      }),
    );
    expect(answer.refused).toBe(`"${name}" changed meanwhile. It was left alone; look at it again.`);
    expect(readdirSync(folder.root).some((other) => contentIsNew(other))).toBe(false);
  });

  it('tells no refusal about a change that was made', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const told = explainFileErrors('a.txt', () => syncChange({ sync: () => Promise.reject(full) }));
    await expect(told).rejects.toMatchObject({ code: 'tool_failed', cause: full });
  });

  it('steps over and removes what a killed try of the same call left behind', async () => {
    for (const name of await unfinishedNames()) {
      writeFileSync(at(name), 'half a fi');
    }
    expect(await folder.run('write_file', { path: 'a.txt', content: 'whole' })).toHaveProperty('output');
    expect(contentOf('a.txt')).toBe('whole');
  });

  it('lets tries of one call that overlap end with one whole file', async () => {
    const content = 'x'.repeat(500_000);
    const tries = Array.from({ length: 6 }, () => answerOf(() => folder.run('write_file', { path: 'a.txt', content })));
    const answers = await Promise.all(tries);
    expect(answers.some(({ output }) => output !== undefined)).toBe(true);
    expect(contentOf('a.txt')).toBe(content);
  });

  it('never shows a reader half a file', async () => {
    const contents = ['a'.repeat(300_000), 'b'.repeat(200_000)];
    writeFileSync(at('a.txt'), contents[0] ?? '');
    const seen = new Set<number>();
    let isDone = false;
    const reader = (async () => {
      while (!isDone) {
        seen.add(contents.indexOf(contentOf('a.txt')));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 1; round <= 30; round += 1) {
      await folder.run('write_file', { path: 'a.txt', content: contents[round % 2] ?? '' });
    }
    isDone = true;
    await reader;
    expect(seen.has(-1)).toBe(false);
  }, 60_000);
});

/** Names an unfinished file of the default key has, seen from outside while a write runs. */
async function unfinishedNames(): Promise<readonly string[]> {
  const seen = new Set<string>();
  let isDone = false;
  const content = 'x'.repeat(1_000_000);
  const write = folder.run('write_file', { path: 'large.txt', content }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const name of readdirSync(folder.root)) {
      if (name.startsWith('.holdpoint-')) {
        seen.add(name);
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await write;
  expect(seen.size).toBe(1);
  return [...seen];
}

describe('precondition of write_file', () => {
  it('changes with the content and with the file being there', async () => {
    const states = [await preconditionOf('a.txt')];
    for (const content of ['', 'a', 'b']) {
      writeFileSync(at('a.txt'), content);
      states.push(await preconditionOf('a.txt'));
    }
    expect(states[0]).toMatch(/\.absent$/);
    expect(new Set(states).size).toBe(4);
    writeFileSync(at('other.txt'), 'b');
    expect(await preconditionOf('other.txt')).toBe(states[3]);
  });

  it('refuses a path before anybody is asked', async () => {
    expect(await answerOf(() => preconditionOf('../x'))).toEqual({ refused: expect.stringContaining('".."') });
  });
});

describe('verify of write_file', () => {
  const verify = async (content: string, approvedPrecondition?: string) =>
    folder.tools.write_file.verify?.({ path: 'a.txt', content }, toolContext({ approvedPrecondition }));

  const absent = () => preconditionOf('nothing-there.txt');

  it('says applied when the file is what was asked for', async () => {
    writeFileSync(at('a.txt'), 'new');
    expect(await verify('new', await absent())).toBe('applied');
  });

  it('says not_applied when the file is still what the approver saw', async () => {
    expect(await verify('new', await absent())).toBe('not_applied');
    writeFileSync(at('a.txt'), 'old');
    expect(await verify('new', await preconditionOf('a.txt'))).toBe('not_applied');
  });

  it('says unknown when it is neither, or nothing was approved', async () => {
    writeFileSync(at('a.txt'), 'third');
    expect(await verify('new', await absent())).toBe('unknown');
    expect(await verify('new')).toBe('unknown');
  });

  it('says unknown when something else lies there', async () => {
    mkdirSync(at('a.txt'));
    expect(await verify('new', await absent())).toBe('unknown');
  });
});

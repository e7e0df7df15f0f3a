import { SECOND_MS } from '../../../core/durations';
import { isErrorCode } from '../../../core/errors';
import { callReply, type MockReply, textReply } from './mock-reply';
import { contentOfRead } from './read-result';
import type { TurnSoFar } from './turn-so-far';

const MAX_SLOW_SECONDS = 600;
/** Messages of one line are matched up to here; expressions with several gaps take too long on a megabyte. */
const MAX_LINE_CHARACTERS = 2_000;
/** What `read_file` says about a file that is not there. */
const MISSING_FILE = / does not exist\.$/;
/** How often `slow` and `repeat` may hold each other. */
const MAX_DEPTH = 3;

/** Looks up what the table says to the same turn with another message. */
type Inner = (turn: TurnSoFar) => MockReply | undefined;

/** One row of the table. */
interface MockPattern {
  /** As a person types it. */
  readonly example: string;
  /** Matched against the whole message when it is one line, without the white space around it. */
  readonly line?: RegExp;
  /** Matched against the whole message, which may be long and have many lines. */
  readonly text?: RegExp;
  /** What to say in this round; undefined when there is nothing left to do but to answer. */
  readonly reply: (groups: readonly string[], turn: TurnSoFar, inner: Inner) => MockReply | undefined;
}

/**
 * What the mock model understands. The first pattern that matches the whole message wins; words count in any case.
 * Everything else is answered with plain text.
 *
 * | message | what the model does |
 * |---|---|
 * | `list [DIR]` | calls `list_files` |
 * | `copy FILE to FILE` | round 1 calls `read_file`, round 2 `write_file` with exactly what was read |
 * | `read A, B and C` | one `read_file` for each, in one round |
 * | `search TEXT` | calls `search_files` |
 * | `append TEXT to FILE` | round 1 calls `read_file`, round 2 `edit_file` with TEXT as a new last line, or `write_file` when there is nothing yet |
 * | `delete FILE` | calls `delete_file` |
 * | `write FILE: TEXT` | calls `write_file`; one space after the colon is left out, the rest is written as it is |
 * | `write A: X; write B: Y` | one `write_file` for each, in one round |
 * | `call TOOL JSON` | calls any tool with exactly these arguments, also wrong ones |
 * | `repeat MESSAGE` | does in every round what MESSAGE does in its first, until no tools are offered |
 * | `slow N [then MESSAGE]` | streams its first reply over N seconds, at most 600, then goes on as for MESSAGE |
 * | `fail CODE` | fails in the middle of its reply with a `model_…` error code, on every attempt |
 * | `cut` | ends its stream without a finish, on every attempt |
 */
const PATTERNS: readonly MockPattern[] = [
  { example: 'list src', line: /^list(?:\s+(\S.*))?$/i, reply: list },
  { example: 'copy a.txt to b.txt', line: /^copy\s+(\S.*?)\s+to\s+(\S.*)$/i, reply: copy },
  { example: 'read a.txt, b.txt and c.txt', line: /^read\s+(\S.*)$/i, reply: read },
  { example: 'search hello', line: /^search\s+(\S.*)$/i, reply: search },
  { example: 'append hello to a.txt', line: /^append\s+(\S.*)\s+to\s+(\S.*)$/i, reply: append },
  { example: 'delete a.txt', line: /^delete\s+(\S.*)$/i, reply: remove },
  { example: 'write a.txt: hello', text: /^(write\s[^:\n]+:[\s\S]*)$/i, reply: write },
  { example: 'call list_files {"dir":"src"}', text: /^call\s+(\S+)(?:\s+([\s\S]*))?$/i, reply: call },
  { example: 'repeat list', text: /^repeat\s+(\S[\s\S]*)$/i, reply: repeat },
  {
    example: 'slow 5 then list',
    text: /^slow\s+(\d{1,3}(?:\.\d{1,3})?)(?:\s+then\s+(\S[\s\S]*)|\s*)$/i,
    reply: slow,
  },
  { example: 'fail model_overloaded', line: /^fail\s+(model_[a-z_]+)$/i, reply: fail },
  {
    example: 'cut',
    line: /^cut$/i,
    reply: () => ({ ...textReply('This stream ends without a fin'), breaksWith: 'cut' }),
  },
];

/** What the table says to this turn; undefined when only an answer is left. */
export function replyFromTable(turn: TurnSoFar): MockReply | undefined {
  return lookUp(turn, 0);
}

/** Examples of everything the mock understands. */
export function mockExamples(): string {
  return PATTERNS.map(({ example }) => `"${example}"`).join(', ');
}

function lookUp(turn: TurnSoFar, depth: number): MockReply | undefined {
  const whole = turn.instruction.trimStart();
  const line = whole.trimEnd();
  const isLine = line.length <= MAX_LINE_CHARACTERS && !line.includes('\n');
  for (const pattern of PATTERNS) {
    const found = pattern.text?.exec(whole) ?? (isLine ? pattern.line?.exec(line) : null);
    if (found) {
      const groups = found.slice(1).map((group) => group ?? '');
      return pattern.reply(groups, turn, (next) => (depth < MAX_DEPTH ? lookUp(next, depth + 1) : undefined));
    }
  }
  return undefined;
}

function list([dir = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  return rounds > 0 ? undefined : callReply(`I list ${dir || 'the workspace'}.`, [['list_files', dir ? { dir } : {}]]);
}

function read([names = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  const paths = names.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).filter((name) => name !== '');
  const calls = paths.map((path) => ['read_file', { path }] as const);
  return rounds > 0 ? undefined : callReply(`I read ${names}.`, calls);
}

function write([whole = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  const parts = whole.split(/;\s*(?=write\s[^:;\n]+:)/i);
  const calls = parts.map((part) => {
    const colon = part.indexOf(':');
    const path = part.slice('write'.length, colon).trim();
    return ['write_file', { path, content: part.slice(colon + 1).replace(/^ /, '') }] as const;
  });
  return rounds > 0 ? undefined : callReply(`I write ${calls.map(([, { path }]) => path).join(' and ')}.`, calls);
}

function copy([from = '', to = '']: readonly string[], { rounds, results }: TurnSoFar): MockReply | undefined {
  if (rounds === 0) {
    return callReply(`I read ${from} to copy it.`, [['read_file', { path: from }]]);
  }
  const source = results[0];
  if (rounds > 1 || source === undefined || source.isError) {
    return undefined;
  }
  const content = contentOfRead(source.text);
  return content === undefined
    ? textReply(`I did not write ${to}: the result does not hold all of ${from}.`)
    : callReply(`I write what I read to ${to}.`, [['write_file', { path: to, content }]]);
}

function search([text = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  return rounds > 0 ? undefined : callReply(`I search for ${text}.`, [['search_files', { text }]]);
}

function remove([path = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  return rounds > 0 ? undefined : callReply(`I delete ${path}.`, [['delete_file', { path }]]);
}

function append([text = '', path = '']: readonly string[], { rounds, results }: TurnSoFar): MockReply | undefined {
  if (rounds === 0) {
    return callReply(`I read ${path} to add to its end.`, [['read_file', { path }]]);
  }
  const source = results[0];
  const isMissing = source?.isError === true && MISSING_FILE.test(source.text);
  if (rounds > 1 || source === undefined || (source.isError && !isMissing)) {
    return undefined;
  }
  const content = isMissing ? '' : contentOfRead(source.text);
  if (content === undefined) {
    return textReply(`I did not add to ${path}: the result does not hold all of it.`);
  }
  if (content === '') {
    return callReply(`I write the first line of ${path}.`, [['write_file', { path, content: `${text}\n` }]]);
  }
  const oldText = uniqueEnd(content);
  const newText = `${oldText}${oldText.endsWith('\n') ? '' : '\n'}${text}\n`;
  return callReply(`I add a line to ${path}.`, [['edit_file', { path, oldText, newText }]]);
}

/** The last lines of a text, as few as occur only once; one that repeats itself is taken whole. */
function uniqueEnd(content: string): string {
  const lines = content.split(/(?<=\n)/);
  for (let count = 1; count < lines.length; count *= 2) {
    const end = lines.slice(-count).join('');
    if (content.indexOf(end) === content.length - end.length) {
      return end;
    }
  }
  return content;
}

function call([name = '', argumentsText = '']: readonly string[], { rounds }: TurnSoFar): MockReply | undefined {
  return rounds > 0 ? undefined : { text: `I call ${name}.`, calls: [{ name, argumentsText }] };
}

function repeat([instruction = '']: readonly string[], _turn: TurnSoFar, inner: Inner): MockReply | undefined {
  return inner({ instruction, rounds: 0, results: [] });
}

function slow(
  [seconds = '', instruction = '']: readonly string[],
  turn: TurnSoFar,
  inner: Inner,
): MockReply | undefined {
  const reply = inner({ ...turn, instruction });
  if (turn.rounds > 0) {
    return reply;
  }
  const slowMs = Math.min(Number(seconds), MAX_SLOW_SECONDS) * SECOND_MS;
  return { ...(reply ?? textReply(`I took ${seconds} seconds for this.`)), slowMs };
}

function fail([code = '']: readonly string[]): MockReply | undefined {
  const known = code.toLowerCase();
  return isErrorCode(known) ? { ...textReply('This reply breaks'), breaksWith: known } : undefined;
}

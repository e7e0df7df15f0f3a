import { readWorkerMessage } from '../../../src/dev/read-worker-message';
import { committed, FEED_KEY, modelBegins, stepEnds, textChunk, toolBegins } from '../../support/feed/feed-events';

/** What arrives of a message: IPC carries JSON. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const toolChunk = {
  ...textChunk(3, ''),
  chunk: { type: 'tool-call-delta', index: 1, providerCallId: 'p', name: 'look', argumentsText: '{' },
};
const bareToolChunk = { ...textChunk(4, ''), chunk: { type: 'tool-call-delta', index: 1 } };

test.each([
  ['a commit', committed()],
  ['a fragment of text', textChunk(0, 'hello')],
  ['a fragment of a tool call', toolChunk],
  ['a fragment of a tool call without any text', bareToolChunk],
  ['a model call that runs', modelBegins()],
  ['a tool call that runs', toolBegins('t1-r1-c1')],
  ['a step that is over', stepEnds()],
])('%s arrives as it was sent', (_name, event) => {
  expect(readWorkerMessage(overTheWire({ type: 'feed', event }))).toEqual({ type: 'feed', event });
});

test('a worker that is ready, or could not start, is understood', () => {
  expect(readWorkerMessage({ type: 'ready', pid: 1 })).toEqual({ type: 'ready' });
  const failed = { type: 'failed', code: 'invalid_config', message: 'no such folder', files: ['/a/b.ts'] };
  expect(readWorkerMessage(failed)).toEqual(failed);
  const loaded = { type: 'loaded', project: { agents: ['desk'], tools: 2, longestToolMs: 5 }, files: ['/a/b.ts'] };
  expect(readWorkerMessage(loaded)).toEqual(loaded);
});

test('a failure is told without what a terminal would obey', () => {
  const message = 'one\u001b[2J\u202e\u0007\r\ntwo';
  expect(readWorkerMessage({ type: 'failed', code: 'internal', message })).toEqual({
    type: 'failed',
    code: 'internal',
    message: 'one\\u{1b}[2J\\u{202e}\\u{7}\\u{d}\ntwo',
    files: [],
  });
});

test('of the files of a project only paths are believed, and of its tools no timeout beyond an hour', () => {
  const project = { agents: [], tools: 0, longestToolMs: 1e12 };
  const files = ['/a.ts', 'relative.ts', '/with\0nul', 7, null];
  expect(readWorkerMessage({ type: 'loaded', project, files })).toMatchObject({
    project: { longestToolMs: 3_600_000 },
    files: ['/a.ts'],
  });
});

test('what the kind of an event does not have is left out', () => {
  const event = { ...textChunk(0, 'a'), secret: 1, chunk: { type: 'text-delta', index: 0, text: 'a', raw: {} } };
  expect(readWorkerMessage({ type: 'feed', event })).toEqual({ type: 'feed', event: textChunk(0, 'a') });
});

const withStatus = (changes: object) => {
  const event = modelBegins();
  return { ...event, status: { ...('status' in event ? event.status : {}), ...changes } };
};

test.each([
  ['nothing', undefined],
  ['text', 'ready'],
  ['a list', [{ type: 'ready' }]],
  ['a message without a type', { event: committed() }],
  ['a message of another kind', { type: 'dependency', path: '/a' }],
  ['a failure without a code', { type: 'failed', message: 'x' }],
  ['a project without agents', { type: 'loaded', project: { tools: 1, longestToolMs: 1 }, files: [] }],
  ['a project with an agent of no name', { type: 'loaded', project: { agents: ['a b'], tools: 1, longestToolMs: 1 } }],
  ['a project with half a tool', { type: 'loaded', project: { agents: [], tools: 0.5, longestToolMs: 1 } }],
  ['an event that is text', { type: 'feed', event: 'committed' }],
])('%s is no message', (_name, value) => {
  expect(readWorkerMessage(value)).toBeUndefined();
});

test.each([
  ['without a session', { tenant: 'acme', type: 'committed' }],
  ['with a tenant that is no id', { ...committed(), tenant: 'a/b' }],
  ['with a session that is no text', { ...committed(), sessionId: 7 }],
  ['of another kind', { ...FEED_KEY, type: 'approved' }],
  ['with a fragment of another kind', { ...textChunk(0, ''), chunk: { type: 'usage', usage: {} } }],
  ['with a fragment whose text is no text', { ...textChunk(0, ''), chunk: { type: 'text-delta', index: 0, text: {} } }],
  ['with arguments that are no text', { ...toolChunk, chunk: { ...toolChunk.chunk, argumentsText: {} } }],
  ['with a negative place', textChunk(-1, '')],
  ['with half an attempt', textChunk(0, '', { attempt: 1.5 })],
  ['with a round that is text', { ...textChunk(0, ''), round: '1' }],
  ['with a step that is no name', stepEnds('a step/of mine')],
  ['with a step named too long', stepEnds('x'.repeat(101))],
  ['with a status that is text', { ...stepEnds(), status: 'running' }],
  ['with a status without a tool', withStatus({ tool: undefined })],
  ['with a status that is a book', withStatus({ text: 'x'.repeat(501) })],
])('an event %s is no message', (_name, event: unknown) => {
  expect(readWorkerMessage({ type: 'feed', event })).toBeUndefined();
});

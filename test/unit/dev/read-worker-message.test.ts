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
  const failed = { type: 'failed', code: 'invalid_config', message: 'no such folder' };
  expect(readWorkerMessage(failed)).toEqual(failed);
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

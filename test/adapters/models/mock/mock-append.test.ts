import type { AssembledReply } from '../../../../src/core/block-assembler';
import { answered, ask, callsOf, mockRequest, textOf, userText } from '../../../support/mock-conversation';

/** What the model says in round 2, after `read_file` said this in round 1. */
async function replyAfterRead(text: string, isError = false): Promise<AssembledReply> {
  const opening = userText('append new to a.txt');
  const first = await ask(mockRequest([opening]));
  return ask(mockRequest([opening, ...answered(first, [{ text, isError }])]));
}

async function callsAfterRead(text: string, isError = false): Promise<readonly unknown[]> {
  const calls = callsOf(await replyAfterRead(text, isError));
  return calls.map(({ name, argumentsText }) => [name, JSON.parse(argumentsText)]);
}

describe('the mock model that adds a line', () => {
  it.each([
    ['a\nb\n', 'b\n', 'b\nnew\n'],
    ['a\nb', 'b', 'b\nnew\n'],
    ['b\na\nb\n', 'a\nb\n', 'a\nb\nnew\n'],
    ['b\nb\nb\n', 'b\nb\nb\n', 'b\nb\nb\nnew\n'],
    ['abab', 'abab', 'abab\nnew\n'],
    ['ba\na', 'ba\na', 'ba\na\nnew\n'],
  ])('adds a line to %j by an end that occurs only once', async (content, oldText, newText) => {
    const read = `[a.txt, ${Buffer.byteLength(content)} bytes]\n${content}`;
    expect(await callsAfterRead(read)).toEqual([['edit_file', { path: 'a.txt', oldText, newText }]]);
  });

  it('writes the first line of a file that is empty or not there', async () => {
    const write = ['write_file', { path: 'a.txt', content: 'new\n' }];
    expect(await callsAfterRead('[a.txt, 0 bytes]\n')).toEqual([write]);
    expect(await callsAfterRead('"a.txt" does not exist.', true)).toEqual([write]);
  });

  it('adds nothing to what it could not read, or not whole', async () => {
    expect(await callsAfterRead('"a.txt" is a folder, not a file.', true)).toEqual([]);
    expect(textOf(await replyAfterRead('[a.txt, lines 1-2 of 3; go on with offset 3]\na\nb\n'))).toBe(
      'I did not add to a.txt: the result does not hold all of it.',
    );
  });
});

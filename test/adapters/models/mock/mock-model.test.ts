import { createMockModel } from '../../../../src/adapters/models/mock/mock-model';
import type { Message } from '../../../../src/core/messages';
import {
  answered,
  ask,
  callOf,
  callsOf,
  chunksOf,
  mockRequest,
  textOf,
  userText,
} from '../../../support/mock-conversation';

/** `[tool, arguments]` of each call of the first reply to a message. */
async function callsFor(text: string): Promise<readonly unknown[]> {
  const reply = await ask(mockRequest([userText(text)]));
  return callsOf(reply).map(({ name, argumentsText }) => [name, JSON.parse(argumentsText)]);
}

/** The text the model ends a turn with after these results. */
async function answerAfter(
  text: string,
  results: readonly { readonly text: string; readonly isError?: boolean }[],
): Promise<string> {
  const opening = userText(text);
  const first = await ask(mockRequest([opening]));
  const reply = await ask(mockRequest([opening, ...answered(first, results)]));
  expect(callsOf(reply)).toEqual([]);
  return textOf(reply);
}

describe('the table of the mock model', () => {
  it.each<[string, readonly unknown[]]>([
    ['list', [['list_files', {}]]],
    ['  List src/core \n', [['list_files', { dir: 'src/core' }]]],
    ['read my notes.txt', [['read_file', { path: 'my notes.txt' }]]],
    [
      'read a.txt, b.txt and c.txt',
      [
        ['read_file', { path: 'a.txt' }],
        ['read_file', { path: 'b.txt' }],
        ['read_file', { path: 'c.txt' }],
      ],
    ],
    ['write a.txt: hello', [['write_file', { path: 'a.txt', content: 'hello' }]]],
    [
      'write a b.txt:  two: lines\nof text \n',
      [['write_file', { path: 'a b.txt', content: ' two: lines\nof text \n' }]],
    ],
    ['write a.txt:', [['write_file', { path: 'a.txt', content: '' }]]],
    [
      'write a.txt: x; write b.txt: y; z',
      [
        ['write_file', { path: 'a.txt', content: 'x' }],
        ['write_file', { path: 'b.txt', content: 'y; z' }],
      ],
    ],
    ['copy a.txt to b.txt', [['read_file', { path: 'a.txt' }]]],
    ['search  two words ', [['search_files', { text: 'two words' }]]],
    ['append one to two to my notes.txt', [['read_file', { path: 'my notes.txt' }]]],
    ['delete my notes.txt', [['delete_file', { path: 'my notes.txt' }]]],
    ['call refund_order {"orderId":7}', [['refund_order', { orderId: 7 }]]],
    ['slow 0.1 then list', [['list_files', {}]]],
  ])('understands %j', async (text, calls) => {
    expect(await callsFor(text)).toEqual(calls);
  });

  it.each([
    'hello',
    '',
    'listen',
    'please list',
    'write a story',
    'fail me',
    'copy this',
    'search',
    'append this',
    'delete',
    'read\na.txt\nb.txt',
  ])('answers %j with plain text', async (text) => {
    const reply = await ask(mockRequest([userText(text)]));
    expect(reply.finish).toBe('stop');
    expect(textOf(reply)).toContain('I am a mock model');
  });

  it('hands on any arguments text as it is', async () => {
    const reply = await ask(mockRequest([userText('call read_file {"path":')]));
    expect(callsOf(reply)).toMatchObject([{ name: 'read_file', argumentsText: '{"path":' }]);
    expect(callsOf(await ask(mockRequest([userText('call now')])))).toMatchObject([{ name: 'now', argumentsText: '' }]);
  });

  it('repeats itself until no tools are offered', async () => {
    let messages: readonly Message[] = [userText('repeat list')];
    for (let round = 1; round <= 3; round += 1) {
      const reply = await ask(mockRequest(messages));
      expect(callsOf(reply)).toHaveLength(1);
      messages = [...messages, ...answered(reply, [{ text: `listing ${round}` }])];
    }
    const last = await ask(mockRequest(messages, []));
    expect(callsOf(last)).toEqual([]);
    expect(textOf(last)).toContain('- list_files succeeded: listing 3');
  });

  it('fails and cuts on every attempt', async () => {
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await expect(ask(mockRequest([userText('fail model_overloaded')]))).rejects.toMatchObject({
        code: 'model_overloaded',
      });
      await expect(ask(mockRequest([userText('cut')]))).rejects.toMatchObject({ code: 'model_stream_cut' });
    }
  });

  it('answers a message of a megabyte at once, whatever it looks like', async () => {
    const blanks = ' '.repeat(1_000_000);
    const messages = [
      `copy a${blanks}`,
      `list a${blanks}x`,
      `write${blanks}`,
      `write a: x; write${blanks}`,
      'repeat '.repeat(150_000),
      `call${blanks}`,
    ];
    const startedAt = performance.now();
    for (const text of messages) {
      await ask(mockRequest([userText(text)]));
    }
    // An expression that goes back and forth takes minutes for the first of them.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

describe('later rounds of the mock model', () => {
  it('writes exactly what it read, then ends', async () => {
    const opening = userText('copy a.txt to b.txt');
    const content = 'line\n\u{1f600} "quoted"\r\n[x, 3 bytes]\n';
    const first = await ask(mockRequest([opening]));
    const read = answered(first, [{ text: `[a.txt, ${Buffer.byteLength(content)} bytes]\n${content}` }]);
    const second = await ask(mockRequest([opening, ...read]));
    expect(callsOf(second).map(({ argumentsText }) => JSON.parse(argumentsText))).toEqual([{ path: 'b.txt', content }]);
    const written = answered(second, [{ text: 'Created "b.txt".' }]);
    const third = await ask(mockRequest([opening, ...read, ...written]));
    expect(callsOf(third)).toEqual([]);
    expect(textOf(third)).toContain('- write_file succeeded: Created "b.txt".');
  });

  it.each([
    ['some lines of a file', '[a.txt, lines 1-2 of 3; go on with offset 3]\na\nb\n'],
    ['the last lines of a file', '[a.txt, lines 2-3 of 3]\na\nb\n'],
    ['the start of a long line', '[a.txt, line 1 of 1, cut after 3 bytes]\nabc'],
    ['a result that was cut', '[a.txt, 9 bytes]\nabc\n[cut: the whole output has 99 bytes]'],
    ['a result of another form', 'abc'],
  ])('does not copy %s', async (_name, text) => {
    expect(await answerAfter('copy a.txt to b.txt', [{ text }])).toContain('I did not write b.txt');
  });

  it('does not copy what it could not read', async () => {
    const text = '"a.txt" does not exist.';
    expect(await answerAfter('copy a.txt to b.txt', [{ text, isError: true }])).toBe(
      `This is what came of it:\n- read_file did not succeed: ${text}`,
    );
  });

  it('repeats what results say and claims no write that did not happen', async () => {
    const expired = 'Not run: nobody decided about this call in time.';
    expect(
      await answerAfter('write a: x; write b: y', [{ text: 'Created "a".' }, { text: expired, isError: true }]),
    ).toBe(`This is what came of it:\n- write_file succeeded: Created "a".\n- write_file did not succeed: ${expired}`);
  });

  it('keeps its answer short', async () => {
    const long = await answerAfter('read a', [{ text: 'word \u{1f600}\n'.repeat(10_000) }]);
    expect(long.length).toBeLessThan(400);
    const many = Array.from({ length: 40 }, (_, index) => `f${index}`).join(', ');
    const answer = await answerAfter(
      `read ${many}`,
      Array.from({ length: 40 }, () => ({ text: 'x' })),
    );
    expect(answer).toContain('28 earlier results are left out.');
    expect(answer.split('\n')).toHaveLength(14);
  });

  it('looks only at what came after the last message of the user', async () => {
    const earlier = [
      userText('write a.txt: x'),
      ...answered(callOf('write_file', {}), [{ text: 'rejected', isError: true }]),
    ];
    expect(textOf(await ask(mockRequest([...earlier, userText('hello')])))).toContain('I am a mock model');
    const again = await ask(mockRequest([...earlier, userText('write a.txt: x')]));
    expect(callsOf(again)).toHaveLength(1);
    const withAnswer = [...earlier, { role: 'assistant', blocks: [{ type: 'text', text: 'rejected' }] } as const];
    expect(callsOf(await ask(mockRequest([...withAnswer, userText('copy a to b')])))).toMatchObject([
      { name: 'read_file' },
    ]);
  });

  it('does not take notes and joined messages for a message of the user', async () => {
    const opening = userText('copy a.txt to b.txt');
    const first = await ask(mockRequest([opening]));
    const messages = [
      opening,
      userText('<holdpoint-note source="holdpoint">\nlist\n</holdpoint-note>'),
      ...answered(first, [{ text: '[a.txt, 1 byte]\nx' }]),
      userText('<holdpoint-message mode="steer">\nhurry\n</holdpoint-message>'),
    ];
    expect(callsOf(await ask(mockRequest(messages)))).toMatchObject([{ name: 'write_file' }]);
  });

  it('calls nothing when no tools are offered', async () => {
    for (const text of ['list', 'write a: x', 'slow 0.1 then list', 'repeat list']) {
      const reply = await ask(mockRequest([userText(text)], []));
      expect(reply.finish).toBe('stop');
      expect(textOf(reply)).toContain(`No tools are offered to me, so nothing was done about: ${text}`);
    }
  });
});

describe('the stream of the mock model', () => {
  it('comes in several chunks, with usage before exactly one finish', async () => {
    const chunks = await chunksOf(mockRequest([userText('write a.txt: hello world, this is a text')]));
    const types = chunks.map(({ type }) => type);
    expect(types.filter((type) => type === 'text-delta').length).toBeGreaterThan(0);
    expect(types.filter((type) => type === 'tool-call-delta').length).toBeGreaterThan(2);
    expect(types.slice(-2)).toEqual(['usage', 'finish']);
    expect(types.indexOf('finish')).toBe(types.length - 1);
  });

  it('is the same on every attempt', async () => {
    const request = mockRequest([userText('read a, b and c')]);
    expect(await chunksOf(request)).toEqual(await chunksOf(request));
  });

  it('names calls by their place in the conversation', async () => {
    const opening = userText('read a and b');
    const first = await ask(mockRequest([opening]));
    expect(callsOf(first).map(({ providerCallId }) => providerCallId)).toEqual(['mock-1-1', 'mock-1-2']);
    const later = [opening, ...answered(first, []), { role: 'assistant', blocks: [] } as const, opening];
    expect(callsOf(await ask(mockRequest(later)))[0]?.providerCallId).toBe('mock-5-1');
  });

  it('counts usage by the length of what was read and written', async () => {
    const short = await ask(mockRequest([userText('hello')]));
    const long = await ask(mockRequest([userText('hello'.repeat(101))]));
    expect(short.usage.outputTokens).toBeGreaterThan(0);
    expect(long.usage.inputTokens - short.usage.inputTokens).toBe(125);
  });

  it('takes its time when asked to', async () => {
    const startedAt = performance.now();
    const reply = await ask(mockRequest([userText('slow 0.3')]));
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    expect(textOf(reply)).toBe('. . . I took 0.3 seconds for this.');
  });

  it('stops at once when its caller is gone', async () => {
    const controller = new AbortController();
    const stream = createMockModel().stream(mockRequest([userText('slow 600')]), { signal: controller.signal });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of stream) {
        seen.push(type);
        controller.abort(new Error('gone'));
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(seen).toEqual(['text-delta']);
    const aborted = chunksOf(mockRequest([userText('hello')]), AbortSignal.abort(new Error('gone')));
    await expect(aborted).rejects.toThrow('gone');
  });
});

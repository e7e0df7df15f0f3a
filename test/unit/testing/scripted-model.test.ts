import { createBlockAssembler } from '../../../src/core/block-assembler';
import type { ModelAdapter, ModelRequest } from '../../../src/core/ports/model-adapter';
import { cutStream, failure, reply, scriptedModel } from '../../../src/testing';

const REQUEST: ModelRequest = { model: 'test', system: '', messages: [], tools: [] };

/** One model call, assembled as a worker assembles it. */
async function ask(model: ModelAdapter, request = REQUEST) {
  const assembler = createBlockAssembler({ turn: 1, round: 1 });
  for await (const chunk of model.stream(request, { signal: new AbortController().signal })) {
    assembler.push(chunk);
  }
  return assembler.finish();
}

test('a script is played step by step, and every request is kept', async () => {
  const model = scriptedModel([
    reply({
      reasoning: 'Hm.',
      text: 'Look.',
      calls: [
        { tool: 'look', args: { a: 1 } },
        { tool: 'look', argumentsText: '{' },
      ],
    }),
    failure('model_overloaded'),
    cutStream({ text: 'Hal' }),
    reply({ text: 'Cut', finish: 'max-tokens', usage: { inputTokens: 7, outputTokens: 8 } }),
  ]);
  expect(await ask(model)).toMatchObject({
    finish: 'tool-calls',
    blocks: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Look.' },
      { type: 'tool-call', name: 'look', argumentsText: '{"a":1}' },
      { type: 'tool-call', name: 'look', argumentsText: '{' },
    ],
  });
  await expect(ask(model)).rejects.toMatchObject({ code: 'model_overloaded' });
  await expect(ask(model)).rejects.toMatchObject({ code: 'model_stream_cut' });
  expect(await ask(model)).toMatchObject({ finish: 'max-tokens', usage: { inputTokens: 7, outputTokens: 8 } });
  expect(model.requests).toEqual([REQUEST, REQUEST, REQUEST, REQUEST]);
  expect(() => model.assertDone()).not.toThrow();
});

test('a request without a step fails at once, and the model keeps saying so', async () => {
  const model = scriptedModel([]);
  await expect(ask(model)).rejects.toMatchObject({ code: 'model_invalid_request', retryable: false });
  expect(() => model.assertDone()).toThrow(expect.objectContaining({ code: 'not_as_scripted' }));
  expect(model.fault).toMatchObject({ code: 'not_as_scripted' });
});

test('steps that were not used are named in the order of the script', async () => {
  const model = scriptedModel([reply({ text: 'One.' }), reply({ text: 'Two.' }), cutStream()], { api: 'openai' });
  expect(model.api).toBe('openai');
  await ask(model);
  expect(() => model.assertDone()).toThrow(
    '2 of 3 steps of the script were not used: the model was asked 1 times.\nNot used:\n  2. reply(Two.)\n  3. cutStream()',
  );
});

test('expectRequest sees the request, and what it throws is the fault of the model', async () => {
  const fault = new Error('no');
  const seen: ModelRequest[] = [];
  const model = scriptedModel([
    reply({ text: 'One.', expectRequest: (request) => seen.push(request) }),
    failure('model_overloaded', {
      expectRequest: () => {
        throw fault;
      },
    }),
  ]);
  await ask(model);
  expect(seen).toEqual([REQUEST]);
  await expect(ask(model)).rejects.toMatchObject({ code: 'model_invalid_request' });
  expect(() => model.assertDone()).toThrow(fault);
});

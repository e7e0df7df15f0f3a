import { z } from 'zod';
import { wellFormedText } from '../../../src/core/well-formed-text';
import { parseArguments } from '../../../src/definitions/parse-arguments';

const order = z.object({
  orderId: z.string(),
  count: z.number().int().default(1),
  note: z.string().optional(),
  lines: z.array(z.object({ sku: z.string() })).optional(),
});

function violationsOf(schema: z.ZodType, value: unknown): readonly string[] {
  const result = parseArguments(schema, value);
  return result.ok ? [] : result.violations;
}

describe('parseArguments', () => {
  it('fills in defaults', () => {
    expect(parseArguments(order, { orderId: 'o' })).toEqual({ ok: true, args: { orderId: 'o', count: 1 } });
  });

  it('keeps keys the schema does not name, also deep inside', () => {
    const args = { orderId: 'o', count: 2, extra: { a: [1] }, lines: [{ sku: 's', colour: 'red' }] };
    expect(parseArguments(order, args)).toEqual({ ok: true, args });
  });

  it('keeps a key named __proto__ as an ordinary member', () => {
    const result = parseArguments(order, JSON.parse('{"orderId":"o","__proto__":{"count":9}}'));
    expect(JSON.stringify(result)).toBe('{"ok":true,"args":{"orderId":"o","count":1,"__proto__":{"count":9}}}');
  });

  it('refuses other keys where the schema closes the object', () => {
    const closed = z.object({ inner: z.strictObject({ a: z.string() }) });
    expect(violationsOf(closed, { inner: { a: 'x', b: 1 } })).toEqual(['inner: Unrecognized key: "b"']);
  });

  it('names the path and what is expected', () => {
    expect(violationsOf(order, { count: 1.5, lines: [{ sku: 's' }, { sku: 3 }] })).toEqual([
      'orderId: expected string, received undefined',
      'count: expected int, received number',
      'lines[1].sku: expected string, received number',
    ]);
  });

  it.each([
    ['a text', '"x"'],
    ['a list', '[]'],
    ['a number', '7'],
    ['true', 'true'],
  ])('refuses %s', (_name, text) => {
    expect(violationsOf(order, JSON.parse(text))).toEqual(['arguments: expected a JSON object']);
  });

  it.each([undefined, null])('takes %s as no arguments', (value) => {
    expect(parseArguments(z.object({ a: z.string().optional() }), value)).toEqual({ ok: true, args: {} });
    expect(violationsOf(order, value)).toEqual(['orderId: expected string, received undefined']);
  });

  it('leaves out null where an optional member may not be null', () => {
    const args = { orderId: 'o', note: null, lines: null, count: 3 };
    expect(parseArguments(order, args)).toEqual({ ok: true, args: { orderId: 'o', count: 3 } });
    const nested = z.object({ lines: z.array(z.object({ sku: z.string().optional() })) });
    expect(parseArguments(nested, { lines: [{ sku: null }] })).toEqual({ ok: true, args: { lines: [{}] } });
  });

  it('keeps null where the schema allows it, and refuses it where the member is required', () => {
    const schema = z.object({ a: z.string().nullable(), b: z.string() });
    expect(parseArguments(schema, { a: null, b: 'x' })).toEqual({ ok: true, args: { a: null, b: 'x' } });
    expect(violationsOf(schema, { a: null, b: null })).toEqual(['b: expected string, received null']);
    expect(violationsOf(z.object({ list: z.array(z.string()) }), { list: [null] })).toEqual([
      'list[0]: expected string, received null',
    ]);
  });

  it('explains the closest form of a union', () => {
    const schema = z.object({
      shape: z.union([z.object({ r: z.number() }), z.object({ w: z.number(), h: z.number() })]),
    });
    expect(violationsOf(schema, { shape: { r: 'x' } })).toEqual(['shape.r: expected number, received string']);
  });

  it('takes a check that throws, or that is asynchronous, as a violation', () => {
    const throwing = z.object({ a: z.string() }).refine(() => {
      throw new Error('secret of the author');
    });
    const asynchronous = z.object({ a: z.string() }).refine(async () => true);
    for (const schema of [throwing, asynchronous]) {
      const violations = violationsOf(schema, { a: 'x' });
      expect(violations).toEqual(['arguments: could not be checked; a check of this tool failed on them']);
    }
  });

  it('survives arguments nested far deeper than the stack', () => {
    const tree = z.object({
      get next() {
        return tree.optional();
      },
    });
    let value: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) {
      value = { next: value };
    }
    expect(violationsOf(tree, value)).toHaveLength(1);
  });

  it('bounds what it says', () => {
    const many = z.object({ list: z.array(z.string()) });
    const violations = violationsOf(many, { list: new Array(1_000).fill(7) });
    expect(violations).toHaveLength(21);
    expect(violations.at(-1)).toBe('arguments: 980 more violations');
    const [unknown] = violationsOf(z.strictObject({}), { ['\u{1f600}'.repeat(1_000)]: 1 });
    expect(unknown?.length).toBeLessThanOrEqual(201);
    expect(unknown).toBe(wellFormedText(unknown ?? ''));
  });
});

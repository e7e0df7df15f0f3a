import { canonicalJson } from '../../../src/core/canonical-json';

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

describe('canonicalJson', () => {
  it('sorts members by UTF-16 code units and writes no white space', () => {
    // The first five names are the sorting example of RFC 8785: the emoji's surrogate sorts before U+FB33.
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, b: [1, { d: null, c: true }], a: 'x' };
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"a":"x","b":[1,{"c":true,"d":null}],"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
    );
  });

  it('writes numbers as RFC 8785 does', () => {
    expect(canonicalJson([-0, 1.0, 1e-7, 4.5, 9007199254740991, -9007199254740991])).toBe(
      '[0,1,1e-7,4.5,9007199254740991,-9007199254740991]',
    );
  });

  it('leaves out undefined members and keeps null ones', () => {
    expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
  });

  it('escapes NUL and keeps __proto__ as an ordinary member', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":"\\u0000"}}'))).toBe('{"__proto__":{"a":"\\u0000"}}');
  });

  it('takes objects without a prototype', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it.each<[string, unknown]>([
    ['an integer beyond 2^53', 9007199254740992],
    ['a negative integer beyond 2^53', -9007199254740992],
    ['a huge number', 1e300],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a lone surrogate', 'a\ud800b'],
    ['a lone surrogate in a name', { '\udc00': 1 }],
    ['undefined in an array', [undefined]],
    ['a hole in an array', new Array(1)],
    ['undefined itself', undefined],
    ['a function', { a: () => 1 }],
    ['a symbol', [Symbol('a')]],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', new Uint8Array(1)],
  ])('refuses %s', (_name, value) => {
    expect(codeOf(() => canonicalJson(value))).toBe('not_canonical');
  });

  it('refuses a value that refers to itself', () => {
    const value: Record<string, unknown> = {};
    value['self'] = [value];
    expect(codeOf(() => canonicalJson(value))).toBe('not_canonical');
  });

  it('refuses nesting that would end the stack', () => {
    expect(codeOf(() => canonicalJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))))).toBe('not_canonical');
  });
});

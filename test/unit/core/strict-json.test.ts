import { parseStrictJson } from '../../../src/core/strict-json';

function codeOf(text: string): unknown {
  try {
    parseStrictJson(text);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}

describe('parseStrictJson', () => {
  it.each([
    '{"a":[1,-2.5,1e3,"x",true,false,null,{}],"b":{"a":{"a":1}}}',
    '  [ ]  ',
    '"a\\"b\\\\"',
    '{"a:b":"c,{\\"d\\":1}","a":"\\u0000"}',
    '9007199254740991',
    '[{"a":1},{"a":1}]',
    '"\u{1f600} \\ud83d\\ude00"',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it('reads a string of many megabytes, escapes and all', () => {
    const value = { text: 'x"\\'.repeat(5_000_000) };
    expect(parseStrictJson(JSON.stringify(value))).toEqual(value);
  });

  it('keeps __proto__ as an ordinary own member', () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse('{}')));
  });

  it.each([
    ['a member named twice', '{"a":1,"a":2}'],
    ['a member named twice in a nested object', '[{"b":{"a":1,"c":[],"a":2}}]'],
    ['a member named twice with an escape', '{"a":1,"\\u0061":2}'],
    ['__proto__ named twice', '{"__proto__":1,"__proto__":2}'],
    ['an integer beyond 2^53', '[9007199254740992]'],
    ['a negative integer beyond 2^53', '{"a":-9007199254740993}'],
    ['an integer beyond 2^53 with a fraction', '9007199254740993.0'],
    ['a number that overflows', '1e400'],
    ['a raw lone surrogate', '"\ud800"'],
    ['an escaped lone surrogate', '"\\udc00"'],
    ['a lone surrogate in a name', '{"\\ud800":1}'],
    ['nesting beyond 200 levels', '['.repeat(201) + ']'.repeat(201)],
    ['nesting that would end the stack', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`],
  ])('refuses %s', (_name, text) => {
    expect(codeOf(text)).toBe('not_canonical');
  });

  it.each(['', '{', '{"a":1,}', 'NaN', "{'a':1}", '01', '[1] 2'])('calls %p malformed', (text) => {
    expect(codeOf(text)).toBe('malformed_json');
  });

  it('takes nesting of 200 levels', () => {
    expect(codeOf('['.repeat(200) + ']'.repeat(200))).toBeUndefined();
  });

  it('reads a text of a megabyte', () => {
    const text = JSON.stringify({
      text: '\u0001\\"'.repeat(300_000),
      many: Array.from({ length: 50_000 }, (_, at) => at),
    });
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

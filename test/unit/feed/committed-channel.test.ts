import {
  EVERY_SESSION,
  namesThatFit,
  payloadOf,
  readPayload,
} from '../../../src/adapters/feed/postgres/committed-channel';

const LONG = 'x'.repeat(100);

test('one notification names as many sessions as Postgres takes, in their order, and what it says is read back', () => {
  const names = Array.from({ length: 100 }, (_, index) => `${LONG}/${`s${index}`.padEnd(100, 'y')}`);
  const fitting = namesThatFit(names);
  expect(fitting).toEqual(names.slice(0, fitting.length));
  expect(fitting.length).toBe(39);
  expect(Buffer.byteLength(payloadOf(fitting))).toBeLessThan(8_000);
  expect(readPayload(payloadOf(fitting)).map((key) => key !== '*' && `${key.tenant}/${key.sessionId}`)).toEqual(
    fitting,
  );
});

test('a payload that names no session is left out, whoever sent it', () => {
  expect(readPayload('')).toEqual([]);
  expect(readPayload(`nobody\n../x\na/b/c\n${EVERY_SESSION}\nacme/s1\n`)).toEqual([
    EVERY_SESSION,
    { tenant: 'acme', sessionId: 's1' },
  ]);
});

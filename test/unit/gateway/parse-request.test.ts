import type { z } from 'zod';
import type { HoldpointError } from '../../../src/core/errors';
import { cancelTurnRequest } from '../../../src/core/schemas/cancel-turn-request';
import { createSessionRequest } from '../../../src/core/schemas/create-session-request';
import { decisionRequest } from '../../../src/core/schemas/decision-request';
import { listEntriesQuery } from '../../../src/core/schemas/list-entries-query';
import { sendMessageRequest } from '../../../src/core/schemas/send-message-request';
import { parseRequest } from '../../../src/gateway/parse-request';

function faultOf(schema: z.ZodType, value: unknown): { code: string; message: string } {
  try {
    parseRequest(schema, value);
  } catch (error) {
    const { code, message } = error as HoldpointError;
    return { code, message };
  }
  return { code: 'accepted', message: '' };
}

describe('parseRequest', () => {
  it('names each fault with the path to it', () => {
    const body = { agent: 1, message: { content: 'x', 'a b': 1 }, sessionId: '../x', extra: true };
    expect(faultOf(createSessionRequest, body)).toEqual({
      code: 'invalid_request',
      message:
        'agent: expected string, received number; message.a b: not a known member; ' +
        'sessionId: must be 1 to 100 letters, digits, "_" or "-", and start with a letter or digit; ' +
        'extra: not a known member',
    });
  });

  it('refuses what is not an object', () => {
    for (const value of [null, [], 'text', 1, true]) {
      expect(faultOf(createSessionRequest, value).message).toMatch(/^the request: expected object, received /);
    }
  });

  it('calls an empty body malformed', () => {
    expect(faultOf(sendMessageRequest, undefined).code).toBe('malformed_json');
  });

  it('refuses names that every object has', () => {
    const body = JSON.parse('{"content":"x","__proto__":{"mode":"steer"},"constructor":1,"toString":2}');
    expect(faultOf(sendMessageRequest, body).message).toBe(
      '__proto__: not a known member; constructor: not a known member; toString: not a known member',
    );
  });

  it('shows only the first ten of many faults, and cuts long names', () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(500, 'x'));
    const { message } = faultOf(cancelTurnRequest, Object.fromEntries(names.map((name) => [name, 1])));
    expect(message).toMatch(/; and 30 more$/);
    expect(message.length).toBeLessThan(1_000);
  });

  it('fills in defaults', () => {
    expect(parseRequest(sendMessageRequest, { content: 'x' })).toEqual({ content: 'x', mode: 'followup' });
    expect(parseRequest(listEntriesQuery, {})).toEqual({ after: 0, limit: 500 });
    expect(parseRequest(listEntriesQuery, { after: '7', limit: '1' })).toEqual({ after: 7, limit: 1 });
  });

  it.each(['', ' ', '-1', '1.0', '1e3', '0x1', '9007199254740992', '99999999999999999999'])(
    'refuses %p as a sequence number',
    (after) => {
      expect(faultOf(listEntriesQuery, { after }).code).toBe('invalid_request');
    },
  );

  it.each(['', ' ', '\n\t', '\u00a0'])('refuses %p as a message', (content) => {
    expect(faultOf(sendMessageRequest, { content })).toEqual({
      code: 'invalid_request',
      message: 'content: must not be blank',
    });
  });

  it('refuses a decision id no store could hold, and takes any word as the decision', () => {
    expect(faultOf(decisionRequest, { decision: 'yes', decisionId: 'a/b' }).code).toBe('invalid_request');
    expect(parseRequest(decisionRequest, { decision: 'yes' })).toEqual({ decision: 'yes' });
  });
});

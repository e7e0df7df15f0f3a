import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { activityFailure, createFailureInterceptor, toActivityFailure } from '../../../src/activities/failure-mapping';
import { ERROR_CODES, HoldpointError } from '../../../src/core/errors';

const SECRET = 'what the user wrote';
const silent = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

test('a failure holds its code and nothing else', () => {
  const failure = toActivityFailure(
    new HoldpointError(
      'model_rate_limit',
      SECRET,
      { retryAfterMs: 1_500, requestId: 'req_1', other: SECRET },
      {
        cause: new Error(SECRET),
      },
    ),
  );

  expect(failure).toMatchObject({
    type: 'model_rate_limit',
    message: 'model_rate_limit',
    nonRetryable: false,
    stack: '',
  });
  expect(failure.cause).toBeUndefined();
  expect(failure.details).toEqual([{ requestId: 'req_1' }]);
  expect(failure.nextRetryDelay).toBe(1_500);
});

test('a request id that is a text is left out', () => {
  expect(toActivityFailure(new HoldpointError('model_timeout', '', { requestId: SECRET })).details).toBeFalsy();
});

test.each(Object.entries(ERROR_CODES))('%s is retried as the table of codes says', (code, { retryable }) => {
  expect(activityFailure(code as keyof typeof ERROR_CODES).nonRetryable).toBe(!retryable);
});

test.each<[string, unknown, string]>([
  ['an error of no kind we know', new TypeError(SECRET), 'internal'],
  ['a thrown text', SECRET, 'internal'],
  ['a failure of somebody else', ApplicationFailure.nonRetryable(SECRET, 'Theirs', SECRET), 'internal'],
  ['a failure with our type and another text', ApplicationFailure.retryable(SECRET, 'model_timeout'), 'model_timeout'],
])('%s becomes a code', (_name, error, code) => {
  const failure = toActivityFailure(error);

  expect([failure.type, failure.message, failure.stack, failure.details ?? []]).toEqual([code, code, '', []]);
});

test('a failure of ours passes with what it says about retries', () => {
  const failure = activityFailure('call_busy', { nonRetryable: true, nextRetryDelayMs: 5 });

  expect(toActivityFailure(failure)).toBe(failure);
});

test('whatever a cancelled activity throws, the cancel is what comes out', async () => {
  const environment = new MockActivityEnvironment(undefined, {
    interceptors: [createFailureInterceptor(silent)],
    logger: silent,
  });
  const thrown = environment.run(async () => {
    environment.cancel();
    throw new Error(`${SECRET} was aborted`);
  });

  await expect(thrown).rejects.toBeInstanceOf(CancelledFailure);
  await expect(thrown).rejects.toMatchObject({ message: 'CANCELLED', stack: '' });
});

test('an activity that fails for an unknown reason is logged, and its text is not', async () => {
  const lines: unknown[] = [];
  const logger = { ...silent, error: (...line: unknown[]) => lines.push(line) };
  const environment = new MockActivityEnvironment(
    { activityType: 'callModel' },
    { interceptors: [createFailureInterceptor(logger)], logger: silent },
  );

  await expect(environment.run(() => Promise.reject(new Error(SECRET)))).rejects.toMatchObject({ type: 'internal' });
  expect(lines).toMatchObject([[expect.any(String), { activity: 'callModel', code: 'internal' }]]);
});

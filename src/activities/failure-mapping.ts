import { ApplicationFailure, CancelledFailure, CompleteAsyncError, Context } from '@temporalio/activity';
import { ERROR_CODES, type ErrorCode, isErrorCode, isHoldpointError } from '../core/errors';
import type { Logger } from '../core/ports/logger';

/** How a failure is written when the code alone does not say it. */
interface FailureOptions {
  /** Default: as the table of codes says. */
  readonly nonRetryable?: boolean;
  /** Longest wait before the next attempt may begin, in milliseconds. Default: the retry policy's. */
  readonly nextRetryDelayMs?: number;
  /** The provider's or the server's name for the request that failed. */
  readonly requestId?: string;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * The failure that carries a code into Temporal, and nothing else: no text of people, models or tools, no stack (it
 * repeats the message and names files) and no cause.
 */
export function activityFailure(code: ErrorCode, options: FailureOptions = {}): ApplicationFailure {
  const { nonRetryable = !ERROR_CODES[code].retryable, nextRetryDelayMs, requestId } = options;
  const failure = ApplicationFailure.create({
    type: code,
    message: code,
    nonRetryable,
    ...(nextRetryDelayMs === undefined ? {} : { nextRetryDelay: Math.max(1, Math.ceil(nextRetryDelayMs)) }),
    ...(requestId !== undefined && REQUEST_ID.test(requestId) ? { details: [{ requestId }] } : {}),
  });
  failure.stack = '';
  return failure;
}

/** The failure of any thrown value; `internal` for what is not ours. */
export function toActivityFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) {
    return fromApplicationFailure(error);
  }
  if (!isHoldpointError(error)) {
    return activityFailure('internal');
  }
  const { retryAfterMs, requestId } = error.details;
  return activityFailure(error.code, {
    ...(typeof retryAfterMs === 'number' ? { nextRetryDelayMs: retryAfterMs } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  });
}

/** Ours pass; what a library or a tool threw as one keeps nothing but a code of ours. */
function fromApplicationFailure(failure: ApplicationFailure): ApplicationFailure {
  const { type, message, cause } = failure;
  if (isErrorCode(type) && message === type && cause === undefined) {
    failure.stack = '';
    return failure;
  }
  return activityFailure(isErrorCode(type) ? type : 'internal', { nonRetryable: failure.nonRetryable === true });
}

/** What an activity interceptor looks like to the worker. */
export interface FailureInterceptor {
  readonly inbound: {
    execute<Input>(input: Input, next: (input: Input) => Promise<unknown>): Promise<unknown>;
  };
}

/**
 * Makes the interceptor every activity runs under: whatever it throws becomes a failure without text. A cancel passes,
 * whatever a provider's library threw because of it. Results are not looked at: they hold references only.
 */
export function createFailureInterceptor(logger: Logger): () => FailureInterceptor {
  return () => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          throw mapFailure(error, logger);
        }
      },
    },
  });
}

function mapFailure(error: unknown, logger: Logger): unknown {
  const { cancellationSignal, info } = Context.current();
  if (error instanceof CompleteAsyncError) {
    return error;
  }
  if (cancellationSignal.aborted) {
    return withoutStack(cancellationSignal.reason);
  }
  const failure = toActivityFailure(error);
  const fields = { activity: info.activityType, attempt: info.attempt, code: failure.type };
  if (failure.type === 'internal') {
    logger.error('An activity failed for a reason holdpoint does not know.', { ...fields, error });
  } else {
    logger.debug('An activity failed.', fields);
  }
  return failure;
}

function withoutStack(reason: unknown): unknown {
  if (reason instanceof CancelledFailure) {
    reason.stack = '';
  }
  return reason;
}

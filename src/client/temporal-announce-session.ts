import { ApplicationFailure } from '@temporalio/common';
import { isHoldpointError } from '../core/errors';
import type { SessionCreated } from '../core/http-answers';
import type { SessionOptions } from '../core/sessions';
import { createHoldpointClient } from './holdpoint-client';

/** Where sessions are announced. */
export interface AnnounceSessionSettings {
  /** For example `http://127.0.0.1:8400`. */
  readonly gatewayUrl: string;
  /** Sent with every request, for example a key. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A session that a workflow is about to run as a child. */
export interface AnnounceSessionInput extends SessionOptions {
  readonly sessionId: string;
  readonly agent: string;
  /** Text of the first message. It goes into the store; the child's own input needs none then. */
  readonly message: string;
}

/** An activity for a worker of one's own. */
export type AnnounceSession = (input: AnnounceSessionInput) => Promise<SessionCreated>;

/**
 * Makes the activity `announceSession`: it stores a session with its first message, so that it exists with its principal
 * before a workflow of one's own starts it. The gateway does not start it. Repeating it changes nothing. `mode` is `task`
 * unless the input says otherwise.
 *
 * Fails with an `ApplicationFailure` whose type is the gateway's error code; what a repeat would not change is not
 * retried, for example `session_exists`, `unknown_agent`, `invalid_start`.
 */
export function createAnnounceSession({ gatewayUrl, headers = {} }: AnnounceSessionSettings): AnnounceSession {
  const client = createHoldpointClient({ baseUrl: gatewayUrl, headers });
  return async (input) => {
    try {
      return await client.startSession({ mode: 'task', ...input, start: false });
    } catch (error) {
      if (!isHoldpointError(error)) {
        throw error;
      }
      const { code, message, retryable } = error;
      throw ApplicationFailure.create({ type: code, message, nonRetryable: !retryable });
    }
  };
}

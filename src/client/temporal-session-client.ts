import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  NamespaceNotFoundError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { SECOND_MS } from '../core/durations';
import { errorCodeOf, HoldpointError } from '../core/errors';
import { type SessionKey, workflowIdOf } from '../core/ids';
import { MAX_SIGNAL_TEXT_BYTES } from '../core/sessions';
import {
  AGENT_SESSION_WORKFLOW,
  CANCEL_TURN_SIGNAL,
  type CancelTurnPayload,
  CLOSE_SIGNAL,
  type ClosePayload,
  DECIDE_SIGNAL,
  type DecidePayload,
  MESSAGE_SIGNAL,
  type MessagePayload,
} from '../workflows/agent-session-api';
import { type SessionTarget, temporalSessionRun } from './temporal-session-run';

/** Where the Temporal server is, and how long one call may take. */
export interface TemporalSessionClientSettings {
  /** `host:port` or `host`, then port 7233. */
  readonly address: string;
  readonly namespace: string;
  /** Task queue that sessions are started on. */
  readonly taskQueue: string;
  /** Longest call, in milliseconds. Default 3,000; a call that is being repeated may take 1,000 more. */
  readonly callTimeoutMs?: number;
}

/**
 * Speaks to sessions as a plain Temporal client does. Every call resolves once Temporal has accepted the signal for
 * good, and says nothing about what the session makes of it. Repeating a call is harmless: ids decide.
 *
 * Each call throws HoldpointError `temporal_unavailable` when the server can't be asked, answers with an error, or does
 * not know the namespace (details: `address`, `namespace`).
 */
export interface TemporalSessionClient {
  /**
   * Sends a message; a session without a running workflow gets a new run.
   * Throws `invalid_request` for a text over 16 KiB.
   */
  message(target: SessionTarget, payload: MessagePayload): Promise<void>;
  /** Sends a decision. With `agent`, a session without a running workflow gets a new run, else `unknown_session`. */
  decide(target: SessionKey | SessionTarget, payload: DecidePayload): Promise<void>;
  /** Asks to cancel a turn. With `agent`, a session without a running workflow gets a new run, else `unknown_session`. */
  cancelTurn(target: SessionKey | SessionTarget, payload: CancelTurnPayload): Promise<void>;
  /** Asks to close the session. `unknown_session` without a running workflow. */
  close(key: SessionKey, payload: ClosePayload): Promise<void>;
  /**
   * Throws `session_exists` when a workflow of this id runs on the task queue of another project, which must not be
   * spoken to: two projects that share a namespace share its workflow ids.
   */
  requireOwn(key: SessionKey): Promise<void>;
  /** Resolves when the server answers and knows the namespace. */
  ping(): Promise<void>;
  /** Lets go of the connection. Calls under way fail. */
  disconnect(): Promise<void>;
}

const DEFAULT_CALL_TIMEOUT_MS = 3 * SECOND_MS;
/** The SDK sets another name than the one its gRPC library reads, so that without this 4 MiB is the most. */
const MAX_RECEIVED_BYTES = 128 * 1024 * 1024;

/** About two seconds of repeats: enough for a server that restarts, and over before the deadline when it is gone. */
const RETRY = { maxAttempts: 6, factor: 1.5, maxJitter: 0.1, initialIntervalMs: () => 100 };

/** Makes a client that connects on its first call, so that a process starts while Temporal is down. */
export function createTemporalSessionClient(settings: TemporalSessionClientSettings): TemporalSessionClient {
  const callTimeoutMs = settings.callTimeoutMs ?? DEFAULT_CALL_TIMEOUT_MS;
  const connection = Connection.lazy({
    address: settings.address,
    interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions(RETRY))],
    channelArgs: {
      'grpc.max_receive_message_length': MAX_RECEIVED_BYTES,
      // By default the pauses between connection attempts grow to two minutes, long after the server is back.
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': SECOND_MS,
    },
  });
  const client = new Client({ connection, namespace: settings.namespace });

  const call = async (key: SessionKey | undefined, work: () => Promise<unknown>): Promise<void> => {
    try {
      await connection.withDeadline(Date.now() + callTimeoutMs, work);
    } catch (error) {
      throw toHoldpointError(error, settings, key);
    }
  };
  const signal = (key: SessionKey, name: string, payload: object) =>
    call(key, () => client.workflow.getHandle(workflowIdOf(key)).signal(name, payload));
  const signalWithStart = (target: SessionTarget, name: string, payload: object) =>
    call(target, () =>
      client.workflow.signalWithStart(AGENT_SESSION_WORKFLOW, {
        ...temporalSessionRun(target, settings.taskQueue),
        signal: name,
        signalArgs: [payload],
      }),
    );
  const signalAny = (target: SessionKey | SessionTarget, name: string, payload: object) =>
    'agent' in target ? signalWithStart(target, name, payload) : signal(target, name, payload);

  const requireOwn = async (key: SessionKey) => {
    let foreignQueue: string | undefined;
    await call(key, async () => {
      const { status, taskQueue } = await client.workflow.getHandle(workflowIdOf(key)).describe();
      foreignQueue = status.name === 'RUNNING' && taskQueue !== settings.taskQueue ? taskQueue : undefined;
    }).catch((error: unknown) => {
      // No workflow of that id: nothing to mix up.
      if (errorCodeOf(error) !== 'unknown_session') {
        throw error;
      }
    });
    if (foreignQueue !== undefined) {
      throw new HoldpointError(
        'session_exists',
        `Session ${key.sessionId} belongs to another project on this Temporal namespace (task queue ${foreignQueue}).`,
      );
    }
  };

  return {
    requireOwn,
    message: async (target, payload) => {
      checkTextSize(payload);
      await signalWithStart(target, MESSAGE_SIGNAL, payload);
    },
    decide: (target, payload) => signalAny(target, DECIDE_SIGNAL, payload),
    cancelTurn: (target, payload) => signalAny(target, CANCEL_TURN_SIGNAL, payload),
    close: (key, payload) => signal(key, CLOSE_SIGNAL, payload),
    ping: () => call(undefined, () => connection.workflowService.describeNamespace({ namespace: settings.namespace })),
    disconnect: () => connection.close(),
  };
}

function checkTextSize(payload: MessagePayload): void {
  const sizeBytes = new TextEncoder().encode(payload.content ?? '').length;
  if (sizeBytes > MAX_SIGNAL_TEXT_BYTES) {
    throw new HoldpointError(
      'invalid_request',
      `the text of message ${payload.messageId} has ${sizeBytes} bytes, a signal takes ${MAX_SIGNAL_TEXT_BYTES}`,
    );
  }
}

/** The one place where errors of the Temporal client become ours. */
function toHoldpointError(
  error: unknown,
  { address, namespace }: TemporalSessionClientSettings,
  key: SessionKey | undefined,
): HoldpointError {
  const details = { address, namespace };
  if (error instanceof NamespaceNotFoundError) {
    const message = `Temporal at ${address} has no namespace ${namespace}`;
    return new HoldpointError('temporal_unavailable', message, details, { cause: error });
  }
  if (error instanceof WorkflowNotFoundError && key !== undefined) {
    const message = `session ${key.sessionId} has no running workflow`;
    return new HoldpointError('unknown_session', message, {}, { cause: error });
  }
  const message = `Temporal at ${address} could not be asked: ${reasonOf(error)}`;
  return new HoldpointError('temporal_unavailable', message, details, { cause: error });
}

/** What gRPC says went wrong; the client wraps it. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isGrpcServiceError(cause)) {
    return cause.details || cause.message;
  }
  return cause instanceof Error ? cause.message : String(cause);
}

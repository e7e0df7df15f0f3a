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
import type { Poller, RunPicture } from '../core/run-picture';
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
import { temporalPollers, temporalRunPicture } from './temporal-run-picture';
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
  /** Asks to close the session. With `agent`, a session without a running workflow gets a new run, else `unknown_session`. */
  close(target: SessionKey | SessionTarget, payload: ClosePayload): Promise<void>;
  /** Starts a run for a session, unless one runs. */
  start(target: SessionTarget): Promise<void>;
  /** Ends the running workflow at once, whatever it is doing; what it does goes on without it. False when none runs. */
  terminate(key: SessionKey, reason: string): Promise<boolean>;
  /** The newest run of a session; undefined when Temporal knows none. */
  describe(key: SessionKey): Promise<RunPicture | undefined>;
  /** Who has asked for tasks of the task queue in the last minutes. */
  pollers(): Promise<readonly Poller[]>;
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

  const call = async <Answer>(key: SessionKey | undefined, work: () => Promise<Answer>): Promise<Answer> => {
    try {
      return await connection.withDeadline(Date.now() + callTimeoutMs, work);
    } catch (error) {
      throw toHoldpointError(error, settings, key);
    }
  };
  const signal = (key: SessionKey, name: string, payload: object) =>
    call(key, () => client.workflow.getHandle(workflowIdOf(key)).signal(name, payload));
  const signalWithStart = async (target: SessionTarget, name: string, payload: object): Promise<void> => {
    const run = temporalSessionRun(target, settings.taskQueue);
    await call(target, () =>
      client.workflow.signalWithStart(AGENT_SESSION_WORKFLOW, { ...run, signal: name, signalArgs: [payload] }),
    );
  };
  const signalAny = (target: SessionKey | SessionTarget, name: string, payload: object) =>
    'agent' in target ? signalWithStart(target, name, payload) : signal(target, name, payload);

  const requireOwn = async (key: SessionKey) => {
    // No workflow of that id: nothing to mix up.
    const run = await unlessUnknown(call(key, () => client.workflow.getHandle(workflowIdOf(key)).describe()));
    if (run?.status.name === 'RUNNING' && run.taskQueue !== settings.taskQueue) {
      throw new HoldpointError(
        'session_exists',
        `Session ${key.sessionId} belongs to another project on this Temporal namespace (task queue ${run.taskQueue}).`,
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
    close: (target, payload) => signalAny(target, CLOSE_SIGNAL, payload),
    start: async (target) => {
      const run = temporalSessionRun(target, settings.taskQueue);
      await call(target, () => client.workflow.start(AGENT_SESSION_WORKFLOW, run));
    },
    terminate: async (key, reason) => {
      const ended = call(key, () => client.workflow.getHandle(workflowIdOf(key)).terminate(reason));
      return (await unlessUnknown(ended)) !== undefined;
    },
    describe: (key) => unlessUnknown(call(key, () => temporalRunPicture(client, workflowIdOf(key)))),
    pollers: () => call(undefined, () => temporalPollers(client, settings.taskQueue)),
    ping: async () => {
      const { namespace } = settings;
      await call(undefined, () => connection.workflowService.describeNamespace({ namespace }));
    },
    disconnect: () => connection.close(),
  };
}

/** What a call found; undefined when there is no workflow. */
async function unlessUnknown<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (errorCodeOf(error) === 'unknown_session') {
      return undefined;
    }
    throw error;
  }
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

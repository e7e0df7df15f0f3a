import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SECOND_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import { failureReason } from './failure-reason';

const RETRY_INTERVAL_MS = 25;
const CALL_TIMEOUT_MS = 2 * SECOND_MS;
const DEFAULT_PORT = 7233;

export interface WaitOptions {
  /** `host:port` or `host` (port 7233), without TLS. */
  readonly address: string;
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Waits until a Temporal server answers for a namespace. Throws `temporal_unavailable` with the last reason when it
 * does not within the time, and the signal's reason when that fires first.
 */
export async function waitForTemporal(options: WaitOptions): Promise<void> {
  const giveUpAt = performance.now() + options.timeoutMs;
  for (;;) {
    try {
      // A plain TCP connection first: gRPC's own waits between two tries are a second and more.
      await openAndClose(options.address);
      await askForNamespace(options);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (performance.now() >= giveUpAt) {
        throw noAnswer(options, error);
      }
    }
    await sleep(RETRY_INTERVAL_MS, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

function noAnswer({ address, namespace }: WaitOptions, error: unknown): HoldpointError {
  const message = `Temporal at ${address} gives no answer for namespace ${namespace}: ${failureReason(error)}`;
  // No cause: the message has it, and whoever prints this one takes a cause for the better message.
  return new HoldpointError('temporal_unavailable', message, { address, namespace });
}

async function openAndClose(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({
      host: hostname.replaceAll(/[[\]]/g, ''),
      port: Number(port || DEFAULT_PORT),
      timeout: CALL_TIMEOUT_MS,
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${CALL_TIMEOUT_MS} ms`)));
    socket.once('error', reject);
  });
}

async function askForNamespace({ address, namespace }: WaitOptions): Promise<void> {
  // Without the client's own retries: one that is waiting when the connection closes brings the whole process down.
  const connection = await Connection.connect({ address, connectTimeout: CALL_TIMEOUT_MS, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } finally {
    await connection.close();
  }
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HoldpointError } from '../../core/errors';
import type { ApprovalStreamEvents, SessionStreamEvents } from '../../core/http-answers';
import { streamPosition } from '../../core/schemas/stream-position';
import { approvalDetail } from '../approval-view';
import { ApprovalWatcher } from '../approval-watcher';
import type { EventStream } from '../event-stream';
import type { GatewayContext } from '../gateway-context';
import { OpenStreams } from '../open-streams';
import { parseRequest } from '../parse-request';
import { requireSession, type SessionRequest, sessionOfRequest } from '../session-of-request';
import { streamSession } from '../stream-session';
import { timeNow } from '../time-now';

/**
 * Streams of server-sent events. `GET /v1/sessions/:id/stream` goes on behind `Last-Event-ID` or `after`;
 * `GET /v1/approvals/stream` tells what changes from now on. What is wrong with a request is answered before a stream
 * begins; `HEAD` is answered like `GET`, without the stream.
 */
export function addStreamRoutes(server: FastifyInstance, context: GatewayContext): void {
  const streams = new OpenStreams(context);
  const watcher = new ApprovalWatcher(context);
  const method = ['GET', 'HEAD'];
  server.route({
    method,
    url: '/v1/sessions/:sessionId/stream',
    handler: (request: SessionRequest, reply) => openSessionStream(context, streams, request, reply),
  });
  server.route({
    method,
    url: '/v1/approvals/stream',
    handler: (request, reply) => openApprovalStream(context, streams, watcher, request, reply),
  });
}

async function openSessionStream(
  context: GatewayContext,
  streams: OpenStreams,
  request: SessionRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = sessionOfRequest(context, request);
  const after = positionOf(request);
  const { lastSeq } = await requireSession(context, key);
  if (after > lastSeq) {
    throw new HoldpointError(
      'position_ahead',
      `The log ends at ${lastSeq}; it has nothing behind ${after} to wait for.`,
    );
  }
  const serverTime = await timeNow(context);
  return answer(request, reply, () => {
    const stream = streams.open<SessionStreamEvents>();
    stream.say('hello', { serverTime, lastSeq });
    void streamSession(context, key, after, stream);
    return stream;
  });
}

async function openApprovalStream(
  context: GatewayContext,
  streams: OpenStreams,
  watcher: ApprovalWatcher,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const serverTime = await timeNow(context);
  return answer(request, reply, async () => {
    const stream = streams.open<ApprovalStreamEvents>();
    // Said first and sent last: once the reader has it, nothing that changes is missed.
    stream.say('hello', { serverTime });
    try {
      const leave = await watcher.join((record) => {
        // There is no way to catch up but to come back and read the list again.
        if (stream.isBehind) {
          stream.end();
        }
        stream.say('approval', approvalDetail(record));
      });
      stream.onOver(leave);
    } catch (error) {
      stream.end();
      throw error;
    }
    return stream;
  });
}

async function answer<Events>(
  request: FastifyRequest,
  reply: FastifyReply,
  open: () => EventStream<Events> | Promise<EventStream<Events>>,
): Promise<FastifyReply> {
  const body = request.method === 'HEAD' ? undefined : (await open()).body;
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      // The connection has no use after the stream, and a gateway that closes need not wait for it.
      connection: 'close',
      'x-accel-buffering': 'no',
    })
    .send(body);
}

function positionOf({ query, headers }: FastifyRequest): number {
  const lastEventId = headers['last-event-id'];
  return parseRequest(streamPosition, {
    query,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorCodeOf, HoldpointError, isHoldpointError } from '../../core/errors';
import type { CancelAccepted, EntryPage, MessageAccepted, SessionCreated } from '../../core/http-answers';
import type { SessionId, SessionKey } from '../../core/ids';
import { DEFAULT_LIMITS, type Limits, wideningLimits } from '../../core/limits';
import type { NewMessage, Stored } from '../../core/ports/gateway-store';
import { cancelTurnRequest } from '../../core/schemas/cancel-turn-request';
import { createSessionRequest } from '../../core/schemas/create-session-request';
import { listEntriesQuery } from '../../core/schemas/list-entries-query';
import { sendMessageRequest } from '../../core/schemas/send-message-request';
import type { SessionView } from '../../core/sessions';
import { messageIdOf, sessionIdOf } from '../../digests/derived-ids';
import { checkMessageSize, MESSAGE_BODY_BYTES } from '../check-message-size';
import { deliver } from '../deliver';
import { entryView } from '../entry-view';
import type { GatewayContext } from '../gateway-context';
import { parseRequest } from '../parse-request';
import { unknownSession } from '../problem-details';
import { randomId } from '../random-id';
import { readIdempotencyKey } from '../read-idempotency-key';
import { requireSession, type SessionRequest, sessionOfRequest } from '../session-of-request';

const SESSIONS = '/v1/sessions';

/** Routes under `/v1/sessions`. */
export function addSessionRoutes(server: FastifyInstance, context: GatewayContext): void {
  const takesMessage = { bodyLimit: MESSAGE_BODY_BYTES };
  server.post(SESSIONS, takesMessage, (request, reply) => createSession(context, request, reply));
  server.get(`${SESSIONS}/:sessionId`, (request: SessionRequest) =>
    requireSession(context, sessionOfRequest(context, request)),
  );
  server.post(`${SESSIONS}/:sessionId/messages`, takesMessage, (request: SessionRequest, reply) =>
    sendMessage(context, request, reply),
  );
  server.post(`${SESSIONS}/:sessionId/cancel`, (request: SessionRequest, reply) => cancelTurn(context, request, reply));
  server.get(`${SESSIONS}/:sessionId/entries`, (request: SessionRequest) => listEntries(context, request));
}

async function createSession(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { store, tenant } = context;
  const idempotencyKey = readIdempotencyKey(request);
  const body = parseRequest(createSessionRequest, request.body);
  checkMessageSize(body.message.content);
  const derivedId =
    idempotencyKey === undefined ? undefined : sessionIdOf({ tenant, route: `POST ${SESSIONS}`, idempotencyKey });
  const sessionId = (body.sessionId ?? derivedId ?? randomId('s')) as SessionId;
  const key = { tenant, sessionId };
  // An agent may be gone by the time its session is asked for again.
  if ((await store.readSession(key)) === undefined) {
    await requireAgent(context, body.agent, body.limits);
    await requireFreeId(context, key);
  }
  // A session has one first message, so the session's id names it: the same request again makes the same one.
  const messageId = messageIdOf({ tenant, route: `POST ${SESSIONS}`, idempotencyKey: sessionId });
  const message = await newMessage(context, key, messageId, { content: body.message.content, mode: 'followup' });
  const { message: _text, sessionId: _wanted, start, ...asked } = body;
  const stored = await store.createSession({ ...message, ...asked, isAnnounced: !start });
  if (stored.status === 'conflict') {
    throw conflict(
      body.sessionId === undefined && stored.code === 'session_exists' ? 'idempotency_conflict' : stored.code,
    );
  }
  if (start) {
    await deliverMessage(context, message, body.agent, stored);
  }
  const answer: SessionCreated = { sessionId };
  return reply
    .code(stored.status === 'created' ? 201 : 200)
    .header('location', `${SESSIONS}/${sessionId}`)
    .send(answer);
}

async function sendMessage(
  context: GatewayContext,
  request: SessionRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { store, tenant } = context;
  const key = sessionOfRequest(context, request);
  const idempotencyKey = readIdempotencyKey(request);
  const body = parseRequest(sendMessageRequest, request.body);
  checkMessageSize(body.content);
  const { agent } = await requireSession(context, key);
  const route = `POST ${SESSIONS}/${key.sessionId}/messages`;
  const messageId = idempotencyKey === undefined ? randomId('m') : messageIdOf({ tenant, route, idempotencyKey });
  const message = await newMessage(context, key, messageId, body);
  const stored = await store.putMessage(message);
  if (stored.status === 'conflict') {
    throw conflict(stored.code);
  }
  if (stored.status !== 'created' || stored.isAnnounced !== true) {
    await deliverMessage(context, message, agent, stored);
  }
  const answer: MessageAccepted = { messageId };
  return reply.code(202).send(answer);
}

async function cancelTurn(
  context: GatewayContext,
  request: SessionRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const key = sessionOfRequest(context, request);
  readIdempotencyKey(request);
  const body = parseRequest(cancelTurnRequest, request.body === undefined ? {} : request.body);
  const session = await requireSession(context, key);
  // Named, so that a cancel which a reset delivers again does not hit a later turn.
  const turn = body.turn ?? session.turn;
  const payload = {
    ...(turn === null ? {} : { turn }),
    ...(body.keepQueue === undefined ? {} : { keepQueue: body.keepQueue }),
    principal: context.principal,
  };
  try {
    await context.sessions.cancelTurn(key, payload);
  } catch (error) {
    if (!isHoldpointError(error) || error.code !== 'unknown_session') {
      throw error;
    }
    // No workflow runs. Where messages or a turn are waiting for one, the cancel must come before they do.
    if (!isAtRest(session)) {
      await context.sessions.cancelTurn({ ...key, agent: session.agent }, payload);
    }
  }
  const answer: CancelAccepted = { sessionId: key.sessionId, turn: session.turn };
  return reply.code(202).send(answer);
}

async function listEntries(context: GatewayContext, request: SessionRequest): Promise<EntryPage> {
  const key = sessionOfRequest(context, request);
  const { after, limit } = parseRequest(listEntriesQuery, request.query);
  const entries = await context.store.listEntries(key, after, limit);
  if (entries === undefined) {
    throw unknownSession();
  }
  return { entries: entries.map(entryView), nextAfter: entries.at(-1)?.seq ?? null };
}

async function requireAgent(
  { store, tenant }: GatewayContext,
  agent: string,
  limits: Partial<Limits> = {},
): Promise<void> {
  const agents = await store.listAgents(tenant);
  const published = agents.find(({ name }) => name === agent);
  if (published === undefined) {
    const names = agents.map(({ name }) => name);
    const known = names.length === 0 ? 'no worker has published an agent yet' : `known agents: ${names.join(', ')}`;
    throw new HoldpointError('unknown_agent', `There is no agent ${JSON.stringify(agent)}; ${known}.`);
  }
  const own = { ...DEFAULT_LIMITS, ...(published.definition['limits'] as Partial<Limits> | undefined) };
  const widening = wideningLimits(own, limits);
  if (widening.length > 0) {
    throw new HoldpointError('invalid_start', `Wider than those of agent ${agent}: limits ${widening.join(', ')}.`);
  }
}

/** An id somebody chose may be in use by another project on the same namespace; without an answer it is taken as free. */
async function requireFreeId({ sessions }: GatewayContext, key: SessionKey): Promise<void> {
  try {
    await sessions.requireOwn(key);
  } catch (error) {
    if (errorCodeOf(error) !== 'temporal_unavailable') {
      throw error;
    }
  }
}

async function newMessage(
  { clock, principal }: GatewayContext,
  key: SessionKey,
  messageId: string,
  { content, mode }: { readonly content: string; readonly mode: NewMessage['message']['mode'] },
): Promise<NewMessage> {
  return {
    ...key,
    message: { messageId, mode, content, principal, provenance: 'authenticated' },
    at: new Date(await clock.nowMs()).toISOString(),
  };
}

/** A message that was stored before needs no second signal once its session has taken it. */
async function deliverMessage(
  context: GatewayContext,
  { tenant, sessionId, message: { messageId, mode } }: NewMessage,
  agent: string,
  stored: Exclude<Stored, { status: 'conflict' }>,
): Promise<void> {
  if (stored.status === 'same' && stored.isTaken === true) {
    return;
  }
  const key = { tenant, sessionId };
  await deliver(context, key, { kind: 'message', id: messageId }, () =>
    context.sessions.message({ ...key, agent }, { messageId, ref: messageId, mode }),
  );
}

/** True when nothing is under way and no message waits that would start something. */
function isAtRest({ status }: SessionView): boolean {
  return status === 'idle' || status === 'closed';
}

function conflict(code: ErrorCode): HoldpointError {
  switch (code) {
    case 'unknown_session':
      return unknownSession();
    case 'session_exists':
      return new HoldpointError(code, 'The session exists with another agent or first message.');
    case 'session_closed':
      return new HoldpointError(code, 'The session was a task of one turn, and that turn has ended.');
    case 'session_erased':
      return new HoldpointError(code, 'The session has been erased; its id is never used again.');
    default:
      return new HoldpointError(code, 'The same Idempotency-Key or id came before with another body.');
  }
}

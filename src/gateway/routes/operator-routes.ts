import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCodeOf, HoldpointError } from '../../core/errors';
import type { CloseAccepted, RepairAccepted, SessionList } from '../../core/http-answers';
import type { SessionKey } from '../../core/ids';
import { closeSessionRequest } from '../../core/schemas/close-session-request';
import { listSessionsQuery } from '../../core/schemas/list-sessions-query';
import { repairSessionRequest } from '../../core/schemas/repair-session-request';
import type { SessionExplanation } from '../../core/session-explanation';
import { explainSession, type TemporalAnswers } from '../explain-session';
import type { GatewayContext } from '../gateway-context';
import { parseRequest } from '../parse-request';
import { unknownSession } from '../problem-details';
import { readIdempotencyKey } from '../read-idempotency-key';
import { placeOfSessionCursor, sessionCursor } from '../session-cursor';
import { requireSession, type SessionRequest, sessionOfRequest } from '../session-of-request';

const SESSIONS = '/v1/sessions';

/** What people who look after sessions ask for: which there are, what they wait for, and to end or repair one. */
export function addOperatorRoutes(server: FastifyInstance, context: GatewayContext): void {
  server.get(SESSIONS, (request) => listSessions(context, request));
  server.get(`${SESSIONS}/:sessionId/explain`, (request: SessionRequest) => explain(context, request));
  server.post(`${SESSIONS}/:sessionId/close`, (request: SessionRequest, reply) => close(context, request, reply));
  server.post(`${SESSIONS}/:sessionId/repair`, (request: SessionRequest, reply) => repair(context, request, reply));
}

async function listSessions({ store, tenant }: GatewayContext, request: FastifyRequest): Promise<SessionList> {
  const { status, agent, after, limit } = parseRequest(listSessionsQuery, request.query);
  const { sessions, next } = await store.listSessions(tenant, {
    limit,
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent }),
    ...(after === undefined ? {} : { after: placeOfSessionCursor(after) }),
  });
  return { sessions, nextAfter: next && sessionCursor(next) };
}

async function explain(context: GatewayContext, request: SessionRequest): Promise<SessionExplanation> {
  const key = sessionOfRequest(context, request);
  const facts = await context.store.readSessionFacts(key);
  if (facts === undefined) {
    throw unknownSession();
  }
  return explainSession(facts, await askTemporal(context, key), await context.clock.nowMs());
}

async function askTemporal({ sessions, logger }: GatewayContext, key: SessionKey): Promise<TemporalAnswers | null> {
  try {
    const [run, pollers] = await Promise.all([sessions.describe(key), sessions.pollers()]);
    return { run, pollers };
  } catch (error) {
    logger.debug('Temporal could not be asked about a session', { ...key, code: errorCodeOf(error), error });
    return null;
  }
}

async function close(context: GatewayContext, request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> {
  const key = sessionOfRequest(context, request);
  readIdempotencyKey(request);
  parseRequest(closeSessionRequest, request.body === undefined ? {} : request.body);
  const { status } = await requireSession(context, key);
  if (status !== 'closed') {
    await askToClose(context, key);
  }
  const answer: CloseAccepted = { sessionId: key.sessionId, status };
  return reply.code(202).send(answer);
}

async function askToClose(context: GatewayContext, key: SessionKey): Promise<void> {
  try {
    await context.sessions.close(key, {});
  } catch (error) {
    if (errorCodeOf(error) !== 'unknown_session') {
      throw error;
    }
    // No workflow runs: the session has closed just now, or a new run has to do what is left and close it.
    const { status, agent } = await requireSession(context, key);
    if (status !== 'closed') {
      await context.sessions.close({ ...key, agent }, {});
    }
  }
}

/**
 * Ends the workflow that disagrees with the log, and starts one that takes the store as it is. There are no roles yet:
 * whoever reaches this gateway may do it, which in `dev` is the machine it runs on.
 */
async function repair(context: GatewayContext, request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { sessions, logger, principal } = context;
  const key = sessionOfRequest(context, request);
  readIdempotencyKey(request);
  const { reason, force } = parseRequest(repairSessionRequest, request.body);
  const { agent, blockedCode } = await requireSession(context, key);
  if (blockedCode === undefined && !force) {
    throw new HoldpointError(
      'not_blocked',
      'The session is not blocked; only force ends the workflow of one that runs.',
    );
  }
  // Two projects that share a namespace share its workflow ids.
  await sessions.requireOwn(key);
  const wasRunning = await sessions.terminate(key, `repair ${reason}`);
  // It clears the code. Before that the session counts as blocked, so that a repair that was cut short can be repeated.
  await sessions.start({ ...key, agent });
  logger.warn('a session was repaired', {
    tenant: key.tenant,
    sessionId: key.sessionId,
    principal,
    reason,
    force,
    wasRunning,
    blockedCode: blockedCode ?? null,
  });
  const answer: RepairAccepted = { sessionId: key.sessionId, blockedCode: blockedCode ?? null };
  return reply.code(202).send(answer);
}

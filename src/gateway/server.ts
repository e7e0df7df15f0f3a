import { randomUUID } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { MINUTE_MS } from '../core/durations';
import { HoldpointError } from '../core/errors';
import { refuseForeignRequest, SAFETY_HEADERS } from './browser-safety';
import { answerClientError } from './client-error-answer';
import { fromFastifyError } from './fastify-error';
import type { GatewayContext } from './gateway-context';
import { readJsonBodies } from './json-body';
import { sendProblem, toProblem, unknownApproval, unknownSession } from './problem-details';
import { addApprovalRoutes } from './routes/approval-routes';
import { addDefinitionRoutes } from './routes/definition-routes';
import { addHealthRoutes } from './routes/health-routes';
import { addOperatorRoutes } from './routes/operator-routes';
import { addPageRoutes } from './routes/page-route';
import { addSessionRoutes } from './routes/session-routes';
import { addStreamRoutes } from './routes/stream-routes';

/** Body limit of routes that take no message. */
const BODY_BYTES = 65_536;
/** Longer than the largest request line Node takes, so that an id is unknown, never "too long". */
const MAX_PARAMETER_CHARACTERS = 32_768;
const REQUEST_TIMEOUT_MS = MINUTE_MS;

/** The HTTP server, not yet listening. */
export function createGatewayServer(context: GatewayContext): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A request without Host gets the same answer as one with a wrong one.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    // While closing, requests on open connections are still served; see the onSend hook.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => {
      sendProblem(reply.headers(SAFETY_HEADERS), undecodablePath(request.url));
    },
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(SAFETY_HEADERS);
    refuseForeignRequest(request, context.allowedHosts);
  });
  server.addHook('onSend', async (_request, reply) => {
    if (context.closing.aborted) {
      reply.header('connection', 'close');
    }
  });
  server.addHook('onResponse', async (request, reply) => logRequest(context, request, reply));
  readJsonBodies(server);
  server.setErrorHandler((error, request, reply) => {
    const fault = fromFastifyError(error);
    logFault(context, request, fault);
    return sendProblem(reply, fault);
  });
  server.setNotFoundHandler((request, reply) => {
    const [path] = request.url.split('?');
    return sendProblem(reply, new HoldpointError('route_not_found', `There is no ${request.method} ${path}.`));
  });
  addSessionRoutes(server, context);
  addApprovalRoutes(server, context);
  addStreamRoutes(server, context);
  addOperatorRoutes(server, context);
  addDefinitionRoutes(server, context);
  addHealthRoutes(server, context);
  addPageRoutes(server, context.page);
  return server;
}

/** A path with broken percent-encoding names nothing. */
function undecodablePath(url: string): HoldpointError {
  if (url.startsWith('/v1/sessions/')) {
    return unknownSession();
  }
  return url.startsWith('/v1/approvals/') ? unknownApproval() : new HoldpointError('route_not_found', 'No such route.');
}

function logRequest({ logger }: GatewayContext, request: FastifyRequest, reply: FastifyReply): void {
  logger.debug('request', {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
  });
}

/** Only what is no fault of the client. The whole error goes to the log, since its text never reaches the client. */
function logFault({ logger }: GatewayContext, request: FastifyRequest, fault: unknown): void {
  const { status, code } = toProblem(fault);
  if (status >= 500) {
    logger.error('request failed', {
      requestId: request.id,
      route: request.routeOptions.url ?? null,
      code,
      error: fault,
    });
  }
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorCodeOf } from '../../core/errors';
import type { HealthAnswer } from '../../core/http-answers';
import type { GatewayContext } from '../gateway-context';

/** `GET /healthz`: 200 when store and Temporal answer, else 503 with which of them does not. */
export function addHealthRoute(server: FastifyInstance, context: GatewayContext): void {
  server.get('/healthz', (_request, reply) => checkHealth(context, reply));
}

async function checkHealth({ store, sessions, logger }: GatewayContext, reply: FastifyReply): Promise<FastifyReply> {
  const reach = async (system: string, ping: () => Promise<void>) => {
    try {
      await ping();
      return 'ok';
    } catch (error) {
      logger.debug('health check failed', { system, code: errorCodeOf(error), error });
      return 'unavailable';
    }
  };
  const [storeState, temporalState] = await Promise.all([
    reach('store', () => store.ping()),
    reach('temporal', () => sessions.ping()),
  ]);
  const isOk = storeState === 'ok' && temporalState === 'ok';
  const answer: HealthAnswer = {
    status: isOk ? 'ok' : 'unavailable',
    store: storeState,
    temporal: temporalState,
  };
  return reply.code(isOk ? 200 : 503).send(answer);
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorCodeOf } from '../../core/errors';
import type { HealthAnswer, ReadinessAnswer } from '../../core/http-answers';
import type { GatewayContext } from '../gateway-context';
import { pollingWorkers } from '../polling-workers';

type State = ReadinessAnswer['store'];

/**
 * `GET /healthz`: 200 as long as the gateway answers at all. It asks nobody: a gateway that is restarted because its
 * store is down would lose the connections of its readers and gain nothing.
 * `GET /readyz`: 200 when store and Temporal answer and a worker polls the task queue, else 503 with what is missing.
 */
export function addHealthRoutes(server: FastifyInstance, context: GatewayContext): void {
  server.get('/healthz', (): HealthAnswer => ({ status: 'ok' }));
  server.get('/readyz', (_request, reply) => checkReadiness(context, reply));
}

async function checkReadiness(
  { store, sessions, clock, logger }: GatewayContext,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const check = async (system: string, isThere: () => Promise<boolean>): Promise<State> => {
    try {
      return (await isThere()) ? 'ok' : 'unavailable';
    } catch (error) {
      logger.debug('readiness check failed', { system, code: errorCodeOf(error), error });
      return 'unavailable';
    }
  };
  const answers = async (ping: Promise<void>) => {
    await ping;
    return true;
  };
  const [storeState, temporalState, workerState] = await Promise.all([
    check('store', () => answers(store.ping())),
    check('temporal', () => answers(sessions.ping())),
    check('worker', async () => pollingWorkers(await sessions.pollers(), await clock.nowMs()).length > 0),
  ]);
  const isReady = [storeState, temporalState, workerState].every((state) => state === 'ok');
  const answer: ReadinessAnswer = {
    status: isReady ? 'ok' : 'unavailable',
    store: storeState,
    temporal: temporalState,
    worker: workerState,
  };
  return reply.code(isReady ? 200 : 503).send(answer);
}

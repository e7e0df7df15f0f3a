import type { FastifyRequest } from 'fastify';
import { isId, type SessionId, type SessionKey } from '../core/ids';
import type { SessionView } from '../core/sessions';
import type { GatewayContext } from './gateway-context';
import { unknownSession } from './problem-details';

/** A request for one session. */
export type SessionRequest = FastifyRequest<{ Params: { sessionId: string } }>;

/** The session that a request's path names. Throws `unknown_session` for what is no id. */
export function sessionOfRequest({ tenant }: GatewayContext, { params: { sessionId } }: SessionRequest): SessionKey {
  if (!isId(sessionId)) {
    throw unknownSession();
  }
  return { tenant, sessionId: sessionId as SessionId };
}

/** The session as the store has it. Throws `unknown_session`. */
export async function requireSession({ store }: GatewayContext, key: SessionKey): Promise<SessionView> {
  const session = await store.readSession(key);
  if (session === undefined) {
    throw unknownSession();
  }
  return session;
}

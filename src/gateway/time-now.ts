import type { GatewayContext } from './gateway-context';

/** The gateway's time as ISO 8601 in UTC. */
export async function timeNow({ clock }: Pick<GatewayContext, 'clock'>): Promise<string> {
  return new Date(await clock.nowMs()).toISOString();
}

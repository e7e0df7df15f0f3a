import type { FastifyInstance } from 'fastify';
import type { AgentList, ToolList } from '../../core/http-answers';
import type { GatewayContext } from '../gateway-context';
import { agentViews, toolViews } from '../published-definitions';

/** `GET /v1/agents` and `GET /v1/tools`: what workers have published, the newest version of each agent. */
export function addDefinitionRoutes(server: FastifyInstance, { store, tenant }: GatewayContext): void {
  server.get('/v1/agents', async (): Promise<AgentList> => ({ agents: agentViews(await store.listAgents(tenant)) }));
  server.get('/v1/tools', async (): Promise<ToolList> => ({ tools: toolViews(await store.listAgents(tenant)) }));
}

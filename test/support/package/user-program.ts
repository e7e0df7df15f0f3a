/** What a user's project writes, the same in CommonJS and in ES modules: everything the package exports, once. */
export const USER_PROGRAM = `
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createWorker,
  type CreateWorkerOptions,
  defineAgent,
  defineConfig,
  defineTool,
  HoldpointError,
  isHoldpointError,
  type ProjectConfig,
  ToolRefused,
} from 'holdpoint';
import { createHoldpointClient, type HoldpointClient, isHoldpointError as isClientError } from 'holdpoint/client';
import { AGENT_SESSION_WORKFLOW, agentSessionInput, createAnnounceSession } from 'holdpoint/temporal';
import { reply, runAgent } from 'holdpoint/testing';
import { agentSession } from 'holdpoint/workflows';
import { z } from 'zod';

const refunds: string[] = [];

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order.',
  parameters: z.object({ orderId: z.string().describe('Like A-17.') }),
  execute: async ({ orderId }, { idempotencyKey }) => {
    if (idempotencyKey === '') {
      throw new ToolRefused('no key');
    }
    refunds.push(orderId);
    return 'refunded';
  },
});
const agent = defineAgent({ name: 'desk', system: 'You refund.', tools: [refundOrder] });
const config: ProjectConfig = defineConfig({ agents: [agent] });

async function clientCode(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'unknown_session', title: 'none', status: 404 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client: HoldpointClient = createHoldpointClient({ baseUrl: \`http://127.0.0.1:\${port}\` });
  try {
    await client.readSession('s-1');
    return 'found';
  } catch (error) {
    return isClientError(error) && error instanceof HoldpointError ? error.code : String(error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function workerFaults(): Promise<string[]> {
  const options: CreateWorkerOptions = { config, environment: {} };
  try {
    await createWorker(options);
    return [];
  } catch (error) {
    return isHoldpointError(error) ? error.message.split('\\n').map((line) => line.split(':')[0] ?? '') : [String(error)];
  }
}

async function main(): Promise<void> {
  const run = await runAgent({
    agent,
    message: 'Refund A-17.',
    script: [reply({ calls: [{ tool: 'refund_order', args: { orderId: 'A-17' } }] }), reply({ text: 'Done.' })],
    decisions: { refund_order: 'approve' },
  });
  const input = agentSessionInput({ tenant: 'default', sessionId: 's-1', agent: 'desk' });
  const announce = createAnnounceSession({ gatewayUrl: 'http://127.0.0.1:1' });
  console.log(
    JSON.stringify({
      outcome: run.outcome,
      text: run.text,
      refunds,
      client: await clientCode(),
      worker: await workerFaults(),
      workflow: [AGENT_SESSION_WORKFLOW, agentSession.name, input.mode, typeof announce],
    }),
  );
}

void main();
`;

/** What it prints. */
export const USER_PROGRAM_OUTPUT = {
  outcome: 'completed',
  text: 'Done.',
  refunds: ['A-17'],
  client: 'unknown_session',
  worker: ['HOLDPOINT_STORE', 'HOLDPOINT_UNSAFE_NO_AUTH'],
  workflow: ['agentSession', 'agentSession', 'task', 'function'],
};

/** As `tsc --init` writes it, for the module system that the project's package.json names. */
export const USER_TSCONFIG = JSON.stringify({
  compilerOptions: { target: 'es2023', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
  files: ['main.ts'],
});

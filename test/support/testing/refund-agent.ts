import { z } from 'zod';
import { type AgentDefinition, defineAgent } from '../../../src/definitions/define-agent';
import { defineTool, type ToolDefinition } from '../../../src/definitions/define-tool';

/** An agent with a read and a write, and what its write has done. */
export interface RefundAgent {
  readonly agent: AgentDefinition;
  readonly tools: readonly ToolDefinition[];
  /** Orders refunded, in order, and who had asked. */
  readonly refunds: readonly { readonly orderId: string; readonly principal: string | undefined }[];
}

const PARAMETERS = z.strictObject({ orderId: z.string() });

/** @param onRefund Runs before a refund is noted; what it throws is what the tool throws. */
export function refundAgent(onRefund: (orderId: string) => unknown = () => undefined, timeoutMs = 30_000): RefundAgent {
  const refunds: { readonly orderId: string; readonly principal: string | undefined }[] = [];
  const tools = [
    defineTool({
      name: 'find_order',
      description: 'Finds an order.',
      parameters: PARAMETERS,
      effect: 'read',
      execute: async ({ orderId }) => ({ orderId, amountCents: 500 }),
    }),
    defineTool({
      name: 'refund_order',
      description: 'Refunds an order.',
      parameters: PARAMETERS,
      effect: 'write',
      risk: 'high',
      timeoutMs,
      summarize: ({ orderId }) => `Refund ${orderId}`,
      preview: async ({ orderId }) => `refund of\n${orderId}`,
      execute: async ({ orderId }, { principal }) => {
        await onRefund(orderId);
        refunds.push({ orderId, principal });
        return `refunded ${orderId}`;
      },
    }),
  ];
  return { agent: defineAgent({ name: 'support', system: 'You refund orders.', tools }), tools, refunds };
}

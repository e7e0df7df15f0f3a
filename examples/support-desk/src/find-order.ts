import { defineTool, ToolRefused } from 'holdpoint';
import { z } from 'zod';
import type { OrderBook } from './order-book';

/** A read: it runs without asking anybody. */
export function findOrder(orders: OrderBook) {
  return defineTool({
    name: 'find_order',
    description: 'Find an order: customer, mail address, item, what was paid and what was refunded, in cents.',
    parameters: z.object({ orderId: z.string().describe('Like A-17.') }),
    effect: 'read',
    execute: async ({ orderId }) => {
      const order = orders.find(orderId);
      if (order === undefined) {
        // A message that the model may read; the text of any other error stays in the log.
        throw new ToolRefused(`There is no order ${orderId}.`);
      }
      return { ...order };
    },
  });
}

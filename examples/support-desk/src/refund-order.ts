import { defineTool, ToolRefused } from 'holdpoint';
import { z } from 'zod';
import type { Order, OrderBook, Refund } from './order-book';

/** A write with a high risk: a person sees what it would do, and it is done only as it was shown. */
export function refundOrder(orders: OrderBook) {
  const orderOf = ({ orderId, amountCents }: Refund): Order => {
    const order = orders.find(orderId);
    if (order === undefined) {
      throw new ToolRefused(`There is no order ${orderId}.`);
    }
    const leftCents = order.paidCents - order.refundedCents;
    if (amountCents > leftCents) {
      throw new ToolRefused(`Order ${orderId} has ${money(leftCents)} left to refund.`);
    }
    return order;
  };
  return defineTool({
    name: 'refund_order',
    description: 'Refund an order, in whole or in part. A person approves it first.',
    parameters: z.object({
      orderId: z.string().describe('Like A-17.'),
      amountCents: z.number().int().positive().describe('In cents, at most what is left of what was paid.'),
    }),
    effect: 'write',
    risk: 'high',
    summarize: ({ orderId, amountCents }) => `Refund ${money(amountCents)} for order ${orderId}`,
    // Refused here, nobody is asked. When it changes before the call runs, the person is asked again.
    precondition: async (refund) => `refunded ${orderOf(refund).refundedCents}`,
    preview: async (refund) => {
      const { customer, item, paidCents, refundedCents } = orderOf(refund);
      return [
        `order      ${refund.orderId}, ${item}, ${customer}`,
        `paid       ${money(paidCents)}`,
        `refunded   ${money(refundedCents)} so far`,
        `this       ${money(refund.amountCents)}`,
        `then left  ${money(paidCents - refundedCents - refund.amountCents)}`,
      ].join('\n');
    },
    // After a crash in the middle of a try: did it happen?
    verify: async (_refund, { idempotencyKey }) => (orders.hasRefund(idempotencyKey) ? 'applied' : 'not_applied'),
    execute: async (refund, { idempotencyKey }) => {
      if (!orders.refund(idempotencyKey, refund)) {
        throw new ToolRefused(`Order ${refund.orderId} has not that much left to refund.`);
      }
      return `Refunded ${money(refund.amountCents)} for order ${refund.orderId}.`;
    },
  });
}

function money(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}

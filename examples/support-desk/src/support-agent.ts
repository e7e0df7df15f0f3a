import { defineAgent } from 'holdpoint';
import { createTransport } from 'nodemailer';
import { findOrder } from './find-order';
import type { OrderBook } from './order-book';
import { refundOrder } from './refund-order';
import { sendMail } from './send-mail';

/** What the agent works with. */
export interface Desk {
  readonly orders: OrderBook;
  /** Where mails go, like `smtp://127.0.0.1:2525`. */
  readonly smtpUrl: string;
}

export function supportAgent({ orders, smtpUrl }: Desk) {
  return defineAgent({
    name: 'support',
    system: [
      'You work at the support desk of a shop. Look an order up before you say anything about it.',
      'Refunds and mails are approved by a person. When one is refused, say so and do not ask again.',
    ].join('\n'),
    tools: [findOrder(orders), refundOrder(orders), sendMail(createTransport(smtpUrl), orders)],
    limits: { roundsPerTurn: 10 },
  });
}

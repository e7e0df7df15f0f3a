import { defineTool } from 'holdpoint';
import type { Transporter } from 'nodemailer';
import { z } from 'zod';
import type { OrderBook } from './order-book';

/** Which keys have been mailed already. */
type SentMails = Pick<OrderBook, 'hasMail' | 'noteMail'>;

/**
 * A write that may be repeated: a key that was mailed is not mailed again. Between the mail server's answer and the note a
 * crash can still double a mail; then both have the same Message-ID, and mail programs show one.
 */
export function sendMail(transport: Transporter, sent: SentMails) {
  return defineTool({
    name: 'send_mail',
    description: 'Send a mail to a customer. A person approves it first.',
    parameters: z.object({
      to: z.email().describe('Mail address of the customer.'),
      subject: z.string().max(200).describe('One line.'),
      text: z.string().max(5_000).describe('Plain text.'),
    }),
    effect: 'write',
    idempotent: true,
    summarize: ({ to, subject }) => `Mail to ${to}: ${subject}`,
    preview: async ({ to, subject, text }) => `To: ${to}\nSubject: ${subject}\n\n${text}`,
    execute: async ({ to, subject, text }, { idempotencyKey }) => {
      if (!sent.hasMail(idempotencyKey)) {
        const from = 'desk@example.com';
        await transport.sendMail({ from, to, subject, text, messageId: `<${idempotencyKey}@desk.example.com>` });
        sent.noteMail(idempotencyKey);
      }
      return `The mail to ${to} is sent.`;
    },
  });
}

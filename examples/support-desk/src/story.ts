/**
 * Plays a story on a running `holdpoint dev`: an order is looked up, refunded and a mail is sent, and you decide at the
 * gateway's page. With `--approve` the story approves by itself. The mock model does what it is told, so no key is needed.
 */
import { createHoldpointClient } from 'holdpoint/client';
import { startMailSink } from './mail-sink';

const { HOLDPOINT_URL = 'http://127.0.0.1:8400', SMTP_PORT = '2525' } = process.env;
const approvesItself = process.argv.includes('--approve');

const client = createHoldpointClient({ baseUrl: HOLDPOINT_URL });

/** What people would ask; each asks the mock model for one call. */
const STORY = [
  { title: 'Look an order up', tool: 'find_order', args: { orderId: 'A-17' } },
  { title: 'Refund a part of it', tool: 'refund_order', args: { orderId: 'A-17', amountCents: 1_990 } },
  {
    title: 'Tell the customer',
    tool: 'send_mail',
    args: { to: 'ada@example.com', subject: 'Your refund', text: 'Dear Ada,\nwe have refunded 19.90 EUR.' },
  },
];

async function play(): Promise<void> {
  const sink = await startMailSink(Number(SMTP_PORT));
  for (const { title, tool, args } of STORY) {
    say(`\n== ${title}`);
    const run = await client.run({
      agent: 'support',
      message: `call ${tool} ${JSON.stringify(args)}`,
      onApproval: async ({ approvalId, argumentsDigest, summary, preview, risk }) => {
        say(`a person is asked (${risk} risk): ${summary}\n${preview ?? ''}`);
        if (approvesItself) {
          const { outcome } = await client.decide(approvalId, { decision: 'approve', argumentsDigest });
          say(`approved: ${outcome ?? 'stored'}`);
        } else {
          say(`decide at ${HOLDPOINT_URL}`);
        }
      },
    });
    say(`${run.outcome}: ${run.text}`);
  }
  say(`\n== What the mail server got\n${sink.mails.join('\n')}`);
  await sink.close();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

play().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { reply, runAgent } from 'holdpoint/testing';
import { type MailSink, startMailSink } from '../src/mail-sink';
import { OrderBook } from '../src/order-book';
import { supportAgent } from '../src/support-agent';

let orders: OrderBook;
let sink: MailSink;

beforeEach(async () => {
  orders = new OrderBook(':memory:');
  sink = await startMailSink(0);
});

afterEach(async () => {
  orders.close();
  await sink.close();
});

const refund = (amountCents: number) => ({ tool: 'refund_order', args: { orderId: 'A-17', amountCents } });
const mail = { tool: 'send_mail', args: { to: 'ada@example.com', subject: 'Your refund', text: 'It is on its way.' } };
const agent = () => supportAgent({ orders, smtpUrl: sink.url });

test('a refund is done once it is approved, and never before', async () => {
  const asked: (string | null)[] = [];
  await runAgent({
    agent: agent(),
    message: 'Refund the kettle.',
    script: [
      reply({ calls: [{ tool: 'find_order', args: { orderId: 'A-17' } }] }),
      reply({ calls: [refund(4_990)] }),
      reply({ text: 'Done.' }),
    ],
    decisions: {
      refund_order: (approval) => {
        asked.push(approval.preview ?? null);
        assert.equal(orders.find('A-17')?.refundedCents, 0);
        return 'approve';
      },
    },
  });
  assert.match(asked.join(), /then left {2}0\.00 EUR/);
  assert.equal(orders.find('A-17')?.refundedCents, 4_990);
});

test('a refund that is rejected does not happen', async () => {
  await runAgent({
    agent: agent(),
    message: 'Refund the kettle.',
    script: [reply({ calls: [refund(4_990)] }), reply({ text: 'It was refused.' })],
    decisions: { refund_order: 'reject' },
  });
  assert.equal(orders.find('A-17')?.refundedCents, 0);
});

test('more than what is left is refused, and nobody is asked', async () => {
  const run = await runAgent({
    agent: agent(),
    message: 'Refund it twice.',
    script: [reply({ calls: [refund(4_991)] }), reply({ text: 'That is too much.' })],
  });
  assert.deepEqual(
    run.calls.map(({ tool, asked, ran }) => ({ tool, asked, ran })),
    [{ tool: 'refund_order', asked: 0, ran: 0 }],
  );
  assert.equal(orders.find('A-17')?.refundedCents, 0);
});

test('a mail goes out once, however often its call runs', async () => {
  const run = () =>
    runAgent({
      agent: agent(),
      message: 'Write to Ada.',
      script: [reply({ calls: [mail] }), reply({ text: 'Written.' })],
      decisions: { send_mail: 'approve' },
    });
  await run();
  assert.equal(sink.mails.length, 1);
  assert.match(sink.mails[0] ?? '', /^Message-ID: <\S+@desk\.example\.com>\r$/m);
  // The same session, turn and arguments have the same key, as another try after a crash has.
  await run();
  assert.equal(sink.mails.length, 1);
});

test('a refund that was noted under its key is not noted again', () => {
  const part = { orderId: 'A-17', amountCents: 1_000 };
  assert.equal(orders.refund('key', part), true);
  assert.equal(orders.refund('key', part), true);
  assert.equal(orders.find('A-17')?.refundedCents, 1_000);
});

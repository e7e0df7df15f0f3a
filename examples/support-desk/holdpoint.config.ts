import { join } from 'node:path';
import { defineConfig } from 'holdpoint';
import { OrderBook } from './src/order-book';
import { supportAgent } from './src/support-agent';

const { ORDERS_FILE = join(__dirname, 'orders.db'), SMTP_URL = 'smtp://127.0.0.1:2525' } = process.env;

export default defineConfig({
  agents: [supportAgent({ orders: new OrderBook(ORDERS_FILE), smtpUrl: SMTP_URL })],
});

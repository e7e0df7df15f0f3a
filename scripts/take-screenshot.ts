/**
 * Takes the pictures of the page in `docs/images` from a real stack with real questions, in light colours, wide and
 * narrow: `npx tsx scripts/take-screenshot.ts [FOLDER]`. Needs a Chromium.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { z } from 'zod';
import { defineTool } from '../src/definitions/define-tool';
import { findChromium } from '../test/support/page/find-chromium';
import { PageStack } from '../test/support/page/page-stack';

const RELEASE_NOTES = `# Release notes

## 2.4.0

- Refunds are checked against the order.
- Mails are sent once.

## 2.3.1

- Fixes the time zone of invoices.
`;

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order, in whole or in part.',
  parameters: z.object({ orderId: z.string(), amountCents: z.number().int().positive(), note: z.string() }),
  effect: 'write',
  risk: 'high',
  idempotent: false,
  summarize: ({ orderId, amountCents }) => `Refund ${(amountCents / 100).toFixed(2)} for order ${orderId}`,
  preview: async ({ orderId, amountCents }) => `Refund ${(amountCents / 100).toFixed(2)} of 250.00, order ${orderId}`,
  execute: async () => 'refunded',
});

async function main(folder: string): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('There is no Chromium; install one, or name it in HOLDPOINT_TEST_CHROMIUM.');
  }
  for (const script of ['build-workflow-bundle.mjs', 'build-page.mjs']) {
    execFileSync(process.execPath, [join(__dirname, script)], { stdio: 'inherit' });
  }
  mkdirSync(folder, { recursive: true });
  const pages = await PageStack.start({ tools: [refundOrder] });
  const { stack } = pages;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    writeFileSync(join(stack.workspaceFolder, 'NOTES.md'), RELEASE_NOTES);
    writeFileSync(join(stack.workspaceFolder, 'old-invoices.csv'), 'A-1,12.50\nA-2,80.00\n');
    const changed = RELEASE_NOTES.replace('Mails are sent once.', 'Mails are sent once, and again after a bounce.');
    await stack.startSession(`write NOTES.md: ${changed.trimEnd()}\n`, 'release-notes');
    const [notes] = await stack.pending('release-notes');
    const refund = { orderId: 'A-17', amountCents: 12_500, note: 'Customer was charged twice.' };
    await stack.startSession(`call refund_order ${JSON.stringify(refund)}`, 'customer-17');
    await stack.pending('customer-17');
    await stack.startSession('call delete_file {"path":"old-invoices.csv"}', 'cleaning');
    await stack.pending('cleaning');
    for (const { name, width, height, approval } of [
      { name: 'approvals', width: 1440, height: 900, approval: notes },
      { name: 'approvals-narrow', width: 360, height: 740, approval: notes },
    ] as const) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light', deviceScaleFactor: 2 });
      await page.goto(approval === undefined ? pages.url : pages.urlOf(approval));
      await page.getByText('live').waitFor();
      await page.getByText('asked by').waitFor();
      await page.screenshot({ path: join(folder, `${name}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
    await pages.stop();
  }
}

void main(resolve(process.argv[2] ?? join(__dirname, '..', 'docs', 'images')));

import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { describeInChromium } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf } from '../../support/page/questions';

describeInChromium('questions of high risk, and questions about what happened', (chromium) => {
  const refunds: string[] = [];
  let pages: PageStack;

  const refundOrder = defineTool({
    name: 'refund_order',
    description: 'Refund an order.',
    parameters: z.object({ orderId: z.string(), amountCents: z.number().int(), note: z.string().optional() }),
    effect: 'write',
    risk: 'high',
    idempotent: true,
    execute: async ({ orderId }) => {
      refunds.push(orderId);
      return 'refunded';
    },
  });
  /** Says each time that nobody can tell what became of it. */
  const payBlind = defineTool({
    name: 'pay_blind',
    description: 'A write that ends without a word.',
    parameters: z.object({ to: z.string() }),
    effect: 'write',
    idempotent: false,
    timeoutMs: 500,
    execute: async (_args, { signal }) =>
      new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });

  beforeAll(async () => {
    pages = await PageStack.start({ tools: [refundOrder, payBlind] });
  });

  afterAll(() => pages.stop());

  test('an approval asks again, with the arguments, and Cancel has the focus', async () => {
    const question = await askFor(pages.stack, 'call refund_order {"orderId":"A-17","amountCents":12500}');
    const page = await chromium().open(pages.urlOf(question));
    await buttonOf(page, 'Approve').click();
    const dialog = page.getByRole('dialog', { name: 'Approve refund_order?' });
    await dialog.getByText('orderId "A-17", amountCents 12500').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(refunds).toEqual([]);

    await buttonOf(page, 'Approve').click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await buttonOf(page, 'Approve').click();
    await dialog.getByRole('button', { name: 'Approve refund_order' }).click();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    await pages.stack.untilTurnEnded(question.sessionId, 1);
    expect(refunds).toEqual(['A-17']);
  });

  test('a rejection needs a reason', async () => {
    const question = await askFor(pages.stack, 'call refund_order {"orderId":"A-18","amountCents":1}');
    const page = await chromium().open(pages.urlOf(question));
    await buttonOf(page, 'Reject').click();
    await barOf(page).getByText('A reason is needed: the risk is high.').waitFor();
    await page.getByLabel('Reason').fill('  ');
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Reason').fill('not ours');
    await buttonOf(page, 'Reject').click();
    await barOf(page)
      .getByText(/^Rejected by local at .*: not ours$/)
      .waitFor();
  });

  test('the bar says what is folded until it was opened', async () => {
    const note = 'x'.repeat(1_000);
    const question = await askFor(
      pages.stack,
      `call refund_order ${JSON.stringify({ orderId: 'A-19', amountCents: 1, note })}`,
    );
    const page = await chromium().open(pages.urlOf(question));
    await barOf(page).getByText('1 value is folded').waitFor();
    await page.getByRole('button', { name: 'Show all (1,000 characters)' }).click();
    await barOf(page).getByText('1 value is folded').waitFor({ state: 'detached' });
    await page.getByText(note).waitFor();
  });

  test.each([
    ['It was applied', 'Noted: it was applied. The agent is told so.', 'applied'],
    ['Abandon', 'Abandoned. It does not run again.', 'abandon'],
  ])('what became of a write is answered with "%s"', async (label, told, decision) => {
    const { stack } = pages;
    const call = await askFor(stack, 'call pay_blind {"to":"B-1"}');
    await stack.decide(call, 'approve');
    const json = await stack.until('/v1/approvals?status=pending', ({ approvals }) =>
      JSON.stringify(approvals).includes('"outcome"'),
    );
    const question = (json['approvals'] as { kind: string; approvalId: string }[]).find(
      ({ kind }) => kind === 'outcome',
    );
    const page = await chromium().open(pages.urlOf({ approvalId: question?.approvalId ?? '' }));
    await barOf(page).getByText('Nobody knows whether this ran. It was started and gave no result.').waitFor();
    await buttonOf(page, label).click();
    await barOf(page).getByText(told).waitFor();
    await stack.untilTurnEnded(call.sessionId, 1);
    const decided = (await stack.entries(call.sessionId)).filter(({ type }) => type === 'approval.decided').at(-1);
    expect(decided?.data).toMatchObject({ decision });
  });
});

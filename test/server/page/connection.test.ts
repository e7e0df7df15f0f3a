import { describeInChromium } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf, rowOf } from '../../support/page/questions';

describeInChromium('the page while its gateway comes and goes', (chromium) => {
  let pages: PageStack;

  beforeAll(async () => {
    pages = await PageStack.start();
  });

  afterAll(() => pages.stop());

  test('it says that it may be old, decides nothing, and knows what happened once the gateway is back', async () => {
    const decided = await askFor(pages.stack, 'write decided.txt: x');
    const open = await askFor(pages.stack, 'write open.txt: x');
    const page = await chromium().open(pages.urlOf(open));
    await buttonOf(page, 'Reject').click();
    await page.getByLabel('Reason').fill('not yet');

    await pages.stopGateway();
    await page.getByText(/^Connection lost at \d\d:\d\d:\d\d\. What you see may be old\./).waitFor();
    await barOf(page).getByText('Decisions are off until the connection is back.').waitFor();
    await page.keyboard.press('Control+Enter');
    expect(await page.getByLabel('Reason').inputValue()).toBe('not yet');
    await barOf(page).getByRole('button', { name: 'Back' }).click();
    expect(await barOf(page).getByRole('button', { name: 'Approve' }).getAttribute('aria-disabled')).toBe('true');
    expect(await rowOf(page, decided).isVisible()).toBe(true);

    await pages.stack.decide(decided, 'approve');
    const added = await askFor(pages.stack, 'write added.txt: x');
    await pages.startGateway();
    await page.locator('.connection-live').waitFor();
    await rowOf(page, added).waitFor();
    await rowOf(page, decided).getByText('approved by local').waitFor();
    expect(await page.getByText(/^Connection lost/).count()).toBe(0);
    await buttonOf(page, 'Approve').click();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
  });

  test('a cut that is over soon is no news', async () => {
    const page = await chromium().open(pages.url);
    const again = page.waitForResponse((response) => response.url().endsWith('/v1/approvals/stream'));
    await pages.stopGateway();
    await pages.startGateway();
    await again;
    const approval = await askFor(pages.stack, 'write soon.txt: x');
    await rowOf(page, approval).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
  });

  test('without a worker a decision is stored, and takes effect when one is back', async () => {
    const approval = await askFor(pages.stack, 'write later.txt: x');
    await pages.stack.stopWorker();
    const page = await chromium().open(pages.urlOf(approval));
    await buttonOf(page, 'Approve').click();
    await barOf(page)
      .getByText(/^Stored\. It takes effect when a worker is back\. Decision d_/)
      .waitFor();
    expect(await barOf(page).getByRole('button', { name: 'Reject' }).getAttribute('aria-disabled')).toBe('true');
    await pages.stack.startWorker();
    await barOf(page)
      .getByText(/^Approved by local at/)
      .waitFor();
  });

  test('a question that no longer exists is said to be unknown', async () => {
    const page = await chromium().open(pages.urlOf({ approvalId: 'ap_nowhere' }));
    await page.getByText('This question could not be loaded (unknown_approval).').waitFor();
  });
});

describeInChromium('the page when time runs out', (chromium) => {
  let pages: PageStack;

  beforeAll(async () => {
    // Long enough for the page to be open before.
    pages = await PageStack.start({ limits: { approvalExpiryMs: 15_000 } });
  });

  afterAll(() => pages.stop());

  test('a question expires on the screen at its time, before anybody says so', async () => {
    const approval = await askFor(pages.stack, 'write expires.txt: x');
    // Nobody is there who could settle it.
    await pages.stack.stopWorker();
    const page = await chromium().open(pages.urlOf(approval));
    await barOf(page).getByRole('button', { name: 'Approve' }).waitFor();
    await barOf(page)
      .getByText(/^Expired at .*\. Nothing will run\.$/)
      .waitFor();
    expect(await barOf(page).getByRole('button').count()).toBe(0);
    await rowOf(page, approval).getByText('expired').waitFor();
    await pages.stack.startWorker();
    await page.locator('.row-closed').waitFor();
  });
});

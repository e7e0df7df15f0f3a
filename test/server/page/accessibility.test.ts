import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import type { Pending } from '../../support/api-driver';
import { describeInChromium, NARROW } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf, rowOf } from '../../support/page/questions';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { width: 360, height: 740, colorScheme },
  { width: 1440, height: 900, colorScheme },
]);

describeInChromium('the page for everybody', (chromium) => {
  let pages: PageStack;
  let question: Pending;

  beforeAll(async () => {
    pages = await PageStack.start();
    question = await askFor(pages.stack, `write long.txt: ${'line\u202e of text\n'.repeat(90)}`);
  });

  afterAll(() => pages.stop());

  test.each(LOOKS)('has no fault that axe knows, $colorScheme at $width px', async (look) => {
    const decided = await askFor(pages.stack, 'write decided.txt: x');
    const context = await chromium().person(look);
    // Before the page's own policy is there, which would stop a script tag; the policy itself stays on.
    await context.addInitScript({ content: AXE });
    const page = await context.newPage();
    await page.goto(pages.url);
    await rowOf(page, question).waitFor();
    await expectNoFault(page, 'list');
    await page.goto(pages.urlOf(question));
    await buttonOf(page, 'Approve').waitFor();
    await page.getByText('Details').click();
    await expectNoFault(page, 'question');
    await page.getByRole('button', { name: 'JSON' }).click();
    await expectNoFault(page, 'json');
    await page.getByRole('button', { name: 'Keys' }).click();
    await expectNoFault(page, 'keys');
    await page.keyboard.press('Escape');
    await buttonOf(page, 'Reject').click();
    await expectNoFault(page, 'reason');
    await pages.stack.decide(decided, 'reject', { comment: 'no' });
    await page.goto(pages.urlOf(decided));
    await barOf(page).getByText('Rejected by local').waitFor();
    await expectNoFault(page, 'result');
  });

  test('the whole story goes by keyboard: find, read, reject with a reason, approve the next', async () => {
    const first = await askFor(pages.stack, 'write first.txt: one');
    const second = await askFor(pages.stack, 'write second.txt: two');
    const page = await chromium().open(pages.url);
    const reached = () => page.evaluate<string | undefined>('document.activeElement.dataset.approval');
    const moveTo = async ({ approvalId }: Pending) => {
      for (let step = 0; (await reached()) !== approvalId; step += 1) {
        expect(step).toBeLessThan(20);
        await page.keyboard.press('j');
      }
      await buttonOf(page, 'Approve').waitFor();
    };
    await moveTo(first);
    await page.keyboard.press('d');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('What it would do');
    await page.keyboard.press('r');
    await page.getByLabel('Reason').waitFor();
    // What is written is text, whatever the letters would do elsewhere.
    await page.keyboard.type('a bad jar?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await page.getByLabel('Reason').inputValue()).toBe('a bad jar?');
    await page.keyboard.press('Control+Enter');
    await barOf(page)
      .getByText(/^Rejected by local at .*: a bad jar\?$/)
      .waitFor();
    await moveTo(second);
    await page.keyboard.press('a');
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Choose a question').waitFor();
  });

  test('a key decides nothing before the question was on the screen for a moment, nor without the focus on it', async () => {
    const approval = await askFor(pages.stack, 'write hasty.txt: x');
    const page = await chromium().open(pages.url);
    let sent = 0;
    page.on('request', (request) => {
      sent += request.method() === 'POST' ? 1 : 0;
    });
    const row = `document.querySelector('[data-approval="${approval.approvalId}"]')`;
    const pressOn = (repeat: boolean) =>
      `${row}.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, repeat: ${repeat} }));`;
    await rowOf(page, approval).waitFor();
    // In one go, as when somebody typed ahead, and once more in the very moment the question is there.
    await page.evaluate(
      `new Promise((resolve) => {
         new MutationObserver((_changes, observer) => {
           if (document.querySelector('.decide .approve') !== null) {
             observer.disconnect();
             ${pressOn(false)}
             resolve();
           }
         }).observe(document.body, { childList: true, subtree: true });
         ${row}.click();
         ${row}.focus();
         ${pressOn(false)}
       })`,
    );
    // Still held when the moment is over.
    await buttonOf(page, 'Approve').waitFor();
    await page.evaluate(pressOn(true));
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('a');
    await rowOf(page, approval).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    expect(sent).toBe(0);
    await page.keyboard.press('a');
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    expect(sent).toBe(1);
  });

  test('a click decides nothing on a page that has only just come into view', async () => {
    const approval = await askFor(pages.stack, 'write slipped-under.txt: x');
    const page = await chromium().open(pages.urlOf(approval));
    await buttonOf(page, 'Approve').waitFor();
    // In one go, so that the click is in that moment however busy the machine is.
    await page.evaluate(
      `new Promise((resolve) => {
         const button = document.querySelector('.decide .approve');
         new MutationObserver((_changes, observer) => {
           observer.disconnect();
           button.click();
           resolve();
         }).observe(button, { attributes: true });
         window.dispatchEvent(new Event('focus'));
       })`,
    );
    await barOf(page).getByText('It has only just come into view. Look, then press again.').waitFor();
    expect(await rowOf(page, approval).getByText('medium').count()).toBe(1);
  });

  test('single keys can be switched off, and stay off', async () => {
    const approval = await askFor(pages.stack, 'write switched.txt: x');
    const page = await chromium().open(pages.urlOf(approval));
    await page.keyboard.press('?');
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await buttonOf(page, 'Approve').waitFor();
    await rowOf(page, approval).focus();
    await page.keyboard.press('a');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await buttonOf(page, 'Approve').count()).toBe(1);
  });

  test('on a phone list and question are two pages, and the buttons are large and apart', async () => {
    const page = await chromium().open(pages.url, NARROW);
    expect(await page.locator('.content').isVisible()).toBe(false);
    await rowOf(page, question).click();
    expect(await page.locator('.list').isVisible()).toBe(false);
    const reject = await buttonOf(page, 'Reject').boundingBox();
    const approve = await buttonOf(page, 'Approve').boundingBox();
    expect(Math.min(reject?.height ?? 0, approve?.height ?? 0)).toBeGreaterThanOrEqual(48);
    expect((approve?.x ?? 0) - (reject?.x ?? 0) - (reject?.width ?? 0)).toBeGreaterThanOrEqual(16);
    await page.getByRole('link', { name: 'Inbox' }).click();
    await rowOf(page, question).waitFor();
  });

  test('enlarged four times, everything is still there and nothing has to be moved sideways', async () => {
    const page = await chromium().open(pages.urlOf(question), { width: 320, height: 256 });
    await buttonOf(page, 'Approve').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    const bar = await barOf(page).boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(256);
    await page.getByText('Show all').last().click();
    await page.getByText('Details').click();
  });
});

async function expectNoFault(page: Page, state: string): Promise<void> {
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })`,
  );
  const faults = violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
  expect({ state, faults }).toEqual({ state, faults: [] });
}

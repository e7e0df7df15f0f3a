import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInChromium, openTab } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf, rowOf } from '../../support/page/questions';

describeInChromium('deciding on the page', (chromium) => {
  let pages: PageStack;

  beforeAll(async () => {
    pages = await PageStack.start();
  });

  afterAll(() => pages.stop());

  /** A session that waits for a decision on a write, and the question. */
  async function ask(file: string, content = 'hello') {
    const approval = await askFor(pages.stack, `write ${file}: ${content}`);
    return { approval, sessionId: approval.sessionId, path: join(pages.stack.workspaceFolder, file) };
  }

  function countDecisions(page: Page): { readonly count: () => number } {
    let count = 0;
    page.on('request', (request) => {
      count += request.method() === 'POST' ? 1 : 0;
    });
    return { count: () => count };
  }

  test('a question appears by itself, with its exact arguments and its difference', async () => {
    const page = await chromium().open(pages.url);
    const { approval } = await ask('appears.txt', 'two words');
    await rowOf(page, approval).click();
    await expect(page.locator('.member', { hasText: 'path' }).locator('dd').textContent()).resolves.toBe(
      '"appears.txt"',
    );
    await expect(page.locator('.member', { hasText: 'content' }).locator('dd').textContent()).resolves.toBe(
      '"two words"',
    );
    await expect(page.locator('ins').textContent()).resolves.toMatch(/^\+\s*two words$/);
    await page.getByText('asked by workspace').waitFor();
    expect(await page.title()).toContain('(1)');
  });

  test('an approval runs the write, and the bar says that it was approved', async () => {
    const { approval, sessionId, path } = await ask('approved.txt');
    const page = await chromium().open(pages.urlOf(approval));
    expect(existsSync(path)).toBe(false);
    await page.getByRole('button', { name: 'Approve' }).click();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    await barOf(page)
      .getByText(/^Approved by local at \d\d:\d\d \([+-]\d\d:\d\d\)\.$/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await pages.stack.untilTurnEnded(sessionId, 1);
    expect(readFileSync(path, 'utf8')).toBe('hello');
  });

  test('a rejection takes its reason to the log and to the bar, and nothing runs', async () => {
    const { approval, sessionId, path } = await ask('rejected.txt');
    const page = await chromium().open(pages.urlOf(approval));
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason (sent to the agent)').fill('wrong folder\nuse /tmp');
    await page.getByRole('button', { name: 'Reject' }).click();
    await barOf(page)
      .getByText(/^Rejected by local at .*: wrong folder/)
      .waitFor();
    await pages.stack.untilTurnEnded(sessionId, 1);
    const decided = (await pages.stack.entries(sessionId)).find(({ type }) => type === 'approval.decided');
    expect(decided?.data).toMatchObject({ decision: 'reject', comment: 'wrong folder\nuse /tmp' });
    expect(existsSync(path)).toBe(false);
  });

  test('a reason that was not sent is still there after the page was loaded again', async () => {
    const { approval } = await ask('draft.txt');
    const page = await chromium().open(pages.urlOf(approval));
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('Reason').fill('half a sen');
    await page.reload();
    await page.getByRole('button', { name: 'Reject' }).click();
    expect(await page.getByLabel('Reason').inputValue()).toBe('half a sen');
  });

  test('a question that is decided elsewhere becomes its result in place, and its buttons go', async () => {
    const { approval } = await ask('elsewhere.txt');
    const page = await chromium().open(pages.urlOf(approval));
    const before = await rowOf(page, approval).boundingBox();
    await pages.stack.decide(approval, 'reject', { comment: 'no need' });
    await barOf(page)
      .getByText(/^Rejected by local at .*: no need$/)
      .waitFor();
    // Nothing below it moves, and it still says what it was about.
    expect(await rowOf(page, approval).boundingBox()).toEqual(before);
    await expect(rowOf(page, approval).textContent()).resolves.toContain('Write elsewhere.txt');
    await barOf(page).getByText('You can no longer decide this.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await expect(rowOf(page, approval).textContent()).resolves.toContain('rejected by local');
    // What it was about stays on the screen; the row leaves some seconds later.
    expect(await page.getByText('"elsewhere.txt"').count()).toBe(1);
    await rowOf(page, approval).waitFor({ state: 'detached' });
  });

  test('of two people who decide at once one is taken, and the other reads who won', async () => {
    const { approval } = await ask('both.txt');
    const [left, right] = await Promise.all([
      chromium().open(pages.urlOf(approval)),
      chromium().open(pages.urlOf(approval)),
    ]);
    await right.getByRole('button', { name: 'Reject' }).click();
    // Held back, so that each has decided before it hears of the other.
    let decided = 0;
    let bothDecided: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      bothDecided = resolve;
    });
    for (const page of [left, right]) {
      await page.route('**/decisions', async (route) => {
        decided += 1;
        if (decided === 2) {
          bothDecided();
        }
        await both;
        await route.continue();
      });
    }
    await Promise.all([
      left.getByRole('button', { name: 'Approve' }).click(),
      right.getByRole('button', { name: 'Reject' }).click(),
    ]);
    const told = await Promise.all([left, right].map((page) => page.locator('.told').textContent()));
    const [lost] = told.filter((text) => text?.startsWith('Already'));
    expect(lost).toMatch(/^Already (approved|rejected) by local at .*Your decision was not used\.$/);
    expect(told.filter((text) => /^(Approved|Rejected)\. /.test(text ?? ''))).toHaveLength(1);
  });

  test('a double click and a held key send one decision', async () => {
    const clicked = await ask('clicked.txt');
    const page = await chromium().open(pages.urlOf(clicked.approval));
    const sent = countDecisions(page);
    await page.getByRole('button', { name: 'Approve' }).dblclick();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    expect(sent.count()).toBe(1);

    const burst = await ask('burst.txt');
    await page.goto(pages.urlOf(burst.approval));
    await buttonOf(page, 'Approve').waitFor();
    await page.evaluate("{ const button = document.querySelector('.bar .approve'); button.click(); button.click(); }");
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    expect(sent.count()).toBe(2);

    const next = await ask('next.txt');
    const held = await ask('held.txt');
    await rowOf(page, held.approval).click();
    await buttonOf(page, 'Approve').waitFor();
    await rowOf(page, held.approval).focus();
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.down('a');
    }
    await page.keyboard.up('a');
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    expect(sent.count()).toBe(3);
    expect((await pages.stack.pending(next.sessionId)).length).toBe(1);
  });

  test('a decision whose answer was lost is sent again as the same one', async () => {
    const { approval, sessionId } = await ask('lost-answer.txt');
    const page = await chromium().open(pages.urlOf(approval));
    const ids: unknown[] = [];
    await page.route('**/decisions', async (route) => {
      ids.push(route.request().postDataJSON());
      await (ids.length === 1 ? route.abort() : route.continue());
    });
    await page.getByRole('button', { name: 'Approve' }).click();
    await barOf(page).getByText('There was no answer').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
    expect(ids[1]).toEqual(ids[0]);
    await pages.stack.untilTurnEnded(sessionId, 1);
  });

  test('a question whose file has changed is replaced, and the page leads to the new one', async () => {
    const { approval, sessionId, path } = await ask('replaced.txt');
    const page = await chromium().open(pages.urlOf(approval));
    writeFileSync(path, 'somebody was here');
    await page.getByRole('button', { name: 'Approve' }).click();
    await barOf(page).getByText('This proposal was replaced').waitFor();
    await expect(barOf(page).getByText('The call may run now').count()).resolves.toBe(0);
    await page.getByRole('link', { name: 'Show the new one' }).click();
    await expect(page.locator('del').textContent()).resolves.toMatch(/^-\s*somebody was here$/);
    const [again] = await pages.stack.pending(sessionId);
    expect(page.url()).toBe(pages.urlOf({ approvalId: again?.approvalId ?? '' }));
  });

  test('tabs of one person share a connection, and all of them follow', async () => {
    const person = await chromium().person();
    const tabs: Page[] = [];
    for (let tab = 0; tab < 8; tab += 1) {
      tabs.push(await openTab(person, pages.url));
    }
    const { approval } = await ask('tabs.txt');
    await Promise.all(tabs.map((tab) => rowOf(tab, approval).waitFor()));
    // The tab that holds the connection goes, and another takes over.
    await tabs[0]?.close();
    await pages.stack.decide(approval, 'reject');
    await Promise.all(tabs.slice(1).map((tab) => tab.locator('.row-closed').first().waitFor()));
  });
});

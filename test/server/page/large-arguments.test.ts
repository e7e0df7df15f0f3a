import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { describeInChromium } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf } from '../../support/page/questions';

const store = defineTool({
  name: 'store_values',
  description: 'A write that takes anything.',
  parameters: z.looseObject({}),
  effect: 'write',
  execute: async () => 'stored',
});

describeInChromium('large arguments on the page', (chromium) => {
  let pages: PageStack;

  beforeAll(async () => {
    pages = await PageStack.start({ tools: [store] });
  });

  afterAll(() => pages.stop());

  test('a text of a megabyte opens page by page to its end, and can be approved', async () => {
    const line = `${'word '.repeat(15)}\n`;
    const text = `${line.repeat(13_000)}the very end`;
    const question = await askFor(pages.stack, `call store_values ${JSON.stringify({ text })}`);
    const page = await chromium().open(pages.urlOf(question), { width: 360, height: 640 });
    await page.getByText('text, 13,001 lines, 988,012 characters').waitFor();
    expect(await barOf(page).getByRole('button', { name: 'Approve' }).isVisible()).toBe(true);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(300);
    const more = page.locator('.more');
    let presses = 0;
    for (; (await more.count()) > 0; presses += 1) {
      await more.click();
    }
    expect(presses).toBe(16);
    expect(await page.locator('.member .line').count()).toBe(13_001);
    expect(await page.locator('.member .line').last().textContent()).toBe('the very end');
    await buttonOf(page, 'Approve').click();
    await barOf(page).getByText('Approved. The call may run now.').waitFor();
  });

  test('ten thousand values are shown two hundred at a time, nested ones when they are opened', async () => {
    const values = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, index]));
    const question = await askFor(
      pages.stack,
      `call store_values ${JSON.stringify({ ...values, nested: { a: [1.5, null] } })}`,
    );
    const page = await chromium().open(pages.urlOf(question));
    await page.getByText('key199').waitFor();
    expect(await page.locator('.member').count()).toBeLessThan(220);
    const more = page.getByRole('button', { name: 'Show 200 more of 10,001 values' });
    for (let press = 0; press < 49; press += 1) {
      await more.click();
    }
    await page.getByRole('button', { name: 'Show 1 more of 10,001 values' }).click();
    await page.getByRole('button', { name: 'Show all (1 value)' }).click();
    expect(await page.locator('.literal').last().textContent()).toBe('null');
    expect(await page.locator('.literal').nth(-2).textContent()).toBe('1.5');
  });

  test('numbers and nesting are shown exactly as JSON writes them', async () => {
    const args = {
      zero: 0,
      negative: -1.5e-7,
      large: 9007199254740991,
      yes: true,
      none: null,
      list: [],
      object: {},
      text: '',
    };
    const question = await askFor(pages.stack, `call store_values ${JSON.stringify(args)}`);
    const page = await chromium().open(pages.urlOf(question));
    await page.getByText('asked by').waitFor();
    const shown = await page.evaluate<[string, string][]>(
      `[...document.querySelectorAll('section[aria-labelledby=arguments-title] .member')]
        .map((row) => [row.querySelector('dt').textContent, row.querySelector('dd').textContent])`,
    );
    expect(Object.fromEntries(shown)).toEqual({
      zero: '0',
      negative: '-1.5e-7',
      large: '9007199254740991',
      yes: 'true',
      none: 'null',
      list: '[]',
      object: '{}',
      text: '""',
    });
  });
});

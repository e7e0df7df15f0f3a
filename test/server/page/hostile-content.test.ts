import type { Page } from 'playwright-core';
import { z } from 'zod';
import { defineTool } from '../../../src/definitions/define-tool';
import { type Chromium, describeInChromium } from '../../support/page/in-chromium';
import { PageStack } from '../../support/page/page-stack';
import { askFor, barOf, buttonOf } from '../../support/page/questions';

/** Everything the page makes elements of. What a stranger wrote can only be text in one of them. */
const CLOSED_SET = new Set(
  'a article b bdi body button code dd del details div dl dt form h1 h2 header ins label li main nav noscript p section span strong summary textarea time ul'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'aria-busy aria-current aria-describedby aria-disabled aria-label aria-labelledby aria-pressed class data-approval data-scope data-stopped data-view datetime dir disabled for hidden href id maxlength open role rows tabindex title type'.split(
    ' ',
  ),
);

const HOSTILE: Readonly<Record<string, string>> = {
  element: '<img src=x onerror="document.title=\'owned\'"><b>bold</b>',
  script: '</script><script>document.title="owned"</script>',
  frame: '<iframe srcdoc="<script>parent.document.title=1</script>"></iframe><base href=//evil.example>',
  style: '<style>.bar{display:none}</style><link rel=stylesheet href=//evil.example/x.css>',
  svg: '<svg/onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  entity: '&lt;b&gt;&#x202e;&nbsp;',
  markdown: '[Approve](javascript:alert(1)) ![x](http://evil.example/x.png)',
  address: 'https://xn--pypal-4ve.example/ http://evil.example/x.png',
  bidirectional: 'invoice\u202efdp.exe \u2066hidden\u2069',
  zeroWidth: 'pay\u200bpal\u200d\ufeff',
  tags: 'safe\u{e0072}\u{e006d}',
  control: '\u001b[2J\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007\b\b\b\u009b',
  lookalike: '\u0440\u0430\u0443\u0440\u0430l',
  stacked: `a${'\u0301'.repeat(300)}`,
  breaks: 'first\nsecond\r\nthird\u2028fourth\u0085',
  spaces: `visible${' '.repeat(500)}hidden far to the right`,
  unbroken: 'x'.repeat(5_000),
  fake: 'Approved. The call may run now.\n[Approve] [Reject]',
  prototype: '__proto__',
};

const postNote = defineTool({
  name: 'post_note',
  description: 'A write that takes any text and repeats it wherever a tool may.',
  parameters: z.looseObject({}),
  effect: 'write',
  summarize: (args) => `Post ${JSON.stringify(args).slice(0, 150)}`,
  preview: async (args) => `--- a/x\n+++ b/x\n@@ -1 +1 @@\n+${Object.values(args).join('\n+')}\n`,
  execute: async () => 'posted',
});

describeInChromium('hostile text on the page', (chromium) => {
  let pages: PageStack;

  beforeAll(async () => {
    pages = await PageStack.start({ tools: [postNote] });
  });

  afterAll(() => pages.stop());

  async function open(args: object): Promise<Page> {
    return openQuestion(chromium(), pages, `call post_note ${JSON.stringify(args)}`);
  }

  test('stays text: no element, attribute or address comes of it', async () => {
    const nested = { [HOSTILE['element'] ?? '']: [HOSTILE['script'], { constructor: null, __html: '<b>x</b>' }] };
    const page = await open({ ...HOSTILE, nested, props: { dangerouslySetInnerHTML: { __html: '<img src=x>' } } });
    await openEverything(page);
    await page.getByRole('button', { name: 'JSON' }).click();
    const elements = await page.evaluate<{ tag: string; attributes: [string, string][] }[]>(
      `[...document.body.querySelectorAll('*')].map((element) => ({
        tag: element.tagName.toLowerCase(),
        attributes: [...element.attributes].map(({ name, value }) => [name, value]),
      }))`,
    );
    expect(elements.length).toBeGreaterThan(100);
    expect(elements.filter(({ tag }) => !CLOSED_SET.has(tag))).toEqual([]);
    const attributes = elements.flatMap((element) => element.attributes);
    expect(attributes.filter(([name]) => !ATTRIBUTES.has(name))).toEqual([]);
    expect(attributes.filter(([name, value]) => name === 'href' && !value.startsWith('#'))).toEqual([]);
    expect(await page.title()).not.toBe('owned');
  });

  test('is all there, character by character, in the copy', async () => {
    const page = await open(HOSTILE);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual(HOSTILE);
  });

  test('shows what nobody can see as marks, and says how many there are', async () => {
    const page = await open({ path: 'a\u202eb\u200b', 'na\u00adme': '\u001b[31m' });
    expect(await page.locator('.member .mark').allTextContents()).toEqual([
      '[U+202E]',
      '[U+200B]',
      '[U+00AD]',
      '[U+001B]',
    ]);
    // The same ones are in the preview and the summary.
    const marks = await page.locator('article .mark').count();
    expect(marks).toBeGreaterThan(8);
    await page.getByText(`${marks} invisible characters are shown as marks.`).waitFor();
  });

  test('a file name with a line break in it is seen to have one', async () => {
    const page = await open({ path: 'safe.txt\n+++ b/other.txt' });
    await page.getByText('text, 2 lines, 24 characters').waitFor();
    expect(await page.locator('.member .line').allTextContents()).toEqual(['safe.txt', '+++ b/other.txt']);
    expect(await page.locator('.member .line').first().getAttribute('class')).toContain('has-break');
  });

  test('never makes the page wider than the window', async () => {
    const question = await askFor(pages.stack, `call post_note ${JSON.stringify(HOSTILE)}`);
    const page = await chromium().open(pages.urlOf(question), { width: 360, height: 740 });
    await openEverything(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.evaluate("document.querySelector('.content').scrollWidth")).toBe(360);
    expect(await barOf(page).getByRole('button', { name: 'Approve' }).isVisible()).toBe(true);
  });

  test('a reason and a name from a plain signal are text too, and the name is marked as claimed', async () => {
    const question = await askFor(pages.stack, 'call post_note {"a":1}');
    const page = await chromium().open(pages.urlOf(question));
    await buttonOf(page, 'Approve').waitFor();
    await pages.stack.workflow(question.sessionId).signal('decide', {
      approvalId: question.approvalId,
      decision: 'reject',
      principal: 'mallory',
      comment: '<img src=x onerror=alert(1)>\u202e',
    });
    await barOf(page).getByText('Rejected by mallory (claimed in a plain signal)').waitFor();
    await barOf(page).getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await barOf(page).locator('.mark').allTextContents()).toEqual(['[U+202E]']);
  });
});

async function openQuestion(chromium: Chromium, pages: PageStack, message: string): Promise<Page> {
  const page = await chromium.open(pages.urlOf(await askFor(pages.stack, message)));
  await buttonOf(page, 'Approve').waitFor();
  return page;
}

/** Opens every fold, until nothing is folded. */
async function openEverything(page: Page): Promise<void> {
  const more = page.locator('.more').first();
  while ((await more.count()) > 0) {
    await more.click();
  }
  await page.getByText('Details').click();
}

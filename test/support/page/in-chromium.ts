import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium';

export interface Window {
  readonly width: number;
  readonly height: number;
  readonly colorScheme?: 'light' | 'dark';
}

const WIDE: Window = { width: 1440, height: 900 };
export const NARROW: Window = { width: 360, height: 740 };

/** A real browser, and what went wrong in it. */
export class Chromium {
  /** Errors of scripts, reports of the content security policy, and requests to any other host. */
  readonly faults: string[] = [];
  private readonly browser: Browser;

  constructor(browser: Browser) {
    this.browser = browser;
  }

  /** A person: a browser profile of its own, whose tabs know of each other. */
  async person({ width, height, colorScheme = 'light' }: Window = WIDE): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.on('page', (page) => this.watch(page));
    return context;
  }

  /** A page of a new person. */
  async open(url: string, window: Window = WIDE): Promise<Page> {
    const context = await this.person(window);
    return openTab(context, url);
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  private watch(page: Page): void {
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      if (/content security policy|trusted/i.test(message.text())) {
        this.faults.push(message.text());
      }
    });
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol !== 'http:' || hostname !== '127.0.0.1') {
        this.faults.push(`request to ${request.url()}`);
      }
    });
  }
}

/** A tab that is up to date. */
export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.connection-live').waitFor();
  return page;
}

/**
 * Runs a suite in a real Chromium. Without one it is skipped by name, says so, and fails in CI, where a skipped test is
 * a failure. After each test no page may have had a fault.
 */
export function describeInChromium(name: string, suite: (chromium: () => Chromium) => void): void {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    process.stderr.write(`No Chromium found, so "${name}" is skipped (Debian: apt-get install chromium)\n`);
  }
  const describeThis = executablePath === undefined ? describe.skip : describe;
  describeThis(name, () => {
    let browser: Browser | undefined;
    let opened: Chromium | undefined;

    beforeAll(async () => {
      // Root may not use the sandbox.
      browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
      });
      opened = new Chromium(browser);
    });

    afterEach(async () => {
      await opened?.closeAll();
      expect(opened?.faults).toEqual([]);
    });

    afterAll(() => browser?.close());

    suite(() => {
      if (opened === undefined) {
        throw new Error('The browser is there only while tests run.');
      }
      return opened;
    });
  });
}

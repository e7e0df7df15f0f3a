import type { Locator, Page } from 'playwright-core';
import type { Pending } from '../api-driver';
import type { RunningStack } from '../running-stack';

/** Starts a session that asks for one decision, and returns the question. */
export async function askFor(stack: RunningStack, message: string): Promise<Pending> {
  const sessionId = await stack.startSession(message);
  const [approval] = await stack.pending(sessionId);
  if (approval === undefined) {
    throw new Error(`Nothing waits for a decision after: ${message}`);
  }
  return approval;
}

/** The line of a question in the list. */
export function rowOf(page: Page, { approvalId }: { readonly approvalId: string }): Locator {
  return page.locator(`[data-approval="${approvalId}"]`);
}

/** The last row of the page, with the buttons or the result. */
export function barOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Decision', exact: true });
}

/** A button of the bar once it may be pressed. */
export function buttonOf(page: Page, name: string): Locator {
  return barOf(page).getByRole('button', { name }).and(page.locator('[aria-disabled="false"]'));
}

import { Context } from '@temporalio/activity';

/**
 * Runs `body` and tells Temporal every `everyMs` that this attempt lives. Without it a lost attempt is noticed only when
 * its whole time is over, and a cancel never arrives. The first time is `everyMs` after the start: until then the start
 * itself counts, and most attempts are over before, at the price of one request less.
 */
export async function withHeartbeat<Result>(everyMs: number, body: () => Promise<Result>): Promise<Result> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}

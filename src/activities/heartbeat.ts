import { Context } from '@temporalio/activity';

/**
 * Runs `body` and tells Temporal every `everyMs`, from the very start, that this attempt lives. Without it a lost attempt
 * is noticed only when its whole time is over, and a cancel never arrives.
 */
export async function withHeartbeat<Result>(everyMs: number, body: () => Promise<Result>): Promise<Result> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await body();
  } finally {
    clearInterval(timer);
  }
}

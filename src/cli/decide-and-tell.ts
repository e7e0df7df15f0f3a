import type { Decide } from '../client/holdpoint-client';
import { EXIT_CODES, type ExitCode } from './exit-codes';
import type { CommandContext } from './on-gateway';
import { outcomeExitCode, outcomeText } from './text/outcome-text';

/** Sends a decision, tells what became of it, and returns the exit code that says the same. */
export async function decideAndTell(
  { client, output, isJson, signal }: CommandContext,
  approvalId: string,
  decision: Decide,
): Promise<ExitCode> {
  const answer = await client.decide(approvalId, decision, { signal });
  const exitCode = outcomeExitCode(answer);
  const text = outcomeText(decision.decision, answer, Date.now());
  if (isJson) {
    output.json(answer);
  } else if (exitCode === EXIT_CODES.done) {
    output.print(text);
  } else {
    output.note(text);
  }
  return exitCode;
}

import type { CatalogTool } from '../definitions/catalog';
import type { VerifyAnswer } from '../definitions/define-tool';
import type { ActivityDependencies } from './activity-dependencies';
import type { CallRecord } from './call-record';
import { runBounded } from './run-bounded';
import { type CallScope, toolContextOf } from './tool-context';

/**
 * Asks a tool whether a write of its own took effect, within the tool's time limit. `unknown` for a tool that can't
 * say, and for one that throws, hangs or says something else. `stop` ends the question early.
 */
export async function verifyWrite(
  { logger }: Pick<ActivityDependencies, 'logger'>,
  tool: CatalogTool | undefined,
  scope: CallScope,
  call: CallRecord,
  stop?: AbortSignal,
): Promise<VerifyAnswer> {
  const verify = tool?.definition.verify;
  if (tool === undefined || verify === undefined) {
    return 'unknown';
  }
  const approvedPrecondition = approvedPreconditionOf(call);
  const outcome = await runBounded(
    (signal) => verify(scope.args, toolContextOf(scope, { signal, logger, approvedPrecondition })),
    tool.definition.timeoutMs,
    stop,
  );
  const answer = outcome.status === 'returned' ? outcome.value : 'unknown';
  return answer === 'applied' || answer === 'not_applied' ? answer : 'unknown';
}

/** The state an approver relied on when the call was last asked about. */
export function approvedPreconditionOf({ questions }: CallRecord): string | undefined {
  return questions.findLast(({ kind }) => kind === 'call')?.precondition;
}

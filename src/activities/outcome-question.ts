import type { NewApproval } from '../core/approvals';
import type { CatalogTool } from '../definitions/catalog';
import type { ActivityDependencies } from './activity-dependencies';
import { newQuestion, type QuestionSubject, questionSubject } from './call-question';
import type { CallRecord } from './call-record';
import type { SessionLog } from './session-log';
import type { CallScope } from './tool-context';

/**
 * The question what became of a write that may or may not have happened. It shows what the approver of the call was
 * shown; there is nothing fresher to show.
 *
 * @param tool Undefined when this worker no longer has it.
 */
export async function outcomeQuestion(
  { clock }: Pick<ActivityDependencies, 'clock'>,
  log: SessionLog,
  call: CallRecord,
  tool: CatalogTool | undefined,
  scope: CallScope,
): Promise<NewApproval> {
  const { callId, limits, plan, questions } = call;
  const asked = questions.findLast(({ kind }) => kind === 'call');
  const missing: QuestionSubject = {
    tool: plan.tool,
    toolDigest: plan.toolDigest ?? '',
    risk: asked?.risk ?? 'high',
    summary: asked?.summary ?? plan.tool,
    arguments: asked?.arguments ?? {},
  };
  return newQuestion({
    kind: 'outcome',
    ask: questions.length + 1,
    key: log.key,
    callId,
    subject: tool === undefined ? missing : questionSubject(tool, scope.args),
    argumentsDigest: asked?.argumentsDigest ?? plan.argumentsDigest ?? '',
    policy: { reason: 'outcome_unknown', policyVersion: asked?.policyVersion ?? 'none' },
    preview: asked?.preview,
    precondition: asked?.precondition,
    limits,
    nowMs: await clock.nowMs(),
  });
}

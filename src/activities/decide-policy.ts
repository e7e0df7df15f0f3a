import type { Policy, PolicyCall, PolicyVerdict } from '../definitions/policy';
import { runBounded } from './run-bounded';

/** A verdict with what the log and the approver are told about it. */
export interface PolicyDecision {
  readonly verdict: PolicyVerdict;
  readonly reason: string;
  readonly policyVersion: string;
}

/** Version of the rules below, for projects without rules of their own. */
const DEFAULT_POLICY_VERSION = 'default-1';
const VERDICTS: readonly unknown[] = ['run', 'review', 'deny'] satisfies readonly PolicyVerdict[];
const MAX_REASON_CHARACTERS = 200;

/**
 * Judges a call. The order never changes: what was rejected in this turn is denied; then the project's rules; without
 * them reads run and writes are reviewed. It fails closed: rules that throw, hang or say nothing mean review.
 *
 * @param options `wasRejected`: a human rejected the same call in this turn. `limitMs`: longest run of the rules.
 */
export async function decidePolicy(
  policy: Policy | undefined,
  call: PolicyCall,
  options: { readonly wasRejected: boolean; readonly limitMs: number },
): Promise<PolicyDecision> {
  const policyVersion = policy?.version ?? DEFAULT_POLICY_VERSION;
  if (options.wasRejected) {
    return { verdict: 'deny', reason: 'rejected_in_this_turn', policyVersion };
  }
  if (policy === undefined) {
    const isRead = call.tool.effect === 'read';
    return { verdict: isRead ? 'run' : 'review', reason: isRead ? 'reads_run' : 'writes_are_reviewed', policyVersion };
  }
  const outcome = await runBounded(async () => policy.decide(call), options.limitMs);
  if (outcome.status !== 'returned') {
    return {
      verdict: 'review',
      reason: outcome.status === 'threw' ? 'policy_failed' : 'policy_timeout',
      policyVersion,
    };
  }
  const answer = outcome.value;
  if (!VERDICTS.includes(answer?.verdict) || answer === undefined) {
    return { verdict: 'review', reason: 'policy_undecided', policyVersion };
  }
  const reason = typeof answer.reason === 'string' && answer.reason !== '' ? answer.reason : 'policy_rule';
  return { verdict: answer.verdict, reason: reason.slice(0, MAX_REASON_CHARACTERS), policyVersion };
}

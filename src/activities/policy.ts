import type { JsonObject } from '../core/json';
import type { ToolDefinition } from '../definitions/define-tool';
import { runBounded } from './run-bounded';

/** What may happen to a call as far as policy is concerned. */
export type PolicyVerdict = 'run' | 'review' | 'deny';

/** The call a policy judges. */
export interface PolicyCall {
  readonly tenant: string;
  readonly sessionId: string;
  readonly principal: string | undefined;
  readonly tool: Pick<ToolDefinition, 'name' | 'effect' | 'risk' | 'idempotent' | 'version'>;
  readonly args: JsonObject;
}

export interface PolicyAnswer {
  readonly verdict: PolicyVerdict;
  /** A few words for the log and the approver. Default: the name of the rule. */
  readonly reason?: string;
}

/**
 * Rules a project adds. `undefined` leaves the call to the defaults only for what they would not run: an exception, a
 * timeout and `undefined` all mean review.
 */
export interface Policy {
  /** Logged with every verdict; raise it when the rules change. */
  readonly version: string;
  readonly decide: (call: PolicyCall) => PolicyAnswer | undefined | Promise<PolicyAnswer | undefined>;
}

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

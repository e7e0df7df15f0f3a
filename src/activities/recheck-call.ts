import type { ApprovalRecord, NewApproval } from '../core/approvals';
import type { CatalogTool } from '../definitions/catalog';
import type { ParsedArguments } from '../definitions/define-tool';
import { argumentsDigest } from '../digests/arguments-digest';
import type { ActivityDependencies } from './activity-dependencies';
import { inspectCall, newQuestion, questionSubject, takePrecondition } from './call-question';
import type { CallRecord } from './call-record';
import { decidePolicy, type PolicyDecision } from './decide-policy';
import { detailText, invalidText, resultText } from './result-text';
import type { SessionLog } from './session-log';
import type { CallScope } from './tool-context';
import type { BodyResult } from './tool-output';

/** What may happen to a call now, before its first try. */
export type Recheck =
  /** Everything is as it was when it was planned, or approved. */
  | { readonly status: 'go'; readonly grant: ApprovalRecord | undefined }
  /** A question that is open already. */
  | { readonly status: 'asked'; readonly question: ApprovalRecord }
  /** Something differs: this has to be asked instead of `replaces`. */
  | {
      readonly status: 'ask';
      readonly question: NewApproval;
      readonly because: string;
      readonly replaces: ApprovalRecord | undefined;
    }
  /** The call is answered without running. */
  | { readonly status: 'answer'; readonly result: BodyResult };

/** A call with the definition and the arguments it would run with. */
export interface CallToRun {
  readonly call: CallRecord;
  readonly tool: CatalogTool;
  readonly scope: CallScope;
  readonly parsed: ParsedArguments;
}

type RecheckDependencies = Pick<ActivityDependencies, 'clock' | 'logger' | 'policy' | 'store' | 'timing'>;

/**
 * Compares what a call was planned or approved with to what is so now: definition, arguments, policy, question and
 * precondition. A difference is never waved through: it is asked about again, or the call is answered. Which question
 * counts is read from the store, never from an activity's input.
 */
export async function recheckCall(
  dependencies: RecheckDependencies,
  log: SessionLog,
  { call, tool, scope, parsed }: CallToRun,
  stop?: AbortSignal,
): Promise<Recheck> {
  if (!parsed.ok) {
    return answer('invalid', 'invalid_arguments', invalidText(parsed.violations));
  }
  const question = call.questions.findLast(({ kind }) => kind === 'call');
  if (question !== undefined && question.status === 'pending') {
    return { status: 'asked', question };
  }
  const { definition } = tool;
  const policy = await decidePolicy(
    dependencies.policy,
    { ...log.key, principal: call.principal, tool: definition, args: scope.args },
    { wasRejected: false, limitMs: dependencies.timing.policyMs },
  );
  if (policy.verdict === 'deny' || (question !== undefined && question.status !== 'approved')) {
    return answer('denied', 'tool_denied', resultText('denied'));
  }
  const digest = await digestOfArguments(log, call, scope);
  if (question === undefined) {
    if (tool.digest === call.plan.toolDigest && digest !== call.plan.argumentsDigest) {
      return answer('invalid', 'digest_mismatch', detailText('other-arguments'));
    }
    const needsQuestion = policy.verdict === 'review' || call.plan.verdict === 'review';
    return needsQuestion
      ? askAnew(dependencies, log, { call, tool, scope, parsed }, policy, digest, 'policy', undefined, stop)
      : { status: 'go', grant: undefined };
  }
  const because = await differenceFrom(dependencies, question, tool, scope, digest, stop);
  if (typeof because === 'object') {
    return because;
  }
  return because === undefined
    ? { status: 'go', grant: question }
    : askAnew(dependencies, log, { call, tool, scope, parsed }, policy, digest, because, question, stop);
}

/** Asks again about a call whose approval may not be used any more. */
export async function askAgain(
  dependencies: RecheckDependencies,
  log: SessionLog,
  toRun: CallToRun,
  because: string,
  stop?: AbortSignal,
): Promise<Recheck> {
  const { call, tool, scope } = toRun;
  const question = call.questions.findLast(({ kind }) => kind === 'call');
  const policy = await decidePolicy(
    dependencies.policy,
    { ...log.key, principal: call.principal, tool: tool.definition, args: scope.args },
    { wasRejected: false, limitMs: dependencies.timing.policyMs },
  );
  const digest = await digestOfArguments(log, call, scope);
  return askAnew(dependencies, log, toRun, policy, digest, because, question, stop);
}

/** The name of the first thing that is not as it was approved; undefined when all is; an answer when it can't be told. */
async function differenceFrom(
  dependencies: RecheckDependencies,
  question: ApprovalRecord,
  tool: CatalogTool,
  scope: CallScope,
  digest: string,
  stop: AbortSignal | undefined,
): Promise<string | undefined | Extract<Recheck, { status: 'answer' }>> {
  if (question.toolDigest !== tool.digest) {
    return 'tool_definition';
  }
  if (question.argumentsDigest !== digest) {
    return 'arguments';
  }
  const { useBy } = question;
  // Writes are judged by the same clock once more, within the transaction that begins them.
  if (useBy !== undefined && (await dependencies.store.clockMs()) > Date.parse(useBy)) {
    return 'grant_expired';
  }
  const precondition = await takePrecondition(dependencies, tool, scope, stop);
  if (!precondition.ok) {
    return answer('error', precondition.code, precondition.text);
  }
  return precondition.value === question.precondition ? undefined : 'precondition';
}

async function askAnew(
  dependencies: RecheckDependencies,
  log: SessionLog,
  { call, tool, scope }: CallToRun,
  policy: PolicyDecision,
  digest: string,
  because: string,
  replaces: ApprovalRecord | undefined,
  stop: AbortSignal | undefined,
): Promise<Recheck> {
  const inspection = await inspectCall(dependencies, tool, scope, stop);
  if (!inspection.ok) {
    return answer('error', inspection.code, inspection.text);
  }
  const { preview, precondition } = inspection;
  const question = newQuestion({
    kind: 'call',
    ask: call.questions.length + 1,
    key: log.key,
    callId: call.callId,
    subject: questionSubject(tool, scope.args),
    argumentsDigest: digest,
    policy,
    preview,
    precondition,
    limits: call.limits,
    nowMs: await dependencies.clock.nowMs(),
  });
  return { status: 'ask', question, because, replaces };
}

/** The digest of the arguments a call would run with now. */
export async function digestOfArguments(log: SessionLog, call: CallRecord, scope: CallScope): Promise<string> {
  const salt = await log.read((store, key) => store.readDigestSalt(key));
  return argumentsDigest(salt, { ...log.key, callId: call.callId, tool: call.plan.tool, args: scope.args });
}

function answer(
  status: BodyResult['status'],
  code: NonNullable<BodyResult['code']>,
  text: string = detailText('check-failed'),
): Extract<Recheck, { status: 'answer' }> {
  return { status: 'answer', result: { status, code, text } };
}

import type { NewApproval } from '../core/approvals';
import { canonicalJson } from '../core/canonical-json';
import { type Entry, isEntry, type NewEntry, type ToolResultData } from '../core/entries';
import { policyKey, resultKey } from '../core/entry-keys';
import { callPositionOf, type SessionKey } from '../core/ids';
import { type Limits, MAX_CALLS_PER_REPLY } from '../core/limits';
import type { Block, BlockOf } from '../core/messages';
import type { CallPlan } from '../core/tools';
import { wellFormedText } from '../core/well-formed-text';
import type { CatalogTool } from '../definitions/catalog';
import { argumentsDigest } from '../digests/arguments-digest';
import type { ActivityDependencies } from './activity-dependencies';
import { askOf, inspectCall, newQuestion, questionEntry, questionSubject } from './call-question';
import { decidePolicy } from './decide-policy';
import { parseCallArguments } from './parse-call-arguments';
import { detailText, invalidText, resultText } from './result-text';
import type { CallScope } from './tool-context';

/** One call of a reply: what will happen to it, and the entries and the question that say so. */
export interface PlannedCall {
  readonly plan: CallPlan;
  readonly entries: readonly NewEntry[];
  readonly question?: NewApproval;
}

/** The reply whose calls are planned, and what is known around it. */
export interface PlanRequest {
  readonly key: SessionKey;
  readonly turn: number;
  readonly round: number;
  readonly blocks: readonly Block[];
  /** Names of the tools this request offered; none in a final round. */
  readonly offered: ReadonlySet<string>;
  /** The log the request was built from. */
  readonly entries: readonly Entry[];
  readonly limits: Limits;
  readonly principal: string | undefined;
  readonly digestSalt: Uint8Array;
  /** Ends previews and preconditions early. */
  readonly stop: AbortSignal;
}

/** Stands in a plan for every tool that does not exist. */
const UNKNOWN_TOOL = 'unknown_tool';
const MAX_TOOL_NAME_CHARACTERS = 100;

type ToolCall = BlockOf<'tool-call'>;
type PlanDependencies = Pick<ActivityDependencies, 'catalog' | 'clock' | 'logger' | 'policy' | 'timing'>;

/** Decides what happens to each call of a reply, in order. Every call that will not run is answered here. */
export async function planCalls(dependencies: PlanDependencies, request: PlanRequest): Promise<readonly PlannedCall[]> {
  const calls = request.blocks.filter((block) => block.type === 'tool-call');
  const rejected = rejectedCalls(dependencies, request);
  return Promise.all(calls.map((call, index) => planCall(dependencies, request, call, index, rejected)));
}

async function planCall(
  dependencies: PlanDependencies,
  request: PlanRequest,
  call: ToolCall,
  index: number,
  rejected: ReadonlySet<string>,
): Promise<PlannedCall> {
  const tool = dependencies.catalog.tools.get(call.name);
  if (request.offered.size === 0 || index >= MAX_CALLS_PER_REPLY) {
    const text = detailText(request.offered.size === 0 ? 'no-tools' : 'too-many');
    return answered(call, tool, 'skipped', { status: 'skipped', code: 'call_aborted', text });
  }
  if (tool === undefined || !request.offered.has(call.name)) {
    return answered(call, undefined, 'unknown_tool', {
      status: 'unknown_tool',
      code: 'unknown_tool',
      text: resultText('unknown_tool'),
    });
  }
  const parsed = parseCallArguments(tool.definition, call.argumentsText);
  if (!parsed.ok) {
    return answered(call, tool, 'invalid', {
      status: 'invalid',
      code: 'invalid_arguments',
      text: wellFormedText(invalidText(parsed.violations)),
    });
  }
  const { key, principal } = request;
  const scope: CallScope = { key, callId: call.callId, tool: call.name, args: parsed.args, principal };
  return judgeCall(dependencies, request, tool, scope, rejected.has(sameness(call.name, parsed.args)));
}

async function judgeCall(
  dependencies: PlanDependencies,
  request: PlanRequest,
  tool: CatalogTool,
  scope: CallScope,
  wasRejected: boolean,
): Promise<PlannedCall> {
  const { key, callId, args, principal } = scope;
  const { definition } = tool;
  const digest = argumentsDigest(request.digestSalt, { ...key, callId, tool: scope.tool, args });
  const policy = await decidePolicy(
    dependencies.policy,
    { ...key, principal, tool: definition, args },
    { wasRejected, limitMs: dependencies.timing.policyMs },
  );
  const place = placeOf(callId);
  const decided: NewEntry = {
    key: policyKey(callId),
    type: 'policy.decided',
    ...place,
    data: {
      tool: scope.tool,
      verdict: policy.verdict,
      reason: wellFormedText(policy.reason),
      policyVersion: policy.policyVersion,
    },
  };
  const plan = { ...basePlan(callId, scope.tool, tool, policy.verdict), argumentsDigest: digest };
  const parallel = definition.parallel(args) ? { parallel: true as const } : {};
  if (policy.verdict === 'run') {
    return { plan: { ...plan, ...parallel }, entries: [decided] };
  }
  if (policy.verdict === 'deny') {
    const text = wasRejected ? detailText('rejected-before') : resultText('denied');
    const result = resultEntry(callId, scope.tool, tool, { status: 'denied', code: 'tool_denied', text });
    return { plan, entries: [decided, result] };
  }
  const inspection = await inspectCall(dependencies, tool, scope, request.stop);
  if (!inspection.ok) {
    const { code, text } = inspection;
    const result = resultEntry(callId, scope.tool, tool, { status: 'error', code, text });
    return { plan: { ...plan, verdict: 'deny' }, entries: [decided, result] };
  }
  const { preview, precondition } = inspection;
  const nowMs = await dependencies.clock.nowMs();
  const { limits } = request;
  const subject = questionSubject(tool, args);
  const question = newQuestion({
    ...{ kind: 'call', ask: 1, key, callId, subject, argumentsDigest: digest },
    ...{ policy, preview, precondition, limits, nowMs },
  });
  const { approvalId, expiresAt } = askOf(question);
  return {
    plan: { ...plan, ...parallel, risk: definition.risk, approvalId, expiresAt },
    entries: [decided, questionEntry(question)],
    question,
  };
}

function answered(
  call: ToolCall,
  tool: CatalogTool | undefined,
  verdict: CallPlan['verdict'],
  result: Pick<ToolResultData, 'status' | 'code' | 'text'>,
): PlannedCall {
  // A name that no definition has is text of the model's: it stays in the log and out of the plan.
  return {
    plan: basePlan(call.callId, tool?.definition.name ?? UNKNOWN_TOOL, tool, verdict),
    entries: [resultEntry(call.callId, call.name.slice(0, MAX_TOOL_NAME_CHARACTERS), tool, result)],
  };
}

function basePlan(
  callId: string,
  tool: string,
  known: CatalogTool | undefined,
  verdict: CallPlan['verdict'],
): CallPlan {
  return {
    callId,
    tool,
    effect: known?.definition.effect ?? 'write',
    verdict,
    ...(known === undefined ? {} : { toolDigest: known.digest, timeoutMs: known.definition.timeoutMs }),
  };
}

function resultEntry(
  callId: string,
  tool: string,
  known: CatalogTool | undefined,
  result: Pick<ToolResultData, 'status' | 'code' | 'text'>,
): NewEntry {
  return {
    key: resultKey(callId),
    type: 'tool.result',
    ...placeOf(callId),
    data: { tool, ...result, ...(known === undefined ? {} : { effect: known.definition.effect }) },
  };
}

function placeOf(callId: string): { readonly turn: number; readonly round: number; readonly callId: string } {
  const { turn, round } = callPositionOf(callId) ?? { turn: 0, round: 0 };
  return { turn, round, callId };
}

/** Calls that a human rejected in this turn: the same tool with the same arguments is not asked for again. */
function rejectedCalls({ catalog }: PlanDependencies, { entries, turn }: PlanRequest): ReadonlySet<string> {
  const ofTurn = entries.filter((entry) => entry.turn === turn);
  const ids = ofTurn
    .filter((entry) => isEntry(entry, 'tool.result') && entry.data.status === 'rejected')
    .map(({ callId }) => callId);
  if (ids.length === 0) {
    return new Set();
  }
  const blocks = ofTurn.flatMap((entry) => (isEntry(entry, 'model.reply') ? entry.data.blocks : []));
  const rejected = blocks.flatMap((block) => {
    const tool = block.type === 'tool-call' && ids.includes(block.callId) ? catalog.tools.get(block.name) : undefined;
    return block.type === 'tool-call' && tool !== undefined ? samenessOfBlock(tool, block) : [];
  });
  return new Set(rejected);
}

function samenessOfBlock({ definition }: CatalogTool, { name, argumentsText }: ToolCall): readonly string[] {
  const parsed = parseCallArguments(definition, argumentsText);
  return parsed.ok ? [sameness(name, parsed.args)] : [];
}

function sameness(tool: string, args: unknown): string {
  return `${tool} ${canonicalJson(args)}`;
}

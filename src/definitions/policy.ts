import type { JsonObject } from '../core/json';
import type { ToolDefinition } from './define-tool';

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
  /** A few words for the log and the approver. Default: `policy_rule`. */
  readonly reason?: string;
}

/**
 * Rules a project adds. They are asked for every call, reads too. An exception, a timeout (5 s) and `undefined` all mean
 * review.
 */
export interface Policy {
  /** Logged with every verdict; raise it when the rules change. */
  readonly version: string;
  readonly decide: (call: PolicyCall) => PolicyAnswer | undefined | Promise<PolicyAnswer | undefined>;
}

import { callPositionOf, type SessionKey } from '../core/ids';
import type { JsonObject } from '../core/json';
import { loggerWithFields } from '../core/logger-with-fields';
import type { Logger } from '../core/ports/logger';
import type { ToolContext } from '../definitions/define-tool';
import { idempotencyKeyOf } from '../digests/idempotency-key';

/** One call as the functions of its tool see it. */
export interface CallScope {
  readonly key: SessionKey;
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly principal: string | undefined;
}

/** The key a call hands to its target; the same for every try. */
export function idempotencyKeyOfCall({ key, callId, tool, args }: Omit<CallScope, 'principal'>): string {
  const position = callPositionOf(callId) ?? { turn: 0, round: 0, ordinal: 0 };
  return idempotencyKeyOf({ ...key, ...position, tool, args });
}

/** What a tool's function is told about its call. */
export function toolContextOf(
  scope: CallScope,
  options: {
    readonly signal: AbortSignal;
    readonly logger: Logger;
    readonly approvedPrecondition?: string | undefined;
  },
): ToolContext {
  const { key, callId, tool, principal } = scope;
  return {
    tenant: key.tenant,
    sessionId: key.sessionId,
    callId,
    principal,
    subject: undefined,
    idempotencyKey: idempotencyKeyOfCall(scope),
    approvedPrecondition: options.approvedPrecondition,
    signal: options.signal,
    logger: loggerWithFields(options.logger, { ...key, callId, tool }),
  };
}

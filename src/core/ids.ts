/** Branded identifiers. A brand costs nothing at run time; it only stops one id from being passed for another. */
type Branded<Name extends string> = string & { readonly __brand: Name };

export type Tenant = Branded<'Tenant'>;
export type SessionId = Branded<'SessionId'>;
export type MessageId = Branded<'MessageId'>;
/** Our own name of one tool call, `t<turn>-r<round>-c<ordinal>`; a provider's id is only a wire attribute. */
export type CallId = Branded<'CallId'>;
export type ApprovalId = Branded<'ApprovalId'>;
export type DecisionId = Branded<'DecisionId'>;

/** The one session a piece of data belongs to. Every key, in the store and in Temporal, starts with the tenant. */
export interface SessionKey {
  readonly tenant: Tenant;
  readonly sessionId: SessionId;
}

const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** True for a string that may be an id: 1 to 100 characters, letters, digits, `_` and `-`, not starting with `_` or `-`. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID_PATTERN.test(value);
}

/** The id of the workflow that is the session. */
export function workflowIdOf(key: SessionKey): string {
  return `${key.tenant}/${key.sessionId}`;
}

/** The session a workflow id names, or undefined when it has another form. */
export function sessionKeyOf(workflowId: string): SessionKey | undefined {
  const [tenant, sessionId, ...rest] = workflowId.split('/');
  if (rest.length > 0 || !isId(tenant) || !isId(sessionId)) {
    return undefined;
  }
  return { tenant: tenant as Tenant, sessionId: sessionId as SessionId };
}

/** The call at a position; ordinals count from 1 in the order the model asked. */
export function callIdAt(turn: number, round: number, ordinal: number): CallId {
  return `t${turn}-r${round}-c${ordinal}` as CallId;
}

/** The position a call id names, or undefined when it has another form. */
export function callPositionOf(callId: string): { turn: number; round: number; ordinal: number } | undefined {
  const match = /^t(\d{1,9})-r(\d{1,9})-c(\d{1,9})$/.exec(callId);
  return match ? { turn: Number(match[1]), round: Number(match[2]), ordinal: Number(match[3]) } : undefined;
}

/**
 * Checks what signals and start inputs carry. Anything may be in there: handlers take `unknown`, and what has not the
 * right shape is dropped. Written by hand, since a schema library in the bundle costs every cached workflow 600 KB.
 */
import type { QueuedMessage } from '../core/activity-contracts';
import type { DecisionCandidate } from '../core/approvals';
import { isId, type SessionKey, sessionKeyOf } from '../core/ids';
import { isRecord } from '../core/json';
import { isSessionLimits } from '../core/limits';
import {
  isSessionMetadata,
  MAX_SIGNAL_TEXT_BYTES,
  MESSAGE_MODES,
  type MessageMode,
  SESSION_MODES,
  type SessionOptions,
} from '../core/sessions';

const MAX_WORD_CHARACTERS = 40;
const MAX_DIGEST_CHARACTERS = 100;
const MAX_PRINCIPAL_CHARACTERS = 200;

/** A decision for one approval; without a candidate it is a wake-up for decisions that are in the store already. */
export interface DecideSignal {
  readonly approvalId: string;
  readonly candidate?: DecisionCandidate;
}

export interface CancelSignal {
  readonly turn?: number;
  readonly keepQueue: boolean;
}

export interface SessionStart extends SessionKey {
  readonly agent: string;
  readonly message?: QueuedMessage;
  readonly options?: SessionOptions;
  readonly returnText?: true;
}

/** The message a signal carries, or undefined: it needs an id, and a reference or a text (not blank, at most 16 KiB). */
export function readMessageSignal(payload: unknown): QueuedMessage | undefined {
  if (!isRecord(payload) || !isId(payload['messageId'])) {
    return undefined;
  }
  const mode = payload['mode'] ?? 'followup';
  const principal = optionalText(payload['principal'], MAX_PRINCIPAL_CHARACTERS);
  if (!isMessageMode(mode) || principal === null) {
    return undefined;
  }
  const base = { messageId: payload['messageId'], mode, ...(principal === undefined ? {} : { principal }) };
  if (isId(payload['ref'])) {
    return payload['ref'] === base.messageId ? base : undefined;
  }
  const content = payload['content'];
  return typeof content === 'string' && content.trim() !== '' && isShort(content) ? { ...base, content } : undefined;
}

/** The decision a signal carries, or undefined. Words and digests are judged by the store, not here. */
export function readDecideSignal(payload: unknown): DecideSignal | undefined {
  if (!isRecord(payload) || !isId(payload['approvalId'])) {
    return undefined;
  }
  const approvalId = payload['approvalId'];
  if (isId(payload['ref'])) {
    return { approvalId };
  }
  const decisionId = payload['decisionId'];
  const decision = payload['decision'];
  const argumentsDigest = optionalText(payload['argumentsDigest'], MAX_DIGEST_CHARACTERS);
  const principal = optionalText(payload['principal'], MAX_PRINCIPAL_CHARACTERS);
  const comment = optionalText(payload['comment'], MAX_SIGNAL_TEXT_BYTES);
  if (
    typeof decision !== 'string' ||
    decision.length > MAX_WORD_CHARACTERS ||
    !(decisionId === undefined || isId(decisionId)) ||
    argumentsDigest === null ||
    principal === null ||
    comment === null
  ) {
    return undefined;
  }
  return {
    approvalId,
    candidate: {
      // Edits come in a later version. Until then "yes, but so" must not be taken for "yes".
      decision: payload['editedArguments'] === undefined ? decision : `${decision} with edits`,
      ...(decisionId === undefined ? {} : { decisionId }),
      ...(argumentsDigest === undefined ? {} : { argumentsDigest }),
      ...(principal === undefined ? {} : { principal }),
      ...(comment === undefined ? {} : { comment }),
    },
  };
}

/** A cancel request; every member is optional, so a signal without a payload is one too. */
export function readCancelSignal(payload: unknown): CancelSignal | undefined {
  if (payload === undefined) {
    return { keepQueue: false };
  }
  if (!isRecord(payload) || 'holdpointUndecodable' in payload) {
    return undefined;
  }
  const { turn, keepQueue } = payload;
  const turnIsGood = turn === undefined || (Number.isSafeInteger(turn) && (turn as number) > 0);
  const keepIsGood = keepQueue === undefined || typeof keepQueue === 'boolean';
  if (!turnIsGood || !keepIsGood) {
    return undefined;
  }
  return { keepQueue: keepQueue === true, ...(turn === undefined ? {} : { turn: turn as number }) };
}

/** True for a close request; its reason stays out of the workflow. */
export function isCloseSignal(payload: unknown): boolean {
  return payload === undefined || (isRecord(payload) && !('holdpointUndecodable' in payload));
}

/** The start input of the session that `workflowId` names, or undefined when it is no valid one. */
export function readSessionStart(payload: unknown, workflowId: string): SessionStart | undefined {
  const key = sessionKeyOf(workflowId);
  if (key === undefined || !isRecord(payload) || payload['v'] !== 1 || !isId(payload['agent'])) {
    return undefined;
  }
  const { returnText = false } = payload;
  const options = readSessionOptions(payload);
  const namesSession = payload['tenant'] === key.tenant && payload['sessionId'] === key.sessionId;
  if (!namesSession || options === undefined || typeof returnText !== 'boolean') {
    return undefined;
  }
  const message = payload['message'] === undefined ? undefined : readMessageSignal(payload['message']);
  if (payload['message'] !== undefined && message === undefined) {
    return undefined;
  }
  return {
    ...key,
    agent: payload['agent'],
    ...(message === undefined ? {} : { message }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(returnText ? { returnText } : {}),
  };
}

function readSessionOptions({ mode, limits, metadata }: Readonly<Record<string, unknown>>): SessionOptions | undefined {
  const isGood =
    (mode === undefined || (SESSION_MODES as readonly unknown[]).includes(mode)) &&
    (limits === undefined || isSessionLimits(limits)) &&
    (metadata === undefined || isSessionMetadata(metadata));
  return isGood ? (withoutUndefined({ mode, limits, metadata }) as SessionOptions) : undefined;
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function isMessageMode(value: unknown): value is MessageMode {
  return (MESSAGE_MODES as readonly unknown[]).includes(value);
}

/** The text, undefined when absent, or null when it is something else. */
function optionalText(value: unknown, maxCharacters: number): string | undefined | null {
  if (value === undefined) {
    return undefined;
  }
  return typeof value === 'string' && value.length <= maxCharacters ? value : null;
}

function isShort(text: string): boolean {
  return text.length <= MAX_SIGNAL_TEXT_BYTES && new TextEncoder().encode(text).length <= MAX_SIGNAL_TEXT_BYTES;
}

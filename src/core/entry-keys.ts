/** Keys of entries. They are derived from position alone, so that every retry of a step writes under the same key. */
import { callPositionOf } from './ids';

export function sessionStartedKey(opening: number): string {
  return `s.${opening}.started`;
}
export function sessionClosedKey(opening: number): string {
  return `s.${opening}.closed`;
}
export function messageKey(messageId: string): string {
  return `m/${messageId}`;
}
export function turnKey(turn: number): string {
  return `t${turn}.turn`;
}
export function turnEndKey(turn: number): string {
  return `t${turn}.end`;
}
export function headerKey(turn: number, round: number): string {
  return `t${turn}.r${round}.header`;
}
export function replyKey(turn: number, round: number): string {
  return `t${turn}.r${round}.reply`;
}
export function partialKey(turn: number, round: number): string {
  return `t${turn}.r${round}.partial`;
}
export function retryKey(turn: number, round: number, attempt: number): string {
  return `t${turn}.r${round}.retry.${attempt}`;
}
export function injectKey(turn: number, round: number, ordinal: number): string {
  return `t${turn}.r${round}.inject.${ordinal}`;
}
export function policyKey(callId: string): string {
  return `${callPrefix(callId)}.policy`;
}
export function askKey(callId: string, ask: number): string {
  return `${callPrefix(callId)}.ask.${ask}`;
}
export function startedKey(callId: string, tryNumber: number): string {
  return `${callPrefix(callId)}.started.${tryNumber}`;
}
export function notRunKey(callId: string, tryNumber: number): string {
  return `${callPrefix(callId)}.not_run.${tryNumber}`;
}
export function resultKey(callId: string): string {
  return `${callPrefix(callId)}.result`;
}
export function lateKey(callId: string, tryNumber: number): string {
  return `${callPrefix(callId)}.late.${tryNumber}`;
}
export function decisionKey(approvalId: string, decisionId: string): string {
  return `a/${approvalId}/${decisionId}`;
}

function callPrefix(callId: string): string {
  const position = callPositionOf(callId);
  return position ? `t${position.turn}.r${position.round}.c${position.ordinal}` : callId;
}

import type { ErrorCode } from '../../../core/errors';

/** One tool call as the mock writes it. */
export interface MockCall {
  readonly name: string;
  readonly argumentsText: string;
}

/** What the mock says in one round. */
export interface MockReply {
  readonly text: string;
  readonly calls: readonly MockCall[];
  /** Time the text is stretched over, in milliseconds. Default 0. */
  readonly slowMs?: number;
  /** Instead of a finish: an error, or the end of the stream without one. */
  readonly breaksWith?: ErrorCode | 'cut';
}

/** A reply that is only text. */
export function textReply(text: string): MockReply {
  return { text, calls: [] };
}

/** A reply that calls tools. */
export function callReply(text: string, calls: readonly (readonly [name: string, args: object])[]): MockReply {
  return { text, calls: calls.map(([name, args]) => ({ name, argumentsText: JSON.stringify(args) })) };
}

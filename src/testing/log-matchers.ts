import type { Entry } from '../core/entries';
import { isRecord } from '../core/json';
import type { TurnOutcome } from '../core/sessions';
import type { ToolStatus } from '../core/tools';
import { type LoggedCall, loggedCalls, ofType } from './logged-calls';

/**
 * What the matchers add to `expect`, for the declarations that jest and vitest ask for; docs/how-to/test-an-agent.md
 * shows them. Each takes a run, or the entries of a session. `args` are compared as `toEqual` does, so
 * `expect.objectContaining` and its like work; left out, any arguments fit.
 */
export interface LogMatchers<Result> {
  /** Somebody was asked whether a call of the tool may run. */
  toHaveAsked(tool: string, args?: unknown): Result;
  /** The tool's `execute` was started; with `times`, exactly so often over all calls that fit. */
  toHaveRun(tool: string, args?: unknown, options?: { readonly times?: number }): Result;
  /** The last turn ended so. */
  toHaveEnded(outcome: TurnOutcome): Result;
  /** A call of the tool has a result with this status, which is what the model read. */
  toHaveAnswered(tool: string, status: ToolStatus): Result;
}

/** What `expect` hands to a matcher, as far as these need it. */
export interface MatcherContext {
  equals(left: unknown, right: unknown): boolean;
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Matchers for `expect.extend` of jest and of vitest. */
export const logMatchers = {
  toHaveAsked(this: MatcherContext, received: unknown, tool: string, args?: unknown): MatcherResult {
    const calls = loggedCalls(entriesOf(received));
    const pass = calls.some((call) => call.asked > 0 && fits(this, call, tool, args));
    return result(pass, calls, (not) => `expected ${named(tool, args)} ${not}to have been asked about`);
  },

  toHaveRun(
    this: MatcherContext,
    received: unknown,
    tool: string,
    args?: unknown,
    { times }: { readonly times?: number } = {},
  ): MatcherResult {
    const calls = loggedCalls(entriesOf(received));
    const fitting = calls.filter((call) => fits(this, call, tool, args));
    const ran = fitting.reduce((sum, call) => sum + call.ran, 0);
    const wanted = times === undefined ? '' : ` ${counted(times)}`;
    return result(
      times === undefined ? ran > 0 : ran === times,
      calls,
      (not) => `expected ${named(tool, args)} ${not}to have run${wanted}; it ran ${counted(ran)}`,
    );
  },

  toHaveEnded(this: MatcherContext, received: unknown, outcome: TurnOutcome): MatcherResult {
    const entries = entriesOf(received);
    const ended = ofType(entries, 'turn.ended').at(-1);
    const code = ended?.data.code === undefined ? '' : ` (${ended.data.code})`;
    const was = ended === undefined ? 'no turn has ended' : `it ended as ${ended.data.outcome}${code}`;
    const pass = ended?.data.outcome === outcome;
    return result(
      pass,
      loggedCalls(entries),
      (not) => `expected the last turn ${not}to have ended as ${outcome}; ${was}`,
    );
  },

  toHaveAnswered(this: MatcherContext, received: unknown, tool: string, status: ToolStatus): MatcherResult {
    const calls = loggedCalls(entriesOf(received));
    const pass = calls.some((call) => call.tool === tool && call.status === status);
    return result(pass, calls, (not) => `expected a call of ${tool} ${not}to be answered ${status}`);
  },
};

function entriesOf(received: unknown): readonly Entry[] {
  const entries = isRecord(received) ? received['entries'] : received;
  if (!Array.isArray(entries)) {
    throw new TypeError('These matchers take what runAgent returns, or the entries of a session.');
  }
  return entries as readonly Entry[];
}

function fits(context: MatcherContext, call: LoggedCall, tool: string, args: unknown): boolean {
  return call.tool === tool && (args === undefined || context.equals(call.arguments, args));
}

function result(pass: boolean, calls: readonly LoggedCall[], sentence: (not: '' | 'not ') => string): MatcherResult {
  return { pass, message: () => [sentence(pass ? 'not ' : ''), ...listed(calls)].join('\n') };
}

function listed(calls: readonly LoggedCall[]): readonly string[] {
  const lines = calls.map(({ callId, tool, arguments: args, asked, ran, status = 'no result' }) => {
    const shown = args === undefined ? '(no JSON)' : JSON.stringify(args);
    return `  ${callId} ${tool} ${shown}: asked ${counted(asked)}, ran ${counted(ran)}, ${status}`;
  });
  return lines.length === 0 ? ['The log has no calls.'] : ['Calls in the log:', ...lines];
}

function named(tool: string, args: unknown): string {
  return args === undefined ? tool : `${tool} ${JSON.stringify(args)}`;
}

function counted(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}

import type {
  ApprovalSettled,
  CallModelResult,
  SessionClosed,
  SessionOpened,
  ToolCallResult,
} from '../../src/core/activity-contracts';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits';
import type { CallPlan } from '../../src/core/tools';
import { advanceSession } from '../../src/workflows/advance-session';
import { initialState, type SessionState } from '../../src/workflows/agent-session-state';
import { type Command, planCommands } from '../../src/workflows/plan-commands';
import { readSessionStart } from '../../src/workflows/read-signal';
import type { SessionEvent } from '../../src/workflows/session-event';

/** Drives the pure session the way the workflow does: events in, commands out, no Temporal. */
export class SessionDriver {
  state: SessionState;
  nowMs = Date.parse('2026-01-01T00:00:00Z');

  /** @param more What the start input says besides session and agent. */
  constructor(more: object = {}) {
    const input = { v: 1, tenant: 'default', sessionId: 's1', agent: 'workspace', ...more };
    const start = readSessionStart(input, 'default/s1');
    if (start === undefined) {
      throw new Error('The start input of the driver is invalid.');
    }
    this.state = initialState(start, this.nowMs);
  }

  apply(event: SessionEvent): void {
    this.state = advanceSession(this.state, event, this.nowMs);
  }

  /** Starts what may start now, and returns it. */
  start(): readonly Command[] {
    const commands = planCommands(this.state, this.nowMs);
    for (const command of commands) {
      this.apply({ type: 'command-started', command });
    }
    return commands;
  }

  /** Starts what may start now and expects exactly one command of the type. */
  startOnly<Type extends Command['type']>(type: Type): Extract<Command, { type: Type }> {
    const commands = this.start();
    const [command] = commands;
    if (commands.length !== 1 || command?.type !== type) {
      throw new Error(`Expected one ${type}, got ${JSON.stringify(commands.map((other) => other.type))}`);
    }
    return command as Extract<Command, { type: Type }>;
  }

  open(result: Partial<SessionOpened> = {}): void {
    const command = this.startOnly('open-session');
    this.apply({ type: 'opened', command, result: { ...OPENED, ...result } });
  }

  message(messageId: string, mode: 'followup' | 'steer' | 'inject' = 'followup'): void {
    this.apply({ type: 'message', message: { messageId, mode } });
  }

  /** Opens the session, sends one message, and lets the model reply with the calls. */
  reply(command: Command, calls: readonly CallPlan[] = [], result: Partial<CallModelResult> = {}): void {
    this.apply({ type: 'replied', command, result: { ...REPLY, calls, ...result } });
  }

  finish(command: Command, result: Partial<Extract<ToolCallResult, { characters: number }>> = {}): void {
    this.apply({ type: 'call-finished', command, result: { ...CALL_RESULT, ...result } });
  }

  settle(command: Command, result: Partial<ApprovalSettled>): void {
    this.apply({ type: 'approval-settled', command, result: { v: 1, status: 'settled', outcome: 'taken', ...result } });
  }

  close(result: Partial<SessionClosed> = {}): Extract<Command, { type: 'close-session' }> {
    const command = this.startOnly('close-session');
    this.apply({ type: 'closed', command, result: { v: 1, status: 'closed', last: [10, 'd10'], ...result } });
    return command;
  }

  endTurn(): Extract<Command, { type: 'end-turn' }> {
    const command = this.startOnly('end-turn');
    const outcome = command.input.outcome;
    this.apply({ type: 'turn-ended', command, result: { v: 1, status: 'ended', outcome, last: [9, 'd9'] } });
    return command;
  }
}

/** Limits with some of them changed. */
function limitsWith(changed: Partial<Limits>): Limits {
  return { ...DEFAULT_LIMITS, ...changed };
}

/** A call the model asked for in round 1 of turn 1. */
export function plan(ordinal: number, changed: Partial<CallPlan> = {}): CallPlan {
  return {
    callId: `t1-r1-c${ordinal}`,
    tool: 'read_file',
    effect: 'read',
    verdict: 'run',
    argumentsDigest: `a${ordinal}`,
    toolDigest: 'tool',
    timeoutMs: 5_000,
    ...changed,
  };
}

/** A write that waits for a decision. */
export function reviewed(ordinal: number, expiresAt = '2026-01-02T00:00:00.000Z'): CallPlan {
  return plan(ordinal, {
    tool: 'write_file',
    effect: 'write',
    verdict: 'review',
    approvalId: `ap_${ordinal}`,
    expiresAt,
    risk: 'medium',
  });
}

const OPENED: SessionOpened = {
  v: 1,
  status: 'opened',
  nextTurn: 1,
  inbox: [],
  approvals: [],
  limits: DEFAULT_LIMITS,
  last: [1, 'd1'],
};

const REPLY: CallModelResult = {
  v: 1,
  finish: 'stop',
  calls: [],
  usage: { inputTokens: 1, outputTokens: 1 },
  activeMs: 10,
  last: [5, 'd5'],
};

const CALL_RESULT: Extract<ToolCallResult, { characters: number }> = {
  v: 1,
  status: 'success',
  characters: 10,
  activeMs: 5,
  last: [7, 'd7'],
};

/** A session with one message whose model call is under way. */
export function sessionInModelCall(limits = {}): {
  driver: SessionDriver;
  callModel: ReturnType<SessionDriver['startOnly']>;
} {
  const driver = new SessionDriver();
  driver.message('m1');
  driver.open({ limits: limitsWith(limits) });
  return { driver, callModel: driver.startOnly('call-model') };
}

/** A session whose first reply asked for the calls. */
export function sessionWithCalls(...calls: Parameters<SessionDriver['reply']>[1] & object): SessionDriver {
  const { driver, callModel } = sessionInModelCall();
  driver.reply(callModel, calls);
  return driver;
}

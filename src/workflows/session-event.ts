import type {
  ApprovalSettled,
  CallModelResult,
  CallSettled,
  MessagesStored,
  QueuedMessage,
  SessionClosed,
  SessionOpened,
  StepRefused,
  ToolCallResult,
  TurnEnded,
} from '../core/activity-contracts';
import type { Command } from './plan-commands';
import type { CancelSignal, DecideSignal } from './read-signal';

/** What happens to a session: signals that passed their check, results of commands, and the passing of time. */
export type SessionEvent =
  | { readonly type: 'message'; readonly message: QueuedMessage }
  | { readonly type: 'decide'; readonly signal: DecideSignal }
  | { readonly type: 'cancel'; readonly signal: CancelSignal }
  | { readonly type: 'close'; readonly reason: string }
  | { readonly type: 'dropped-signal' }
  | { readonly type: 'time' }
  | { readonly type: 'command-started'; readonly command: Command }
  | CommandResult;

/** How a command ended. `command-failed` carries an error code; outages are waited out, the rest is handled by type. */
export type CommandResult =
  | { readonly type: 'opened'; readonly command: Command; readonly result: SessionOpened }
  | { readonly type: 'replied'; readonly command: Command; readonly result: CallModelResult }
  | { readonly type: 'call-finished'; readonly command: Command; readonly result: ToolCallResult }
  | { readonly type: 'call-settled'; readonly command: Command; readonly result: CallSettled }
  | { readonly type: 'approval-settled'; readonly command: Command; readonly result: ApprovalSettled }
  | { readonly type: 'messages-stored'; readonly command: Command; readonly result: MessagesStored }
  | { readonly type: 'turn-ended'; readonly command: Command; readonly result: TurnEnded }
  | { readonly type: 'closed'; readonly command: Command; readonly result: SessionClosed }
  | { readonly type: 'command-failed'; readonly command: Command; readonly code: StepRefused['code'] | string };

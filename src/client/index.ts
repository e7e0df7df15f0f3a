/** The package `holdpoint/client`: the client of a gateway, for browsers and Node. */
export { type ErrorCode, type ErrorDetails, HoldpointError, isHoldpointError } from '../core/errors';
export type {
  ApprovalDetail,
  ApprovalList,
  ApprovalStreamEvents,
  CancelAccepted,
  DecisionAnswer,
  EntryPage,
  EntryView,
  MessageAccepted,
  SessionCreated,
  SessionStreamEvents,
} from '../core/http-answers';
export type { SessionOptions, SessionView, TurnOutcome } from '../core/sessions';
export {
  type ApprovalsPage,
  type CallOptions,
  type CancelTurn,
  createHoldpointClient,
  type Decide,
  type EntriesPage,
  type HoldpointClient,
  type SendMessage,
  type StartSession,
} from './holdpoint-client';
export type { TransportOptions as HoldpointClientOptions } from './http-transport';
export type { RunInput, RunOutcome } from './run-turn';
export type { StreamEvent } from './watch-stream';

/** Testing one's agents without a server: the package `holdpoint/testing`. */
export type { AgentRun, TurnRun } from './agent-run';
export type { Answer, AnswerWord, Decide, Decisions } from './decisions';
export { type LogMatchers, logMatchers, type MatcherContext, type MatcherResult } from './log-matchers';
export { type LoggedCall, loggedCalls } from './logged-calls';
export type { TestMessage } from './people';
export { type RunAgentOptions, runAgent } from './run-agent';
export {
  cutStream,
  type ExpectRequest,
  failure,
  type ModelErrorCode,
  type ReplyOptions,
  reply,
  type ScriptedCall,
  type ScriptStep,
} from './script-step';
export { type ScriptedModel, scriptedModel } from './scripted-model';

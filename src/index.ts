/** The package `holdpoint`: what a project defines its agents and tools with, and runs them. */
export { type ErrorCode, type ErrorDetails, HoldpointError, isHoldpointError } from './core/errors';
export type { JsonObject, JsonValue } from './core/json';
export type { Limits } from './core/limits';
export type { Logger } from './core/ports/logger';
export { ToolRefused } from './core/tool-refused';
export type { ToolEffect, ToolRisk } from './core/tools';
export { type AgentDefinition, type AgentOptions, defineAgent } from './definitions/define-agent';
export { defineConfig, type ProjectConfig } from './definitions/define-config';
export {
  defineTool,
  type ToolContext,
  type ToolDefinition,
  type ToolOptions,
  type ToolOutput,
  type VerifyAnswer,
} from './definitions/define-tool';
export type { Policy, PolicyAnswer, PolicyCall, PolicyVerdict } from './definitions/policy';
export { type CreateWorkerOptions, createWorker, type RunningWorker } from './worker/create-worker';

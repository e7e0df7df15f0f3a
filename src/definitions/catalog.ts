import type { JsonObject } from '../core/json';
import type { Limits } from '../core/limits';
import type { ToolSchema } from '../core/tools';
import type { ToolDefinition } from './define-tool';

/** A tool as it is offered: its definition, its digest (name, schema, effect, risk, idempotent, version) and its schema. */
export interface CatalogTool {
  readonly definition: ToolDefinition;
  readonly digest: string;
  readonly schema: ToolSchema;
}

/** One version of an agent; the digest is the version. */
export interface CatalogAgent {
  readonly name: string;
  readonly digest: string;
  /** API of the model, the part before the colon. */
  readonly modelApi: string;
  /** Name of the model at its provider. */
  readonly modelName: string;
  readonly system: string;
  /** Sorted by name, so that requests are stable. */
  readonly tools: readonly CatalogTool[];
  readonly limits: Limits;
  /** What is published to `agent_versions`. */
  readonly published: JsonObject;
}

/** Everything a worker can run. Built once at start; every fault of the definitions is reported together. */
export interface Catalog {
  readonly agents: ReadonlyMap<string, CatalogAgent>;
  /** Every tool of every agent, by name. */
  readonly tools: ReadonlyMap<string, CatalogTool>;
}

import type { Limits } from '../core/limits';
import type { ToolDefinition } from './define-tool';

/** An agent as its author writes it. */
export interface AgentOptions {
  /** An id; unique within a project. */
  readonly name: string;
  /** `<api>:<model>`, for example `mock:workspace`. Default: the project's model. */
  readonly model?: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>;
}

/** An agent with its defaults filled in. */
export interface AgentDefinition {
  readonly name: string;
  readonly model: string | undefined;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly limits: Limits;
}

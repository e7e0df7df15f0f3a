import { isId } from '../core/ids';
import { isRecord } from '../core/json';
import { DEFAULT_LIMITS, type Limits, limitRange } from '../core/limits';
import { wellFormedText } from '../core/well-formed-text';
import type { ToolDefinition } from './define-tool';
import { collectFaults, type DefinitionFaults, shownValue } from './definition-faults';
import { MODEL_RULE, parseModel } from './parse-model';

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

/**
 * Checks an agent and fills in its defaults.
 * Throws HoldpointError `invalid_definition` that names the agent and every fault.
 */
export function defineAgent(options: AgentOptions): AgentDefinition {
  const { name, model, system, tools, limits = {} } = options;
  const faults = collectFaults(`agent ${shownValue(name)}`);
  faults.expect(isId(name), 'name: expected 1 to 100 letters, digits, _ or -, not starting with _ or -');
  faults.expect(
    model === undefined || parseModel(model) !== undefined,
    `model: expected ${MODEL_RULE}, got ${shownValue(model)}`,
  );
  faults.expect(typeof system === 'string' && wellFormedText(system) === system, 'system: expected a text');
  checkTools(tools, faults);
  checkLimits(limits, faults);
  faults.throwIfAny();
  return Object.freeze({
    name,
    model,
    system,
    tools: Object.freeze([...tools]),
    limits: Object.freeze({ ...DEFAULT_LIMITS, ...withoutUndefined(limits) }),
  } satisfies AgentDefinition);
}

function checkTools(tools: unknown, faults: DefinitionFaults): void {
  if (!Array.isArray(tools)) {
    faults.add(`tools: expected a list of tools made by defineTool, got ${shownValue(tools)}`);
    return;
  }
  for (const [index, tool] of tools.entries()) {
    // What an import names but the other module does not export is undefined, and so is what comes round in a cycle.
    const hint = tool === undefined ? '; check that it is exported, and for modules that import each other' : '';
    faults.expect(isTool(tool), `tools[${index}]: expected a tool made by defineTool, got ${shownValue(tool)}${hint}`);
  }
}

/** By its shape: the tool may have been made by another copy of this package. */
export function isTool(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['execute'] === 'function';
}

function checkLimits(limits: Partial<Limits>, faults: DefinitionFaults): void {
  if (!isRecord(limits)) {
    faults.add('limits: expected an object');
    return;
  }
  for (const [limit, value] of Object.entries(withoutUndefined(limits))) {
    if (!Object.hasOwn(DEFAULT_LIMITS, limit)) {
      faults.add(`limits.${limit}: unknown limit`);
      continue;
    }
    const [smallest, largest] = limitRange(limit as keyof Limits);
    const fits = Number.isSafeInteger(value) && Number(value) >= smallest && Number(value) <= largest;
    faults.expect(
      fits,
      `limits.${limit}: expected a whole number from ${smallest} to ${largest}, got ${shownValue(value)}`,
    );
  }
}

function withoutUndefined(limits: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

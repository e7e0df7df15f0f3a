import { HoldpointError } from '../core/errors';
import { isRecord } from '../core/json';
import { type AgentDefinition, isTool } from './define-agent';
import { shownValue } from './definition-faults';
import { MODEL_RULE, parseModel } from './parse-model';
import type { Policy } from './policy';

/** What a project consists of, as `holdpoint.config.ts` exports it. */
export interface ProjectConfig {
  /** At least one, each made by `defineAgent`, with names of their own. */
  readonly agents: readonly AgentDefinition[];
  /** `<api>:<model>` for agents that name none; `HOLDPOINT_MODEL` goes before it. Default `mock:workspace`. */
  readonly model?: string;
  /** Default: reads run, writes are reviewed. */
  readonly policy?: Policy;
}

const MEMBERS: ReadonlySet<string> = new Set(['agents', 'model', 'policy'] satisfies readonly (keyof ProjectConfig)[]);

/** Checks a project's configuration. Throws HoldpointError `invalid_config` that names every fault, one a line. */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  const faults = configFaults(config);
  if (faults.length > 0) {
    throw new HoldpointError('invalid_config', faults.join('\n'), { faults: faults.length });
  }
  return Object.freeze({ ...config, agents: Object.freeze([...config.agents]) });
}

/** Everything that is wrong with a configuration, each as `path: expected …, got …`; empty when nothing is. */
export function configFaults(config: unknown): readonly string[] {
  if (!isRecord(config)) {
    return [`expected what defineConfig returns, got ${shownValue(config)}`];
  }
  const { agents, model, policy } = config;
  const unknown = Object.keys(config).filter((name) => !MEMBERS.has(name));
  return [
    ...unknown.map((name) => `${name}: not a known member; there are ${[...MEMBERS].join(', ')}`),
    ...agentFaults(agents),
    ...(model === undefined || parseModel(model) !== undefined
      ? []
      : [`model: expected ${MODEL_RULE}, got ${shownValue(model)}`]),
    ...(policy === undefined ? [] : policyFaults(policy)),
  ];
}

function agentFaults(agents: unknown): readonly string[] {
  if (!Array.isArray(agents) || agents.length === 0) {
    return [`agents: expected at least one agent made by defineAgent, got ${shownValue(agents)}`];
  }
  return agents.flatMap((agent: unknown, index) =>
    isAgent(agent) ? [] : [`agents[${index}]: expected an agent made by defineAgent, got ${shownValue(agent)}`],
  );
}

/** By its shape: the agent may have been made by another copy of this package. */
function isAgent(value: unknown): boolean {
  if (!isRecord(value)) {
    return false;
  }
  const { name, tools, limits } = value;
  return typeof name === 'string' && Array.isArray(tools) && tools.every(isTool) && isRecord(limits);
}

function policyFaults(policy: unknown): readonly string[] {
  if (!isRecord(policy)) {
    return [`policy: expected {version, decide}, got ${shownValue(policy)}`];
  }
  const { version, decide } = policy;
  return [
    ...(typeof version === 'string' && version !== ''
      ? []
      : [`policy.version: expected a text that is not empty, got ${shownValue(version)}`]),
    ...(typeof decide === 'function' ? [] : [`policy.decide: expected a function, got ${shownValue(decide)}`]),
  ];
}

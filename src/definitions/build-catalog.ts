import { isId } from '../core/ids';
import type { JsonObject } from '../core/json';
import { digestOf } from '../digests/digest-of';
import type { Catalog, CatalogAgent, CatalogTool } from './catalog';
import type { AgentDefinition } from './define-agent';
import type { ToolDefinition } from './define-tool';
import { collectFaults, type DefinitionFaults, shownValue } from './definition-faults';
import { MODEL_RULE, parseModel } from './parse-model';
import { toolDigest } from './tool-digest';
import { isToolName, TOOL_NAME_RULE } from './tool-name';

/** What a project defines. */
export interface CatalogOptions {
  readonly agents: readonly AgentDefinition[];
  /** `<api>:<model>` for agents that name no model. */
  readonly defaultModel: string;
  /** APIs this worker has adapters for; another one is a fault. Default: not checked. */
  readonly modelApis?: readonly string[];
}

/**
 * Builds everything a worker can run. Throws HoldpointError `invalid_definition` that names all faults together, one a
 * line: bad or repeated names, one tool name for two tools, models of another form or of an unknown API.
 *
 * A tool that several agents share must be the same object: two definitions under one name could differ in code, and
 * the approver would not see it.
 */
export function buildCatalog(options: CatalogOptions): Catalog {
  const faults = collectFaults('definitions');
  const tools = collectTools(options.agents, faults);
  const agents = new Map<string, CatalogAgent>();
  for (const agent of options.agents) {
    faults.expect(isId(agent.name), `agent ${shownValue(agent.name)}: the name is no id`);
    faults.expect(!agents.has(agent.name), `agent ${shownValue(agent.name)}: defined twice`);
    agents.set(agent.name, catalogAgent(agent, options, tools, faults));
  }
  faults.expect(options.agents.length > 0, 'no agent is defined');
  faults.throwIfAny();
  return { agents, tools };
}

function collectTools(agents: readonly AgentDefinition[], faults: DefinitionFaults): ReadonlyMap<string, CatalogTool> {
  const tools = new Map<string, CatalogTool>();
  for (const agent of agents) {
    const named = new Set<string>();
    for (const definition of agent.tools) {
      const { name } = definition;
      const known = tools.get(name);
      faults.expect(!named.has(name), `agent ${shownValue(agent.name)}: has tool ${shownValue(name)} twice`);
      named.add(name);
      if (known === undefined) {
        faults.expect(isToolName(name), `tool ${shownValue(name)}: the name is not ${TOOL_NAME_RULE}`);
        tools.set(name, catalogTool(definition));
      } else if (known.definition !== definition) {
        faults.add(`tool ${shownValue(name)}: two definitions under one name; define it once and share it`);
      }
    }
  }
  return tools;
}

function catalogTool(definition: ToolDefinition): CatalogTool {
  const { name, description, parametersSchema } = definition;
  return { definition, digest: toolDigest(definition), schema: { name, description, parameters: parametersSchema } };
}

function catalogAgent(
  agent: AgentDefinition,
  options: CatalogOptions,
  tools: ReadonlyMap<string, CatalogTool>,
  faults: DefinitionFaults,
): CatalogAgent {
  const { name, system, limits } = agent;
  const modelText = agent.model ?? options.defaultModel;
  const model = parseModel(modelText);
  const apis = options.modelApis;
  if (model === undefined) {
    faults.add(`agent ${shownValue(name)}: the model ${shownValue(modelText)} is not ${MODEL_RULE}`);
  } else if (apis !== undefined && !apis.includes(model.api)) {
    faults.add(`agent ${shownValue(name)}: no adapter for ${shownValue(modelText)}; there are ${apis.join(', ')}`);
  }
  const own = agent.tools.flatMap((definition) => tools.get(definition.name) ?? []);
  const sorted = own.sort((left, right) => (left.definition.name < right.definition.name ? -1 : 1));
  const published = publishedAgent(agent, modelText, sorted);
  return {
    name,
    digest: agentDigest(published, system),
    modelApi: model?.api ?? '',
    modelName: model?.name ?? '',
    system,
    tools: sorted,
    limits,
    published,
  };
}

/** The version of an agent: everything that is published of it, and its system prompt. */
function agentDigest(published: JsonObject, system: string): string {
  return digestOf(['holdpoint.agent.v1', published, system]);
}

/** What gateways may show of an agent. The system prompt stays with the worker. */
function publishedAgent(agent: AgentDefinition, model: string, tools: readonly CatalogTool[]): JsonObject {
  return {
    name: agent.name,
    model,
    limits: { ...agent.limits },
    tools: tools.map(({ definition, digest }) => ({
      name: definition.name,
      description: definition.description,
      parameters: definition.parametersSchema,
      effect: definition.effect,
      risk: definition.risk,
      idempotent: definition.idempotent,
      version: definition.version,
      timeoutMs: definition.timeoutMs,
      digest,
    })),
  };
}

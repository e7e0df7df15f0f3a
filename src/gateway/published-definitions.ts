import type { AgentView, ToolView } from '../core/http-answers';
import type { PublishedAgent } from '../core/ports/worker-store';
import { publishedAgent } from '../core/schemas/published-agent';

/** Agents as lists show them. */
export function agentViews(agents: readonly PublishedAgent[]): readonly AgentView[] {
  return agents.map(({ name, digest, definition }) => {
    const { model, limits, tools } = publishedAgent.parse(definition);
    return { name, digest, model, limits, tools: tools.map((tool) => tool.name) };
  });
}

/** The tools of some agents, by name. The same definition in several agents is one. */
export function toolViews(agents: readonly PublishedAgent[]): readonly ToolView[] {
  const byDefinition = new Map<string, ToolView>();
  for (const { name: agent, definition } of agents) {
    for (const tool of publishedAgent.parse(definition).tools) {
      const place = `${tool.name} ${tool.digest}`;
      const known = byDefinition.get(place);
      byDefinition.set(place, { ...(known ?? tool), agents: [...(known?.agents ?? []), agent] });
    }
  }
  return [...byDefinition].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, tool]) => tool);
}

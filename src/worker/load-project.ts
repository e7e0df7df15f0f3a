import { createMockModel } from '../adapters/models/mock/mock-model';
import type { HoldpointConfig } from '../config';
import { HoldpointError, isHoldpointError } from '../core/errors';
import type { ModelAdapter } from '../core/ports/model-adapter';
import { buildCatalog } from '../definitions/build-catalog';
import type { Catalog } from '../definitions/catalog';
import type { ProjectConfig } from '../definitions/define-config';
import { loadConfig } from '../definitions/load-config';
import type { Policy } from '../definitions/policy';
import { workspaceAgent } from './workspace-agent';

/** What imports of a project are answered with. Every entry of the package that a project may import needs a line. */
const ALIASES: Readonly<Record<string, string>> = {
  holdpoint: require.resolve('../index'),
  'holdpoint/client': require.resolve('../client/index'),
  'holdpoint/temporal': require.resolve('../client/temporal'),
  'holdpoint/testing': require.resolve('../testing/index'),
};

/** What a worker of the project is made of. */
export interface Project {
  readonly catalog: Catalog;
  readonly adapters: readonly ModelAdapter[];
  readonly policy: Policy | undefined;
}

/**
 * Loads what the project defines, or the built-in agent where there is no configuration. It runs the project's code, so
 * only a worker process may call it. The model of an agent that names none: HOLDPOINT_MODEL, else the configuration's,
 * else the mock model.
 *
 * Throws HoldpointError `invalid_config` or `invalid_definition` with every fault, each naming the configuration.
 *
 * @param configPath Absolute; undefined = the project has none.
 * @param onTranslate See `loadConfig`. Default: nobody hears.
 */
export async function loadProject(
  configPath: string | undefined,
  config: HoldpointConfig,
  onTranslate?: (path: string) => void,
): Promise<Project> {
  const own =
    configPath === undefined
      ? { agents: [builtInAgent(config)] }
      : await loadConfig(configPath, { aliases: ALIASES, ...(onTranslate === undefined ? {} : { onTranslate }) });
  return projectOf(own, config, configPath);
}

/**
 * A project whose configuration is there already. Throws what `loadProject` throws.
 *
 * @param configPath File it came from, which faults name. Default: none.
 */
export function projectOf(own: ProjectConfig, config: HoldpointConfig, configPath?: string): Project {
  const adapters = [createMockModel()];
  const defaultModel = config.isModelSet ? config.model : (own.model ?? config.model);
  const catalog = namingFile(configPath, () =>
    buildCatalog({ agents: own.agents, defaultModel, modelApis: adapters.map(({ api }) => api) }),
  );
  return { catalog, adapters, policy: own.policy };
}

function builtInAgent(config: HoldpointConfig) {
  return workspaceAgent({
    root: config.workspaceFolder,
    protectedFolders: [config.homeFolder],
    approvalExpiryMs: config.approvalExpiryMs,
  });
}

/** Faults that only show when all definitions are put together have no line of their own. */
function namingFile<Value>(configPath: string | undefined, build: () => Value): Value {
  try {
    return build();
  } catch (error) {
    if (configPath === undefined || !isHoldpointError(error)) {
      throw error;
    }
    const lines = error.message.split('\n').map((line) => `${configPath}: ${line}`);
    throw new HoldpointError(error.code, lines.join('\n'), error.details, { cause: error });
  }
}

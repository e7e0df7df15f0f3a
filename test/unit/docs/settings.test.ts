import { parseConfig, parseServiceConfig } from '../../../src/config';
import { DAY_MS } from '../../../src/core/durations';
import { DEFAULT_LIMITS } from '../../../src/core/limits';
import { readProjectFile } from './project-files';

const HOUR_MS = DAY_MS / 24;
const WORKING_FOLDER = '/somewhere';

/** Variables of README's table with their defaults, as it words them. */
function documentedSettings(): Readonly<Record<string, string>> {
  const [, section = ''] = readProjectFile('README.md').split('## Settings\n');
  const rows = [...section.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)];
  return Object.fromEntries(rows.map((row) => [row[1], String(row[2]).replaceAll('`', '')]));
}

/** Every variable that the program asks its environment for. */
function settingsRead(): readonly string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_target, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  // It reads every variable before it says which are missing.
  expect(() => parseServiceConfig(environment, WORKING_FOLDER)).toThrow('HOLDPOINT_STORE');
  return [...names];
}

test("README's table of settings has every variable the program reads, and no other", () => {
  expect(Object.keys(documentedSettings()).sort()).toEqual([...settingsRead()].sort());
});

test("README's table of settings names the defaults the program has", () => {
  const config = parseConfig({}, WORKING_FOLDER);
  const service = { HOLDPOINT_STORE: 'sqlite:a.db', HOLDPOINT_UNSAFE_NO_AUTH: '1' };
  expect(documentedSettings()).toEqual({
    HOLDPOINT_PORT: String(config.port),
    HOLDPOINT_HOME: config.homeFolder.slice(`${WORKING_FOLDER}/`.length),
    HOLDPOINT_WORKSPACE: config.workspaceFolder === WORKING_FOLDER ? 'current folder' : config.workspaceFolder,
    HOLDPOINT_MODEL: config.model.replace(/^mock:workspace$/, 'mock'),
    HOLDPOINT_APPROVAL_EXPIRY_MS: `${(config.approvalExpiryMs ?? DEFAULT_LIMITS.approvalExpiryMs) / HOUR_MS} hours`,
    HOLDPOINT_TEMPORAL_PORT: config.temporalPort === undefined ? 'a free one' : String(config.temporalPort),
    TEMPORAL_ADDRESS: config.temporalAddress ?? '-',
    TEMPORAL_NAMESPACE: config.temporalNamespace,
    HOLDPOINT_TASK_QUEUE: config.taskQueue,
    HOLDPOINT_LOG_LEVEL: config.logLevel,
    HOLDPOINT_STORE: '-',
    HOLDPOINT_STORE_FILE: '-',
    HOLDPOINT_UNSAFE_NO_AUTH: '-',
    HOLDPOINT_HOST: parseServiceConfig(service, WORKING_FOLDER).host,
    HOLDPOINT_ALLOWED_HOSTS: '-',
  });
});

/**
 * The table of who may import whom, as the design states it and apart from the settings of the tool that enforces it.
 * From it come planted files in which every room imports everything; what is not allowed here must be reported, and
 * nothing else.
 */
import { posix } from 'node:path';

const CORE = ['core'];
const CORE_AND_SCHEMAS = ['core', 'schemas'];
const NODE = ['crypto', 'fs'];
const VENDOR = ['zod', 'fastify', 'pg', 'libsql', 'kysely', 'pino', 'commander', 'diff', ...NODE];
const TEMPORAL = ['activity', 'client', 'common', 'worker', 'workflow'].map((name) => `@temporalio/${name}`);
const API = 'workflows-api';
const SHARED_ADAPTERS = ['adapters-store', 'adapters-feed'];
const WORKER_SIDE = [
  ...CORE_AND_SCHEMAS,
  ...['digests', 'definitions', 'workflows', API, 'activities', ...SHARED_ADAPTERS, 'adapters-model'],
  ...['adapters-other-model', 'adapters-tools', 'adapters-other-tools', 'telemetry', 'config', 'index', 'testing'],
  ...['client', 'client-temporal', 'worker', 'create-worker'],
];
const GATEWAY_ENTRIES = ['gateway-main', 'run-gateway'];
const EVERY_ROOM = [...WORKER_SIDE, 'gateway', ...GATEWAY_ENTRIES, 'cli', 'cli-commands', 'dev'];
const GATEWAY = ['gateway', 'client', 'client-temporal', ...CORE_AND_SCHEMAS, 'digests', 'telemetry'];

/**
 * rule: start of the name of its rules · target: what others import of it; a path without a folder of its own is the
 * whole room · source: rooms it may import · outside: packages and Node modules it may import, of those named here.
 */
const ROOMS = {
  core: { rule: 'core', target: 'src/core/planted-target', source: CORE, outside: [] },
  schemas: {
    rule: 'core-schemas',
    target: 'src/core/schemas/planted-target',
    source: CORE_AND_SCHEMAS,
    outside: ['zod'],
  },
  digests: {
    rule: 'digests',
    target: 'src/digests/planted-target',
    source: [...CORE, 'digests'],
    outside: ['crypto'],
  },
  definitions: {
    rule: 'definitions',
    target: 'src/definitions/planted-target',
    source: [...CORE_AND_SCHEMAS, 'digests', 'definitions'],
    outside: ['zod', ...NODE],
  },
  workflows: {
    rule: 'workflows',
    target: 'src/workflows/planted-target',
    source: ['workflows', API, ...CORE],
    outside: ['@temporalio/workflow', '@temporalio/common'],
  },
  [API]: { target: 'src/workflows/agent-session-api' },
  activities: {
    rule: 'activities',
    target: 'src/activities/planted-target',
    source: ['activities', ...CORE_AND_SCHEMAS, 'digests', 'definitions'],
    outside: ['@temporalio/activity', '@temporalio/common'],
  },
  'adapters-store': {
    rule: 'adapters-store',
    target: 'src/adapters/store/planted-target',
    source: ['adapters-store', ...CORE_AND_SCHEMAS, 'digests'],
    outside: VENDOR,
  },
  'adapters-feed': {
    rule: 'adapters',
    target: 'src/adapters/feed/planted/planted-target',
    source: ['adapters-feed', ...CORE_AND_SCHEMAS, 'digests'],
    outside: VENDOR,
  },
  'adapters-model': {
    rule: 'adapters',
    target: 'src/adapters/models/planted/planted-target',
    source: ['adapters-model', ...CORE_AND_SCHEMAS, 'digests'],
    outside: VENDOR,
  },
  'adapters-other-model': { target: 'src/adapters/models/planted-other/planted-target' },
  'adapters-tools': {
    rule: 'adapters-tools',
    target: 'src/adapters/tools/planted/planted-target',
    source: ['adapters-tools', ...CORE_AND_SCHEMAS, 'digests', 'definitions'],
    outside: VENDOR,
  },
  'adapters-other-tools': { target: 'src/adapters/tools/planted-other/planted-target' },
  telemetry: {
    rule: 'telemetry',
    target: 'src/telemetry/planted-target',
    source: ['telemetry', ...CORE],
    outside: ['pino', ...NODE],
  },
  config: { rule: 'config', target: 'src/config', source: CORE, outside: ['zod', ...NODE] },
  index: { rule: 'index', target: 'src/index', source: ['definitions', ...CORE, 'create-worker'], outside: [] },
  testing: {
    rule: 'testing',
    target: 'src/testing/planted-target',
    source: WORKER_SIDE,
    outside: [...VENDOR, ...TEMPORAL],
  },
  client: {
    rule: 'client',
    target: 'src/client/planted-target',
    source: ['client', 'client-temporal', API, ...CORE],
    outside: ['eventsource-parser'],
  },
  'client-temporal': {
    rule: 'client-temporal',
    target: 'src/client/temporal-planted-target',
    source: ['client', 'client-temporal', API, ...CORE],
    outside: ['@temporalio/client', '@temporalio/common'],
  },
  gateway: {
    rule: 'gateway',
    target: 'src/gateway/planted-target',
    source: [...GATEWAY, ...GATEWAY_ENTRIES],
    outside: ['fastify', 'zod', ...NODE],
  },
  'gateway-main': {
    rule: 'gateway-main',
    target: 'src/gateway/main',
    source: [...GATEWAY, ...GATEWAY_ENTRIES, ...SHARED_ADAPTERS, 'config'],
    outside: ['fastify', 'zod', ...NODE],
  },
  'run-gateway': {
    rule: 'gateway-main',
    target: 'src/gateway/run-gateway',
    source: [...GATEWAY, ...GATEWAY_ENTRIES, ...SHARED_ADAPTERS, 'config'],
    outside: ['fastify', 'zod', ...NODE],
  },
  cli: {
    rule: 'cli',
    target: 'src/cli/planted-target',
    source: ['cli', 'cli-commands', 'client', 'client-temporal', ...CORE],
    outside: ['commander', ...NODE],
  },
  'cli-commands': {
    rule: 'cli-commands',
    target: 'src/cli/commands/planted-target',
    source: [
      ...['cli', 'cli-commands', 'client', 'client-temporal', 'dev', ...CORE],
      ...[...GATEWAY_ENTRIES, 'worker', 'create-worker', 'config'],
    ],
    outside: ['commander', ...NODE],
  },
  dev: { rule: 'dev', target: 'src/dev/planted-target', source: EVERY_ROOM, outside: [...VENDOR, ...TEMPORAL] },
  worker: {
    rule: 'worker',
    target: 'src/worker/planted-target',
    source: WORKER_SIDE,
    outside: ['@temporalio/client', '@temporalio/common', '@temporalio/worker', ...NODE],
  },
  'create-worker': { target: 'src/worker/create-worker' },
};

/** No room of src may import these. */
const FOREIGN = ['test/support/planted-target', 'bench/planted-target', 'web/planted-target'];

/** Ways to name another module. The type `import('…')` is none of them: no room may use it, see planted-faults. */
const FORMS = {
  static: (path) => `import '${path}';`,
  type: (path, index) => `export type * as A${index} from '${path}';`,
  dynamic: (path, index) => `export const a${index} = () => import('${path}');`,
  require: (path, index) => `export const a${index} = require('${path}');`,
};

const PACKAGES = [...VENDOR, ...TEMPORAL];

function specifier(file, target) {
  const path = posix.relative(posix.dirname(file), target);
  return path.startsWith('.') ? path : `./${path}`;
}

/** @returns {{file: string, content: string}} a file that imports everything in one way */
function importer(file, form) {
  const targets = [...Object.values(ROOMS).map(({ target }) => target), ...FOREIGN];
  const paths = targets.filter((target) => `${target}.ts` !== file).map((target) => specifier(file, target));
  const names = [...paths, ...PACKAGES.map((name) => (NODE.includes(name) ? `node:${name}` : name))];
  return { file, content: names.map(FORMS[form]).join('\n') };
}

/** What the import check has to say about a file of a room: `rule -> what`, as `scripts/check-imports.mjs` names it. */
function faultsOf({ rule, source, outside }, file) {
  const forbidden = Object.entries(ROOMS).filter(
    ([name, { target }]) => !source.includes(name) && `${target}.ts` !== file,
  );
  return [
    ...forbidden.map(([, { target }]) => `${rule}-source: ${file} -> ${target}.ts`),
    ...PACKAGES.filter((name) => !outside.includes(name)).map((name) => `${rule}-outside: ${file} -> ${name}`),
    ...FOREIGN.map((target) => `${rule}-outside: ${file} -> ${target}.ts`),
  ];
}

/**
 * @returns {{files: readonly {file: string, content: string}[], faults: readonly string[]}} files: to be written into a
 *   copy of the project, whose own files they may replace; faults: what the import check must report about them, and
 *   all that its rules for rooms may report
 */
export function plantedImports() {
  const targets = Object.values(ROOMS).map(({ target }) => target);
  const files = [...targets, ...FOREIGN].map((target) => ({
    file: `${target}.ts`,
    content: 'export const planted = 1;',
  }));
  const faults = [];
  for (const room of Object.values(ROOMS).filter(({ rule }) => rule !== undefined)) {
    const isWholeRoom = !room.target.endsWith('planted-target');
    for (const form of isWholeRoom ? ['static'] : Object.keys(FORMS)) {
      const file = isWholeRoom ? `${room.target}.ts` : `${room.target.replace(/target$/, `by-${form}`)}.ts`;
      files.push(importer(file, form));
      faults.push(...faultsOf(room, file));
    }
  }
  return { files, faults };
}

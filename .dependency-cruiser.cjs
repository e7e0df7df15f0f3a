/**
 * Who may import whom. One room of src = one entry of ROOMS: what it may import from src, and from outside it.
 * What is not listed is forbidden. `scripts/check-imports.mjs` runs this.
 */

const { builtinModules } = require('node:module');

/** The tool names Node's own modules without `node:`. */
const NODE = `^(node:)?(${builtinModules.join('|')})$`;

/** Matches a package and everything inside it, wherever npm put it. */
const packages = (...names) => names.map((name) => `node_modules/${name}/`);

const CORE = '^src/core/(?!schemas/)';
const SCHEMAS = '^src/core/schemas/';
const DIGESTS = '^src/digests/';
const DEFINITIONS = '^src/definitions/';
const NOT_TEMPORAL = 'node_modules/(?!@temporalio/)';
const ANY_PACKAGE = 'node_modules/';

/**
 * name: shown in a report · from, except: which files (regular expressions on paths) · source: what of src they may
 * import; `$1` is the first group of `from` · outside: which packages and Node modules.
 */
const ROOMS = [
  { name: 'core', from: CORE, source: [CORE], outside: [] },
  { name: 'core-schemas', from: SCHEMAS, source: [CORE, SCHEMAS], outside: packages('zod') },
  { name: 'digests', from: DIGESTS, source: [CORE, DIGESTS], outside: ['^(node:)?crypto$'] },
  {
    name: 'definitions',
    from: DEFINITIONS,
    source: [CORE, SCHEMAS, DIGESTS, DEFINITIONS],
    outside: [...packages('zod', 'tsx', 'jiti'), NODE],
  },
  {
    name: 'workflows',
    from: '^src/workflows/',
    source: ['^src/workflows/', CORE],
    outside: packages('@temporalio/workflow', '@temporalio/common'),
  },
  {
    name: 'activities',
    from: '^src/activities/',
    source: ['^src/activities/', CORE, SCHEMAS, DIGESTS, DEFINITIONS],
    outside: packages('@temporalio/activity', '@temporalio/common'),
  },
  {
    name: 'adapters-store',
    from: '^src/adapters/store/',
    source: ['^src/adapters/store/', CORE, SCHEMAS, DIGESTS],
    outside: [NOT_TEMPORAL, NODE],
  },
  {
    name: 'adapters-tools',
    from: '^src/adapters/tools/([^/]+)/',
    source: ['^src/adapters/tools/$1/', CORE, SCHEMAS, DIGESTS, DEFINITIONS],
    outside: [NOT_TEMPORAL, NODE],
  },
  {
    name: 'adapters',
    from: '^src/adapters/([^/]+/[^/]+)/',
    except: '^src/adapters/(store|tools)/',
    source: ['^src/adapters/$1/', CORE, SCHEMAS, DIGESTS],
    outside: [NOT_TEMPORAL, NODE],
  },
  {
    name: 'telemetry',
    from: '^src/telemetry/',
    source: ['^src/telemetry/', CORE],
    outside: [...packages('pino', 'prom-client', '@opentelemetry/[^/]+'), NODE],
  },
  { name: 'config', from: '^src/config\\.ts$', source: [CORE], outside: [...packages('zod'), NODE] },
  {
    name: 'index',
    from: '^src/index\\.ts$',
    source: [DEFINITIONS, CORE, '^src/worker/create-worker\\.ts$'],
    outside: [],
  },
  {
    name: 'testing',
    from: '^src/testing/',
    source: ['^src/(?!gateway/|cli/|dev/)'],
    outside: [ANY_PACKAGE, NODE],
  },
  {
    name: 'client',
    from: '^src/client/',
    except: '^src/client/temporal',
    source: ['^src/client/', CORE, '^src/workflows/agent-session-api\\.ts$'],
    outside: packages('eventsource-parser'),
  },
  {
    name: 'client-temporal',
    from: '^src/client/temporal',
    source: ['^src/client/', CORE, '^src/workflows/agent-session-api\\.ts$'],
    outside: packages('@temporalio/client', '@temporalio/common'),
  },
  {
    name: 'gateway',
    from: '^src/gateway/',
    except: '^src/gateway/(main|run-gateway)\\.ts$',
    source: ['^src/gateway/', '^src/client/', CORE, SCHEMAS, DIGESTS, '^src/telemetry/'],
    outside: [...packages('fastify', '@fastify/[^/]+', 'zod'), NODE],
  },
  {
    name: 'gateway-main',
    from: '^src/gateway/(main|run-gateway)\\.ts$',
    source: [
      '^src/(gateway|client|telemetry)/',
      CORE,
      SCHEMAS,
      DIGESTS,
      '^src/adapters/(store|feed)/',
      '^src/config\\.ts$',
    ],
    outside: [...packages('fastify', '@fastify/[^/]+', 'zod'), NODE],
  },
  {
    name: 'cli',
    from: '^src/cli/',
    except: '^src/cli/commands/',
    source: ['^src/(cli|client)/', CORE],
    outside: [...packages('commander', 'string-width'), NODE],
  },
  {
    name: 'cli-commands',
    from: '^src/cli/commands/',
    source: [
      '^src/(cli|client|dev)/',
      CORE,
      '^src/gateway/(main|run-gateway)\\.ts$',
      '^src/worker/',
      '^src/config\\.ts$',
    ],
    outside: [...packages('commander', 'string-width'), NODE],
  },
  { name: 'dev', from: '^src/dev/', source: ['^src/'], outside: [ANY_PACKAGE, NODE] },
  {
    name: 'worker',
    from: '^src/worker/',
    source: ['^src/(?!gateway/|cli/|dev/)'],
    outside: [...packages('@temporalio/(worker|common|client)'), NODE],
  },
];

const roomRules = ROOMS.flatMap(({ name, from, except, source, outside }) => {
  const fromFiles = { path: from, ...(except ? { pathNot: except } : {}) };
  return [
    { name: `${name}-source`, severity: 'error', from: fromFiles, to: { path: '^src/', pathNot: source } },
    {
      name: `${name}-outside`,
      severity: 'error',
      from: fromFiles,
      to: { pathNot: ['^src/', ...outside] },
    },
  ];
});

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'file-outside-every-room',
      comment: 'A new room needs an entry in ROOMS.',
      severity: 'error',
      from: { path: '^src/', pathNot: ROOMS.map(({ from }) => from) },
      to: {},
    },
    {
      name: 'config-only-in-composition-roots',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/config\\.ts$',
          '^src/gateway/(main|run-gateway)\\.ts$',
          '^src/cli/commands/',
          '^src/(dev|testing|worker)/',
        ],
      },
      to: { path: '^src/config\\.ts$' },
    },
    {
      name: 'workflows-never-reach-zod',
      comment: 'zod adds a megabyte to the bundle and milliseconds to every cached workflow.',
      severity: 'error',
      from: { path: '^src/workflows/' },
      to: { path: 'node_modules/zod/', reachable: true },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(src|test|bench)/' },
      to: { circular: true },
    },
    { name: 'source-never-imports-test', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|bench)/' } },
    { name: 'tests-never-import-benchmarks', severity: 'error', from: { path: '^test/' }, to: { path: '^bench/' } },
    { name: 'every-import-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-vague-file-names',
      comment: 'Name a file after the one thing it exports.',
      severity: 'error',
      from: {},
      to: { path: '[/-](utils?|helpers?|types|managers?)\\.ts$', pathNot: 'node_modules' },
    },
  ],
  options: {
    parser: 'swc',
    // A project of a user's imports the package by its name, which resolves where it is installed.
    doNotFollow: { path: ['node_modules', '^examples/'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'types', 'default'],
    },
  },
};

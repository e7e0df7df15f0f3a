/**
 * Which packages may run in production. A direct dependency is chosen, and its reason is written down; what comes with it
 * is looked at too: no agent framework and no model vendor's own client, and only licences that ask for nothing but their text.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Each direct dependency with a decision record, or with its reason where it is part of what holdpoint is. */
const CHOSEN = {
  '@temporalio/activity': 'Temporal is what holdpoint runs on',
  '@temporalio/client': 'Temporal is what holdpoint runs on',
  '@temporalio/common': 'Temporal is what holdpoint runs on',
  '@temporalio/worker': 'Temporal is what holdpoint runs on',
  '@temporalio/workflow': 'Temporal is what holdpoint runs on',
  commander: 'the command line; version 14 is the last one for Node 20 and CommonJS',
  diff: 'docs/decisions/0010-differences-from-jsdiff.md',
  'eventsource-parser': 'server-sent events in the client; small, typed, CommonJS and ESM, no dependencies',
  fastify: 'the HTTP server of the gateway',
  jiti: 'docs/decisions/0015-how-a-configuration-is-loaded.md',
  kysely: 'one query layer over SQLite and Postgres',
  libsql: 'SQLite with prebuilt binaries',
  pg: 'Postgres',
  pino: 'logs as lines of JSON',
  protobufjs: 'keeps npm from installing three copies, which breaks replay: Temporal and gRPC ask for different ones',
  'string-width': 'docs/decisions/0020-the-command-line.md',
  zod: 'schemas of tools and of requests',
};

/** Names of packages that would do what holdpoint is there for, or hide a provider's API behind their own. */
const FOREIGN = [
  /^ai$/,
  /^@ai-sdk\//,
  /^@?langchain(\/|$)/,
  /^@?langgraph/,
  /^langsmith$/,
  /^@?openai-agents/,
  /^@openai\/(?!openai$)/,
  /^@?mastra(\/|$)/,
  /^@?llamaindex(\/|$)/,
  /^@temporalio\/(ai-sdk|openai-agents|.*agent.*)$/,
  /^@anthropic-ai\/claude-(code|agent-sdk)$/,
  /^@google\/(adk|genai-agents)/,
  /^@?genkit(-ai)?(\/|$)/,
  /^@cloudflare\/agents$|^agents$/,
  /^@?crewai|^@?autogen|^@?semantic-kernel/,
  /^@?inngest(\/|$)|^@restatedev\/|^@dbos-inc\//,
];

const LICENCES = [
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Unlicense'],
  // Data only: the browser table of caniuse-lite.
  'CC-BY-4.0',
];

/** Packages that name no licence in their package.json; their repository does. */
const LICENCE_BY_HAND = { unionfs: 'Unlicense' };

function readJson(file) {
  return JSON.parse(readFileSync(join(ROOT_FOLDER, file), 'utf8'));
}

/** `(MIT OR X)` needs one of them, `MIT AND X` all. */
function isAllowed(licence) {
  const alternatives = licence.replace(/[()]/g, '').split(' OR ');
  return alternatives.some((alternative) => alternative.split(' AND ').every((part) => LICENCES.includes(part.trim())));
}

const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = readJson('package.json');
const direct = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
const { packages } = readJson('package-lock.json');
const production = Object.entries(packages)
  .filter(([path, entry]) => path !== '' && entry.dev !== true)
  .map(([path, entry]) => ({ name: entry.name ?? path.split('node_modules/').at(-1), licence: entry.license }));

const faults = [];
for (const name of direct) {
  const reason = CHOSEN[name];
  if (reason === undefined) faults.push(`dependency-not-chosen: ${name} has no decision record or reason`);
  else if (reason.startsWith('docs/') && !existsSync(join(ROOT_FOLDER, reason))) {
    faults.push(`decision-missing: ${name} points at ${reason}`);
  }
}
for (const name of Object.keys(CHOSEN)) {
  if (!direct.includes(name)) faults.push(`dependency-gone: ${name} is chosen, but no dependency`);
}
for (const name of new Set([...direct, ...production.map((entry) => entry.name)])) {
  if (FOREIGN.some((pattern) => pattern.test(name))) faults.push(`foreign-framework: ${name} may not be in production`);
}
for (const { name, licence = LICENCE_BY_HAND[name] ?? 'none' } of production) {
  if (!isAllowed(licence)) faults.push(`licence-not-allowed: ${name} has ${licence}`);
}
// The lock file says what is there; without packages in it nothing was looked at.
if (production.length < direct.length)
  faults.push(`lock-file-empty: package-lock.json lists ${production.length} packages`);

// Not `exit`: that could cut a long report.
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${production.length} packages in production checked, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

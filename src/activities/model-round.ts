import { Context, type Info } from '@temporalio/activity';
import type { CallModelInput } from '../core/activity-contracts';
import { type Entry, isEntry } from '../core/entries';
import { headerKey, messageKey } from '../core/entry-keys';
import { HoldpointError } from '../core/errors';
import type { ModelAdapter, ModelRequest } from '../core/ports/model-adapter';
import type { CatalogAgent } from '../definitions/catalog';
import type { ActivityDependencies } from './activity-dependencies';
import { waitForDefinition } from './definition-grace';
import {
  buildRequest,
  finalHeaderOf,
  headerOf,
  isSameHeader,
  lastHeader,
  type RequestHeader,
} from './request-assembly';
import type { SessionLog } from './session-log';
import { injectAnswer, openTurn, skippedResults, takeMessage } from './take-messages';

/** Everything one model call of a round needs, read from the log. */
export interface ModelRound {
  readonly entries: readonly Entry[];
  readonly header: RequestHeader;
  readonly request: ModelRequest;
  /** The last sequence the request saw. */
  readonly readThrough: number;
  readonly adapter: ModelAdapter;
  readonly principal: string | undefined;
}

/** A log as it was read, and how to read what came since. */
export interface ReadLog {
  readonly entries: readonly Entry[];
  readonly readOn: () => Promise<readonly Entry[]>;
}

/**
 * Writes what the workflow hands over for a round. Resolves to false when the message that should open the turn was
 * taken by another turn, so that there is none; the other messages are left alone then.
 */
export async function takeHandedOver(
  { logger }: Pick<ActivityDependencies, 'logger'>,
  log: SessionLog,
  input: CallModelInput,
): Promise<boolean> {
  const { turn, round, messages = [], answers = [], inject = [] } = input;
  const opening = round === 1 ? messages[0] : undefined;
  if (opening !== undefined && !(await openTurn(log, opening, turn, logger))) {
    return false;
  }
  for (const result of await skippedResults(log, answers)) {
    await log.append({ entries: [result], onlyWhileOpen: { turn } });
  }
  for (const [index, approvalId] of inject.entries()) {
    await injectAnswer(log, approvalId, { turn, round, ordinal: index + 1 });
  }
  for (const message of messages) {
    if (message !== opening) {
      await takeMessage(log, message, { turn, round }, logger);
    }
  }
  return true;
}

/**
 * Builds the request of a round from its log and writes its header when it differs from the one before. The first round
 * takes the newest version of the agent; later ones keep its header, whatever this worker has by now.
 * Throws HoldpointError `definition_not_here` for a while, then `agent_unavailable`, when this worker lacks the agent.
 */
export async function prepareRound(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { entries: before, readOn }: ReadLog,
  input: CallModelInput,
): Promise<ModelRound> {
  const { info } = Context.current();
  const header = await chooseHeader(dependencies, before, input, info);
  const adapter = await findAdapter(dependencies, header, info);
  await checkTools(dependencies, header, info);
  const entries = (await writeHeader(log, before, header, input)) ? await readOn() : before;
  const readThrough = entries.at(-1)?.seq ?? 0;
  return {
    entries,
    header,
    request: buildRequest(header, entries, readThrough),
    readThrough,
    adapter,
    principal: principalOf(entries, input.turn),
  };
}

/** Writes the header of a round when the one before said something else. */
async function writeHeader(
  log: SessionLog,
  entries: readonly Entry[],
  header: RequestHeader,
  { turn, round }: CallModelInput,
): Promise<boolean> {
  const previous = lastHeader(entries, { withTools: false });
  if (previous !== undefined && isSameHeader(previous.data, header)) {
    return false;
  }
  await log.append({
    entries: [{ key: headerKey(turn, round), type: 'request.header', turn, round, data: header }],
  });
  return true;
}

/** The agent of a session, when this worker has it. */
function agentOf(
  { catalog }: Pick<ActivityDependencies, 'catalog'>,
  entries: readonly Entry[],
): CatalogAgent | undefined {
  const started = entries.findLast((entry) => isEntry(entry, 'session.started'));
  return isEntry(started, 'session.started') ? catalog.agents.get(started.data.agent) : undefined;
}

async function chooseHeader(
  dependencies: ActivityDependencies,
  entries: readonly Entry[],
  { turn, round, final }: CallModelInput,
  info: Info,
): Promise<RequestHeader> {
  const stored = entries.findLast((entry) => entry.key === headerKey(turn, round));
  if (isEntry(stored, 'request.header')) {
    return stored.data;
  }
  const pinned = round === 1 ? undefined : lastHeader(entries, { withTools: true })?.data;
  const base = pinned ?? (await newestHeader(dependencies, entries, info));
  return final === undefined ? base : finalHeaderOf(base, final);
}

async function newestHeader(
  dependencies: ActivityDependencies,
  entries: readonly Entry[],
  info: Info,
): Promise<RequestHeader> {
  const agent = agentOf(dependencies, entries);
  if (agent !== undefined) {
    return headerOf(agent);
  }
  await waitForDefinition(dependencies, info, 'the agent of this session');
  throw new HoldpointError('agent_unavailable', 'No worker has the agent of this session any more.');
}

async function findAdapter(
  dependencies: ActivityDependencies,
  { model }: RequestHeader,
  info: Info,
): Promise<ModelAdapter> {
  const adapter = dependencies.adapters.get(model.slice(0, model.indexOf(':')));
  if (adapter !== undefined) {
    return adapter;
  }
  await waitForDefinition(dependencies, info, `the model ${model}`);
  throw new HoldpointError('agent_unavailable', `No adapter serves the model ${model}.`);
}

/** A worker that lacks a tool of the turn leaves it to another one for a while; then calls of it are answered as unknown. */
async function checkTools(dependencies: ActivityDependencies, { tools }: RequestHeader, info: Info): Promise<void> {
  const missing = tools.find(({ name }) => !dependencies.catalog.tools.has(name));
  if (missing !== undefined) {
    await waitForDefinition(dependencies, info, `the tool ${missing.name}`);
  }
}

/** Who caused a turn. */
function principalOf(entries: readonly Entry[], turn: number): string | undefined {
  const started = entries.find((entry) => isEntry(entry, 'turn.started') && entry.turn === turn);
  const messageId = isEntry(started, 'turn.started') ? started.data.messageId : '';
  const message = entries.find(({ key }) => key === messageKey(messageId));
  return isEntry(message, 'user.message') ? message.data.principal : undefined;
}

import { Context } from '@temporalio/activity';
import type { CallModelInput, CallModelResult, EffectActivities } from '../core/activity-contracts';
import type { AssembledReply } from '../core/block-assembler';
import { type EntryOf, isEntry } from '../core/entries';
import { partialKey, replyKey } from '../core/entry-keys';
import { HoldpointError } from '../core/errors';
import { DEFAULT_LIMITS } from '../core/limits';
import { type Block, NO_USAGE } from '../core/messages';
import { modelStep } from '../core/model-step';
import { type ActiveWatch, startActiveWatch } from './active-watch';
import { isTurnCancelled } from './activity-cancel';
import type { ActivityDependencies } from './activity-dependencies';
import { chunkPublisher } from './chunk-publisher';
import { runEffect } from './effect-step';
import { createLogCache, type LogCache } from './log-cache';
import { type AttemptPlace, activeMsOf, checkLostAttempts, failAttempt, retriesOf } from './model-attempts';
import { type ModelRound, prepareRound, takeHandedOver } from './model-round';
import { type PlannedCall, planCalls } from './plan-calls';
import { currentPlans, resultOfReply } from './rebuild-reply';
import { type RunningStep, withRunningStep } from './running-step';
import { limitsOf } from './session-limits';
import type { SessionLog } from './session-log';
import { storableBlocks } from './storable-blocks';
import { streamReply } from './stream-reply';

/** Makes the activity that asks the model. Each of its steps is safe to repeat; a stored reply is never paid for twice. */
export function createModelActivities(dependencies: ActivityDependencies): Pick<EffectActivities, 'callModel'> {
  const cache = createLogCache();
  return {
    callModel: (input) => runEffect(dependencies, input.last, (log) => callModel(dependencies, cache, log, input)),
  };
}

async function callModel(
  dependencies: ActivityDependencies,
  cache: LogCache,
  log: SessionLog,
  input: CallModelInput,
): Promise<CallModelResult> {
  if (!(await takeHandedOver(dependencies, log, input))) {
    return { v: 1, finish: 'stop', calls: [], usage: NO_USAGE, activeMs: 0, known: true, last: log.lastSeen() };
  }
  const entries = await cache.read(log);
  const stored = entries.findLast(({ key }) => key === replyKey(input.turn, input.round));
  const limits = limitsOf(dependencies, entries);
  if (isEntry(stored, 'model.reply')) {
    return resultOfReply(log, stored, await currentPlans(log, stored), input.round === 1 ? limits : undefined);
  }
  const round = await prepareRound(dependencies, log, { entries, readOn: () => cache.read(log) }, input);
  const reply = await withRunningStep(dependencies, log.key, stepOf(dependencies, input, round), () =>
    askModel(dependencies, log, input, round),
  );
  const calls = reply.isNew ? reply.entry.data.calls : await currentPlans(log, reply.entry);
  return resultOfReply(log, reply.entry, calls, input.round === 1 ? limits : undefined);
}

function stepOf(
  dependencies: ActivityDependencies,
  { turn, round, final }: CallModelInput,
  { entries }: ModelRound,
): RunningStep {
  const { roundsPerTurn } = limitsOf(dependencies, entries) ?? DEFAULT_LIMITS;
  const text = final === undefined ? 'Asking the model' : 'Asking the model for its last word';
  return { step: modelStep(turn, round), status: { turn, round, maxRounds: roundsPerTurn, tool: null, text } };
}

interface StoredReply {
  readonly entry: EntryOf<'model.reply'>;
  /** False when another attempt had stored its reply first. */
  readonly isNew: boolean;
}

async function askModel(
  dependencies: ActivityDependencies,
  log: SessionLog,
  input: CallModelInput,
  round: ModelRound,
): Promise<StoredReply> {
  const { info } = Context.current();
  const place: AttemptPlace = { turn: input.turn, round: input.round, attempt: info.attempt };
  const retries = retriesOf(round.entries, place);
  checkLostAttempts(retries, place);
  const usedMs = activeMsOf(retries);
  const watch = startActiveWatch(log);
  try {
    return await askModelTimed(dependencies, log, input, round, { watch, usedMs, place, retries });
  } finally {
    watch.stop();
  }
}

/** How far a round has come before this attempt, and the watch that times the attempt. */
interface AttemptSoFar {
  readonly watch: ActiveWatch;
  readonly usedMs: number;
  readonly place: AttemptPlace;
  readonly retries: readonly EntryOf<'model.retry'>[];
}

async function askModelTimed(
  dependencies: ActivityDependencies,
  log: SessionLog,
  input: CallModelInput,
  round: ModelRound,
  { watch, usedMs, place, retries }: AttemptSoFar,
): Promise<StoredReply> {
  const { cancellationSignal } = Context.current();
  const limits = {
    ...place,
    watch,
    idleMs: dependencies.timing.modelIdleMs,
    limitMs: Math.max(0, input.limitMs - usedMs),
    cancelled: cancellationSignal,
    stopping: dependencies.stopping,
  };
  const onChunk = chunkPublisher(dependencies.feed, log.key, place);
  const outcome = await streamReply(round.adapter, round.request, limits, onChunk).catch(async (error: unknown) => {
    throw await failAttempt(log, place, retries, error, watch.elapsedMs());
  });
  if (outcome.status === 'stopping') {
    throw new HoldpointError('worker_stopping', 'The worker stops before the model has answered.');
  }
  if (outcome.status === 'cancelled') {
    if (isTurnCancelled()) {
      await keepPartial(log, place, outcome.partial);
    }
    throw cancellationSignal.reason;
  }
  return storeReply(dependencies, log, input, round, outcome.reply, () => usedMs + watch.elapsedMs());
}

/** What was said before a cancel; nothing else that ends an attempt leaves a torn reply behind. */
async function keepPartial(
  log: SessionLog,
  { turn, round, attempt }: AttemptPlace,
  blocks: readonly Block[],
): Promise<void> {
  if (blocks.length > 0) {
    const key = partialKey(turn, round);
    await log.append({
      entries: [{ key, type: 'model.partial', turn, round, data: { blocks, attempt } }],
      onlyWhileOpen: { turn },
    });
  }
}

/** Plans the calls of a whole reply and writes both in one transaction. */
async function storeReply(
  dependencies: ActivityDependencies,
  log: SessionLog,
  { turn, round, final }: CallModelInput,
  { entries, header, readThrough, principal }: ModelRound,
  reply: AssembledReply,
  activeMs: () => number,
): Promise<StoredReply> {
  const { cancellationSignal } = Context.current();
  const blocks = storableBlocks(reply.blocks);
  const planned = await planCalls(dependencies, {
    key: log.key,
    turn,
    round,
    blocks,
    offered: new Set(header.tools.map(({ name }) => name)),
    entries,
    limits: limitsOf(dependencies, entries) ?? DEFAULT_LIMITS,
    principal,
    digestSalt: await log.read((store, key) => store.readDigestSalt(key)),
    stop: cancellationSignal,
  });
  if (cancellationSignal.aborted && !isTurnCancelled()) {
    // Previews were cut short by something the turn knows nothing of, so the plans say what is not true.
    throw cancellationSignal.reason;
  }
  const { finish, usage } = reply;
  const key = replyKey(turn, round);
  const appended = await log.append({
    entries: [
      {
        key,
        type: 'model.reply',
        turn,
        round,
        data: {
          finish,
          blocks,
          calls: planned.map(({ plan }) => plan),
          model: header.model,
          usage,
          readThrough,
          activeMs: activeMs(),
          ...(final === undefined ? {} : { final: true }),
        },
      },
      ...planned.flatMap((call) => call.entries),
    ],
    approvals: questionsOf(planned),
    onlyWhileOpen: { turn },
  });
  const entry = 'entries' in appended ? appended.entries.find((candidate) => candidate.key === key) : undefined;
  if (!isEntry(entry, 'model.reply')) {
    throw new HoldpointError('call_aborted', `Turn ${turn} has ended before the model had answered.`);
  }
  return { entry, isNew: appended.status === 'written' };
}

function questionsOf(planned: readonly PlannedCall[]): NonNullable<PlannedCall['question']>[] {
  return planned.flatMap(({ question }) => (question === undefined ? [] : [question]));
}

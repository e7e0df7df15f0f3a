import { type ActivityDependencies, DEFAULT_TIMING } from '../activities/activity-dependencies';
import { openMemoryStore } from '../adapters/store/open-store';
import { HoldpointError, isHoldpointError } from '../core/errors';
import type { SessionId, SessionKey, Tenant } from '../core/ids';
import type { Limits } from '../core/limits';
import type { Logger } from '../core/ports/logger';
import type { ModelAdapter, ModelRequest } from '../core/ports/model-adapter';
import type { SessionStore } from '../core/ports/session-store';
import { buildCatalog } from '../definitions/build-catalog';
import { type AgentDefinition, defineAgent } from '../definitions/define-agent';
import type { Policy } from '../definitions/policy';
import { initialState } from '../workflows/agent-session-state';
import { runCommand } from '../workflows/run-command';
import { SessionLoop } from '../workflows/session-loop';
import { type AgentRun, readAgentRun } from './agent-run';
import type { Decisions } from './decisions';
import { createInProcessActivities } from './in-process-activities';
import { People, type TestMessage } from './people';
import type { ScriptStep } from './script-step';
import { isScriptedModel, scriptedModel } from './scripted-model';
import { VirtualWorld } from './virtual-world';

/** What to run. `message` is short for one message; exactly one of `message` and `messages` is needed. */
export interface RunAgentOptions {
  readonly agent: AgentDefinition;
  readonly message?: string;
  /** Each opens a turn of its own unless it says otherwise; a text is a followup. */
  readonly messages?: readonly (string | TestMessage)[];
  /** What the model does each time it is asked, or any other model, for example the mock. */
  readonly script: readonly ScriptStep[] | ModelAdapter;
  /** Answers to questions. A question without an answer fails the run. Default: no answers. */
  readonly decisions?: Decisions;
  /** The project's rules. Default: reads run, writes are reviewed. */
  readonly policy?: Policy;
  /** Who sends the messages, and decides where an answer names nobody else. Default `local`. */
  readonly principal?: string;
  /** Limits that differ from the agent's own. */
  readonly limits?: Partial<Limits>;
  /** ISO time at which the run begins. Default `2026-01-01T00:00:00.000Z`. */
  readonly startAt?: string;
  /** Hears what tools and activities log. Default: nobody. */
  readonly logger?: Logger;
}

const DEFAULT_START = '2026-01-01T00:00:00.000Z';
const DEFAULT_MODEL = 'scripted:test';
const RUN_ID = 'run-1';
/** Pauses after which a step that fails is given up; in production it would be repeated for ever. */
const MAX_PAUSES = 5;
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Runs an agent in this process until all its messages are answered: the same session rules, activities and store code
 * as in production, with a store in memory, without a Temporal server, network or worker. Runs share nothing.
 *
 * Time is virtual: it stands still while something works, and jumps over what would be waited for (an approval's expiry,
 * the pause before another attempt). What runs inside a tool or a model takes real time, and its own time limit is real.
 *
 * Throws HoldpointError `not_as_scripted` that shows where the run left the script (a request without a step, a step
 * that was not used, a question without an answer), what an `expectRequest` or a decision function threw, and
 * `invalid_request` or `invalid_definition` for options that can't be run.
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentRun> {
  const startMs = Date.parse(options.startAt ?? DEFAULT_START);
  const messages = messagesOf(options);
  if (Number.isNaN(startMs)) {
    throw new HoldpointError('invalid_request', `startAt: expected an ISO time, got ${options.startAt}`);
  }
  let nowMs = (): number => startMs;
  const store = await openMemoryStore(() => nowMs());
  try {
    const session = new TestSession(options, messages, store, startMs);
    nowMs = () => session.nowMs();
    return await session.run();
  } finally {
    await store.close();
  }
}

/** The loop of one session, the world it runs in, and the people around it. */
class TestSession {
  private readonly key: SessionKey = { tenant: 'default' as Tenant, sessionId: 'test' as SessionId };
  private readonly requests: ModelRequest[] = [];
  private readonly store: SessionStore;
  private readonly model: ModelAdapter;
  private readonly world: VirtualWorld;
  private readonly loop: SessionLoop;
  private readonly people: People;
  private isOver = false;

  constructor(options: RunAgentOptions, messages: readonly TestMessage[], store: SessionStore, startMs: number) {
    const { decisions = {}, principal = 'local', script } = options;
    const agent = withLimits(options.agent, options.limits);
    this.store = store;
    this.model = 'stream' in script ? script : scriptedModel(script);
    const activities = createInProcessActivities({
      dependencies: this.dependencies(options, agent),
      key: this.key,
      runId: RUN_ID,
      nowMs: () => this.nowMs(),
      sleep: (durationMs, signal) => this.world.sleep(durationMs, signal),
    });
    this.world = new VirtualWorld({
      startMs,
      run: (command, state, signal) => runCommand(command, state, activities(signal)),
      onQuiet: () => this.goOn(),
    });
    this.loop = new SessionLoop(initialState({ ...this.key, agent: agent.name }, startMs), this.world);
    this.people = new People({
      ...{ store, key: this.key, agent: agent.name, messages, decisions, principal },
      nowMs: () => this.nowMs(),
      receive: (event) => this.loop.apply(event),
    });
  }

  nowMs(): number {
    return this.world.nowMs();
  }

  async run(): Promise<AgentRun> {
    await this.people.begin();
    while (!this.isOver) {
      await this.loop.step();
    }
    const run = await readAgentRun(this.store, this.key, this.requests);
    try {
      this.people.assertDone();
      if (isScriptedModel(this.model)) {
        this.model.assertDone();
      }
    } catch (error) {
      throw isHoldpointError(error) ? withTurns(error, run) : error;
    }
    return run;
  }

  /** Nothing works: people act, or time has to pass, or all is done. */
  private async goOn(): Promise<boolean> {
    const { state } = this.loop;
    if (isScriptedModel(this.model) && this.model.fault !== undefined) {
      throw this.model.fault;
    }
    if (state.phase === 'blocked' || state.pauses >= MAX_PAUSES) {
      throw new HoldpointError(
        'internal',
        `The session can not go on: ${state.blockedCode ?? 'a step fails each time'}.`,
      );
    }
    const hasActed = await this.people.act(state);
    if (!hasActed && state.phase === 'idle' && state.questions.length === 0) {
      this.isOver = true;
      // Ends the wait of the loop, which would last until the session closes for being idle.
      this.loop.apply({ type: 'time' });
      return true;
    }
    return hasActed;
  }

  private dependencies({ logger = SILENT, policy }: RunAgentOptions, agent: AgentDefinition): ActivityDependencies {
    const catalog = buildCatalog({ agents: [agent], defaultModel: DEFAULT_MODEL });
    const api = catalog.agents.get(agent.name)?.modelApi ?? '';
    return {
      store: this.store,
      catalog,
      adapters: new Map([[api, this.recordingModel(api)]]),
      clock: { nowMs: async () => this.nowMs() },
      logger,
      feed: { publish: () => undefined },
      temporal: {
        describeRun: async () => ({ runId: RUN_ID, status: 'RUNNING', firstRunId: RUN_ID }),
        askAboutAttempt: async () => 'current',
      },
      policy,
      definitionGraceMs: 0,
      createsMissingRows: false,
      stopping: new AbortController().signal,
      timing: DEFAULT_TIMING,
    };
  }

  /** The model under the API of the agent, whatever that is, so that an agent is tested as it is. */
  private recordingModel(api: string): ModelAdapter {
    const { model, requests } = this;
    const sendDuring = (request: number): Promise<void> => this.people.sendDuring(request);
    return {
      api,
      async *stream(request, streamOptions) {
        requests.push(request);
        await sendDuring(requests.length);
        yield* model.stream(request, streamOptions);
      },
    };
  }
}

/** The fault, with how the turns ended: that mostly says why a step was not used. */
function withTurns({ code, message }: HoldpointError, { turns }: AgentRun): HoldpointError {
  const ends = turns.map(({ turn, outcome, code: reason }) => `  ${turn}. ${outcome}${reason ? ` (${reason})` : ''}`);
  return new HoldpointError(code, [message, 'How the turns ended:', ...ends].join('\n'));
}

function withLimits(agent: AgentDefinition, limits: Partial<Limits> = {}): AgentDefinition {
  const { model, ...rest } = agent;
  return defineAgent({ ...rest, ...(model === undefined ? {} : { model }), limits: { ...agent.limits, ...limits } });
}

function messagesOf({ message, messages }: RunAgentOptions): readonly TestMessage[] {
  const given = messages ?? (message === undefined ? [] : [message]);
  const read = given.map((one) => (typeof one === 'string' ? { content: one } : one));
  const first = read[0];
  if ((message !== undefined && messages !== undefined) || first === undefined) {
    throw new HoldpointError('invalid_request', 'expected either message or messages, at least one');
  }
  if (first.mode === 'inject' || first.whileRequest !== undefined) {
    throw new HoldpointError('invalid_request', 'messages[0]: opens the first turn, so it can neither inject nor wait');
  }
  return read;
}

/**
 * A feed within one process. What it keeps hangs on the steps that run: a step begins with its first event, lives as
 * long as it is renewed, and takes the fragments it has streamed with it when it is over.
 */
import { SECOND_MS } from '../../../core/durations';
import { createFeedListeners } from '../../../core/feed-listeners';
import { type SessionKey, workflowIdOf } from '../../../core/ids';
import { modelStep } from '../../../core/model-step';
import type { FeedEvent, FeedPublisher, FeedScope, FeedSource, StepEvent } from '../../../core/ports/feed';
import { createKeptChunks, type SessionChunk } from './kept-chunks';

export interface MemoryFeed extends FeedPublisher, FeedSource {
  /** Drops everything that is in the air and tells subscribers that the steps are over: their worker is gone. */
  clear(): void;
}

export interface MemoryFeedOptions {
  /** What is kept of one step's fragments, see `chunkWeight`. Default 256 Ki. */
  readonly keptPerStep?: number;
  /** The same of all steps together. Default 64 Mi. */
  readonly keptInAll?: number;
}

type SessionStep = SessionKey & StepEvent;

interface RunningStep {
  /** The last that was said of it. */
  readonly event: SessionStep;
  readonly expiry: NodeJS.Timeout;
}

const KEPT_PER_STEP = 256 * 1024;
const KEPT_IN_ALL = 64 * 1024 * 1024;
/** A worker renews its steps every two seconds; one that was killed can't say that they are over. */
const STEP_EXPIRY_MS = 15 * SECOND_MS;

/** A feed for publishers and listeners of one process. Its memory is bounded by what it keeps of fragments. */
export function createMemoryFeed({ keptPerStep, keptInAll }: MemoryFeedOptions = {}): MemoryFeed {
  const listeners = createFeedListeners();
  const running = new Map<string, RunningStep>();
  const chunks = createKeptChunks({ perStep: keptPerStep ?? KEPT_PER_STEP, inAll: keptInAll ?? KEPT_IN_ALL });

  const end = (name: string): void => {
    clearTimeout(running.get(name)?.expiry);
    running.delete(name);
    chunks.drop(name);
  };
  const endAndTell = (name: string, { tenant, sessionId, step }: SessionStep): void => {
    end(name);
    listeners.tell({ tenant, sessionId, type: 'step', step, status: undefined });
  };
  const note = (event: FeedEvent): void => {
    if (event.type === 'step') {
      const name = nameOf(event, event.step);
      if (event.status === undefined) {
        end(name);
      } else {
        clearTimeout(running.get(name)?.expiry);
        running.set(name, { event, expiry: setTimeout(endAndTell, STEP_EXPIRY_MS, name, event).unref() });
      }
    } else if (event.type === 'chunk') {
      const name = nameOf(event, modelStep(event.turn, event.round));
      // A step that is over has nothing in the air, whatever a slow attempt still says.
      if (running.has(name)) {
        chunks.keep(name, event);
      }
    }
  };
  const inTheAir = ({ tenant, sessionId }: FeedScope): readonly FeedEvent[] =>
    [...running]
      .filter(([, { event }]) => event.tenant === tenant && event.sessionId === sessionId)
      .flatMap(([name, { event }]): (SessionStep | SessionChunk)[] => [event, ...chunks.of(name)]);

  return {
    publish(event) {
      note(event);
      listeners.tell(event);
    },
    subscribe: (scope, listener) => listeners.add(scope, listener, inTheAir(scope)),
    clear() {
      for (const [name, { event }] of [...running]) {
        endAndTell(name, event);
      }
    },
  };
}

function nameOf(key: SessionKey, step: string): string {
  return `${workflowIdOf(key)}/${step}`;
}

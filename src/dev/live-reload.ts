import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureReason } from './failure-reason';
import { createProjectWatch, type ProjectLoad } from './project-watch';
import type { WorkerSupervision } from './supervise-worker';
import type { LoadedProject } from './worker-messages';

const LOOK_INTERVAL_MS = 150;

export interface LiveReloadOptions {
  readonly worker: Pick<WorkerSupervision, 'reload'>;
  /** Absolute. */
  readonly configPath: string;
  /** The load that runs now. */
  readonly first: ProjectLoad;
  /** Hears in one line what came of a change; a project with several faults has a line for each. */
  readonly report: (line: string) => void;
}

/** Reloads the worker whenever the project's code has changed, until it is closed. */
export function startLiveReload(options: LiveReloadOptions): { close(): void } {
  const closing = new AbortController();
  void reloadOnChanges(options, closing.signal).catch((error: unknown) => {
    if (!closing.signal.aborted) {
      options.report(`changes are no longer seen: ${failureReason(error)}; start holdpoint again`);
    }
  });
  return { close: () => closing.abort() };
}

async function reloadOnChanges(
  { worker, configPath, first, report }: LiveReloadOptions,
  closing: AbortSignal,
): Promise<never> {
  const watch = createProjectWatch(dirname(configPath));
  await watch.follow(first);
  for (;;) {
    await sleep(LOOK_INTERVAL_MS, undefined, { signal: closing });
    const isChanged = await watch.isChanged();
    closing.throwIfAborted();
    if (isChanged) {
      const beganAtMs = Date.now();
      const outcome = await worker.reload();
      closing.throwIfAborted();
      for (const line of outcome.ok ? [`reloaded: ${describe(outcome.project)}`] : faultLines(outcome.error.message)) {
        report(line);
      }
      await watch.follow({ beganAtMs, files: outcome.files, ok: outcome.ok });
    }
  }
}

/** A project in a few words, for example `2 agents, 5 tools`. */
function describe({ agents, tools }: LoadedProject): string {
  return `${counted(agents.length, 'agent')}, ${counted(tools, 'tool')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function faultLines(message: string): readonly string[] {
  return message.split('\n').map((fault) => `not reloaded: ${fault}`);
}

import { PARALLEL_POOL } from '../core/limits';
import type { CallState } from './agent-session-state';

/**
 * The calls that may start now. They run one after another, in order, unless they may overlap: an exclusive call waits
 * for all that run and lets nothing pass while it runs. A held call is no barrier: what waits for a human lets later
 * calls pass. At most `PARALLEL_POOL` run at a time.
 */
export function startableCalls(calls: readonly CallState[]): readonly CallState[] {
  const running = calls.filter((call) => call.step === 'running' || call.step === 'lost');
  if (running.some((call) => !call.parallel)) {
    return [];
  }
  const ready = calls.filter((call) => call.step === 'ready').sort((left, right) => left.order - right.order);
  const startable: CallState[] = [];
  for (const call of ready) {
    const busy = running.length + startable.length;
    if (busy >= PARALLEL_POOL || (!call.parallel && busy > 0)) {
      break;
    }
    startable.push(call);
    if (!call.parallel) {
      break;
    }
  }
  return startable;
}

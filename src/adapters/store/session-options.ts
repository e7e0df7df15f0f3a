import { canonicalJson } from '../../core/canonical-json';
import { HoldpointError } from '../../core/errors';
import { type SessionKey, workflowIdOf } from '../../core/ids';
import type { Limits } from '../../core/limits';
import type { OpenSessionStoreInput } from '../../core/ports/worker-store';
import type { SessionMetadata, SessionOptions } from '../../core/sessions';
import type { SessionRow } from './tables';

/** What a session was started with. */
export function optionsOf({
  mode,
  limits,
  metadata,
}: SessionRow): SessionOptions & Required<Pick<SessionOptions, 'mode'>> {
  return {
    mode,
    ...(limits === null ? {} : { limits: JSON.parse(limits) as Partial<Limits> }),
    ...(metadata === null ? {} : { metadata: JSON.parse(metadata) as SessionMetadata }),
  };
}

/**
 * A start says what the row says, or nothing: whoever restarts a session knows only its id. The first one may widen
 * nothing.
 * Throws HoldpointError `invalid_start`.
 */
export function requireFittingStart(row: SessionRow, key: SessionKey, asked: OpenSessionStoreInput): void {
  const stored = optionsOf(row);
  const differing = [
    ...(asked.mode === 'task' && stored.mode !== 'task' ? ['mode'] : []),
    ...(isSame(asked.limits, stored.limits) ? [] : ['limits']),
    ...(isSame(asked.metadata, stored.metadata) ? [] : ['metadata']),
  ];
  if (differing.length > 0) {
    const text = `Session ${workflowIdOf(key)} exists with other ${differing.join(', ')} than its start says.`;
    throw new HoldpointError('invalid_start', text);
  }
  const { agent, widening = [] } = asked;
  if (row.opening === 0 && widening.length > 0) {
    throw new HoldpointError('invalid_start', `Wider than those of agent ${agent}: limits ${widening.join(', ')}.`);
  }
}

/** True once a task has had its turn: nothing opens it again. */
export function isFinishedTask({ mode, ended_turn: endedTurn }: SessionRow): boolean {
  return mode === 'task' && endedTurn > 0;
}

function isSame(asked: object | undefined, stored: object = {}): boolean {
  return asked === undefined || canonicalJson(asked) === canonicalJson(stored);
}

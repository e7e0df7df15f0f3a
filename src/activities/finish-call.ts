import { type EntryOf, isEntry, type NewEntry, type ToolResultData } from '../core/entries';
import { lateKey, resultKey } from '../core/entry-keys';
import { errorCodeOf, HoldpointError } from '../core/errors';
import type { ActivityDependencies } from './activity-dependencies';
import { type CallRecord, readResult } from './call-record';
import { isoNow, type SessionLog } from './session-log';
import type { BodyResult } from './tool-output';

/** How a call ended, before it is written. */
export interface CallEnding {
  readonly call: CallRecord;
  readonly result: BodyResult;
  /** The try that led here; absent for calls that were answered without running. */
  readonly try?: number;
  readonly approvalId?: string | undefined;
}

/**
 * Writes the result of a call, unless it has one: then the stored one counts, and a true ending of a body is kept beside
 * it. Returns the result that counts. Throws HoldpointError `call_aborted` when the turn ended without any.
 */
export async function finishCall(
  dependencies: Pick<ActivityDependencies, 'store' | 'clock' | 'feed'>,
  log: SessionLog,
  ending: CallEnding,
): Promise<EntryOf<'tool.result'>> {
  const { call, result } = ending;
  const { blob } = result;
  const { entry, blobId } = resultEntryOf(ending);
  try {
    const appended = await log.append({
      entries: [entry],
      ...(blob === undefined ? {} : { blobs: [{ blobId, bytes: blob }] }),
      onlyWhileOpen: { turn: call.turn, callId: call.callId },
    });
    const written = 'entries' in appended ? appended.entries.find(({ key }) => key === entry.key) : undefined;
    if (appended.status === 'written' && isEntry(written, 'tool.result')) {
      return written;
    }
  } catch (error) {
    if (errorCodeOf(error) === 'fenced') {
      await keepLateResult(dependencies, log, ending);
    }
    throw error;
  }
  const stored = await readResult(log, call.callId);
  if (stored === undefined || !isSameEnding(stored.data, ending)) {
    await keepLateResult(dependencies, log, ending);
  }
  if (stored === undefined) {
    throw new HoldpointError('call_aborted', `Turn ${call.turn} ended before call ${call.callId} did.`);
  }
  return stored;
}

/** Keeps a body's own ending that nobody waits for any more. It changes no state and needs no right to write. */
export async function keepLateResult(
  { store, clock, feed }: Pick<ActivityDependencies, 'store' | 'clock' | 'feed'>,
  log: SessionLog,
  { call, result, try: tryNumber = 1 }: CallEnding,
): Promise<void> {
  if (result.status !== 'success' && result.status !== 'error') {
    return;
  }
  const { callId, turn, round } = call;
  const entry: NewEntry = {
    key: lateKey(callId, tryNumber),
    type: 'tool.late_result',
    turn,
    round,
    callId,
    data: { try: tryNumber, status: result.status, text: result.text },
  };
  const at = await isoNow({ clock });
  await log.read(() => store.appendLateResult(log.key, entry, at));
  feed.publish({ ...log.key, type: 'committed' });
}

export function resultEntryOf(ending: CallEnding): { readonly entry: NewEntry; readonly blobId: string } {
  const { call, result, try: tryNumber, approvalId } = ending;
  const { blob, ...shown } = result;
  const blobId = `${call.callId}-${tryNumber ?? 0}`;
  const data: ToolResultData = {
    tool: call.plan.tool,
    effect: call.plan.effect,
    ...shown,
    ...(blob === undefined ? {} : { blobId }),
    ...(tryNumber === undefined ? {} : { try: tryNumber }),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
  const { callId, turn, round } = call;
  return { entry: { key: resultKey(callId), type: 'tool.result', turn, round, callId, data }, blobId };
}

/** A repeat of ours after a lost acknowledgement says the same as what is stored. */
function isSameEnding(stored: ToolResultData, ending: CallEnding): boolean {
  const { result } = ending;
  return stored.status === result.status && stored.try === ending.try && stored.text === result.text;
}

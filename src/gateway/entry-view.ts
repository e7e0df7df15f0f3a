import type { Entry } from '../core/entries';
import type { EntryView } from '../core/http-answers';
import type { JsonObject } from '../core/json';

/** An entry as clients see it. */
export function entryView(entry: Entry): EntryView {
  return {
    seq: entry.seq,
    key: entry.key,
    type: entry.type,
    turn: entry.turn ?? null,
    round: entry.round ?? null,
    ...(entry.callId === undefined ? {} : { callId: entry.callId }),
    // Entry data is JSON by contract: the store wrote it as canonical JSON.
    data: entry.data as unknown as JsonObject,
    at: entry.at,
    digest: entry.digest,
  };
}

/**
 * How sessions are named on the way from workers to gateways: one notification names those in which something was
 * committed, one a line, as `<tenant>/<session>`. Only ids travel; whoever hears of one reads the store.
 */
import { type SessionKey, sessionKeyOf } from '../../../core/ids';

/** The channel all holdpoint processes of a database share. */
export const COMMITTED_CHANNEL = 'holdpoint_committed';
/** Stands for more sessions than could be named: look at all of them. */
export const EVERY_SESSION = '*';
/** Postgres takes less than 8,000 bytes; ids are ASCII. */
const MAX_PAYLOAD_CHARACTERS = 7_900;

/** As many of the names as one notification takes, one at least, in their order. */
export function namesThatFit(names: Iterable<string>): readonly string[] {
  const fitting: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length + 1;
    if (fitting.length > 0 && length > MAX_PAYLOAD_CHARACTERS) {
      break;
    }
    fitting.push(name);
  }
  return fitting;
}

/** The payload that names sessions. */
export function payloadOf(names: readonly string[]): string {
  return names.join('\n');
}

/** What a payload names; anybody who may use the database can send one, so what is no session is left out. */
export function readPayload(payload: string): readonly (SessionKey | typeof EVERY_SESSION)[] {
  return payload.split('\n').flatMap((name) => (name === EVERY_SESSION ? EVERY_SESSION : (sessionKeyOf(name) ?? [])));
}

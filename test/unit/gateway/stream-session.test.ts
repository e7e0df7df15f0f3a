import type { Entry } from '../../../src/core/entries';
import type { SessionId, SessionKey, Tenant } from '../../../src/core/ids';
import type { GatewayStore } from '../../../src/core/ports/gateway-store';
import { EventStream } from '../../../src/gateway/event-stream';
import type { GatewayContext } from '../../../src/gateway/gateway-context';
import { streamSession } from '../../../src/gateway/stream-session';
import { STREAM_DEFAULTS } from '../../../src/gateway/stream-settings';
import { silentLogger } from '../../support/silent-logger';

const KEY: SessionKey = { tenant: 'default' as Tenant, sessionId: 's' as SessionId };

/** The entry behind a place in a log that never ends. */
function entryBehind(after: number): Entry {
  const data = { messageId: 'm', mode: 'followup', content: 'x'.repeat(1_048_576) };
  return { seq: after + 1, key: 'k', type: 'user.message', turn: 1, data, at: 'now', digest: 'd' } as unknown as Entry;
}

test('no page is read for a reader that has taken nothing of the one before', async () => {
  const places: number[] = [];
  const store: Pick<GatewayStore, 'listEntries'> = {
    listEntries: async (_key, after) => {
      places.push(after);
      return [entryBehind(after)];
    },
  };
  const context = { store, logger: silentLogger, streams: STREAM_DEFAULTS } as unknown as GatewayContext;
  const stream = new EventStream<never>(STREAM_DEFAULTS);
  const isOver = streamSession(context, KEY, 0, stream);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(places).toEqual([0]);
  stream.end();
  await isOver;
  expect(places).toEqual([0]);
});

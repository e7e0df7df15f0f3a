import type { NewEntry } from '../../../src/core/entries';
import { injectKey } from '../../../src/core/entry-keys';
import type { SessionId, SessionKey, Tenant } from '../../../src/core/ids';
import type { FeedEvent, FeedPublisher } from '../../../src/core/ports/feed';
import type { SessionStore } from '../../../src/core/ports/session-store';

const RUN_ID = 'run-1';
const BATCH_ENTRIES = 500;

type Said = FeedEvent extends infer Event
  ? Event extends FeedEvent
    ? Omit<Event, 'tenant' | 'sessionId'>
    : never
  : never;

/** Writes whatever a test wants into the log of a session that a gateway has created, as its worker would. */
export class LogWriter {
  readonly key: SessionKey;
  readonly #store: SessionStore;
  readonly #feed: FeedPublisher;
  #count = 0;

  private constructor(store: SessionStore, feed: FeedPublisher, sessionId: string) {
    this.key = { tenant: 'default' as Tenant, sessionId: sessionId as SessionId };
    this.#store = store;
    this.#feed = feed;
  }

  /** Takes the session for itself; the log begins with `session.started`. */
  static async open(store: SessionStore, feed: FeedPublisher, sessionId: string): Promise<LogWriter> {
    const writer = new LogWriter(store, feed, sessionId);
    await store.claimRun(writer.key, '', RUN_ID);
    const at = new Date().toISOString();
    await store.openSession({ ...writer.key, runId: RUN_ID }, { agent: 'workspace', createRow: false, at });
    return writer;
  }

  /** Appends so many small entries, or one of each text, and gives no hint. */
  async write(contents: number | readonly string[]): Promise<void> {
    const texts = typeof contents === 'number' ? Array.from({ length: contents }, () => 'text') : contents;
    for (let start = 0; start < texts.length; start += BATCH_ENTRIES) {
      await this.append(texts.slice(start, start + BATCH_ENTRIES).map((content) => this.#entry(content)));
    }
  }

  async append(entries: readonly NewEntry[]): Promise<void> {
    const [first, ...rest] = entries;
    if (first !== undefined) {
      const at = new Date().toISOString();
      await this.#store.append({ ...this.key, runId: RUN_ID }, { entries: [first, ...rest], at });
    }
  }

  /** Says something of the session on the feed. */
  say(event: Said): void {
    this.#feed.publish({ ...this.key, ...event });
  }

  hint(): void {
    this.say({ type: 'committed' });
  }

  #entry(content: string): NewEntry {
    this.#count += 1;
    const place = { turn: 1, round: 1, key: injectKey(1, 1, this.#count) };
    return { ...place, type: 'context.injected', data: { source: 'test', content } };
  }
}

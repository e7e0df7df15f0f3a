/**
 * Tells what changes among the questions of a tenant. It runs only while somebody listens: it looks at the store now and
 * then, and soon after a hint of the feed, and compares with the look before.
 *
 * A question may be asked and answered between two looks, while somebody reads a list that shows it as pending. So a
 * look sees not only the pending questions but also all that were asked lately, whatever became of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApprovalRecord, ApprovalStatus } from '../core/approvals';
import { MINUTE_MS } from '../core/durations';
import { errorCodeOf } from '../core/errors';
import type { Tenant } from '../core/ids';
import { approvalIdOf } from '../digests/derived-ids';
import type { GatewayContext } from './gateway-context';

type Listener = (approval: ApprovalRecord) => void;
type Statuses = ReadonlyMap<string, ApprovalStatus>;

/** A question counts as asked lately for this long. Clocks of workers may be behind that of the gateway by less. */
const LATELY_MS = 2 * MINUTE_MS;

export class ApprovalWatcher {
  readonly #context: GatewayContext;
  readonly #listeners = new Set<{ readonly tell: Listener }>();
  /** Those who listen, and those who are about to. */
  #guests = 0;
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isHinted = false;
  /** What the last look saw; undefined before the first one. */
  #known: Statuses | undefined;
  /** The look that runs or ran last, and the one that comes after it. */
  #look: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | undefined;

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  /**
   * Resolves when the store has been looked at; from that look on `tell` is called with each question that is new or has
   * another status, as the store holds it then, until the returned function is called. Throws what the store throws.
   */
  async join(tell: Listener): Promise<() => void> {
    this.#guests += 1;
    if (this.#guests === 1) {
      this.#start();
    }
    try {
      await this.#lookAnew();
    } catch (error) {
      this.#depart();
      throw error;
    }
    const listener = { tell };
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener)) {
        this.#depart();
      }
    };
  }

  #start(): void {
    const { feed, tenant, streams } = this.#context;
    this.#unsubscribe = feed?.subscribe({ tenant }, ({ type }) => {
      if (type === 'committed' && !this.#isHinted) {
        this.#isHinted = true;
        this.#plan(streams.gatherMs);
      }
    });
    this.#plan(streams.lookEveryMs);
  }

  #depart(): void {
    this.#guests -= 1;
    if (this.#guests === 0) {
      clearTimeout(this.#timer);
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      this.#isHinted = false;
      this.#known = undefined;
    }
  }

  #plan(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookAndPlan(), afterMs);
  }

  async #lookAndPlan(): Promise<void> {
    this.#isHinted = false;
    try {
      await this.#lookAnew();
    } catch (error) {
      const code = errorCodeOf(error);
      const note = code === 'store_unavailable' ? 'debug' : 'error';
      this.#context.logger[note]('the questions could not be looked at; they will be again', { code, error });
    }
    if (this.#guests > 0 && !this.#isHinted) {
      this.#plan(this.#context.streams.lookEveryMs);
    }
  }

  /** A look that begins after this call. Looks never overlap; all who ask while one runs share the next. */
  #lookAnew(): Promise<void> {
    this.#nextLook ??= this.#look
      .catch(() => undefined)
      .then(() => {
        this.#nextLook = undefined;
        this.#look = this.#lookNow();
        return this.#look;
      });
    return this.#nextLook;
  }

  async #lookNow(): Promise<void> {
    const { store, tenant, clock } = this.#context;
    const lately = new Date((await clock.nowMs()) - LATELY_MS).toISOString();
    const seen: Statuses = new Map(
      (await store.listApprovalStatuses(tenant, lately)).map(({ approvalId, status }) => [approvalId, status]),
    );
    const known = this.#known ?? seen;
    const changed = [...seen.keys(), ...known.keys()].filter((approvalId) => hasChanged(approvalId, known, seen));
    for (const approvalId of new Set(changed)) {
      await this.#tell(approvalId);
      // Lets connections take what was said before more is said.
      await nextTurn();
    }
    this.#known = seen;
  }

  async #tell(approvalId: string): Promise<void> {
    const { store, tenant } = this.#context;
    const record = await store.readApproval(tenant, approvalId);
    if (record === undefined) {
      return;
    }
    const replaced = record.ask === 1 ? undefined : await store.readApproval(tenant, idBefore(tenant, record));
    for (const question of replaced?.status === 'superseded' ? [replaced, record] : [record]) {
      for (const { tell } of this.#listeners) {
        tell(question);
      }
    }
  }
}

/** A question that is not seen any more was answered, if it was pending; else it only grew old. */
function hasChanged(approvalId: string, known: Statuses, seen: Statuses): boolean {
  const before = known.get(approvalId);
  const after = seen.get(approvalId);
  return after === undefined ? before === 'pending' : after !== before;
}

/** The question that this one replaces, if it does: it may have been approved long ago, and is superseded now. */
function idBefore(tenant: Tenant, { sessionId, callId, kind, ask }: ApprovalRecord): string {
  return approvalIdOf({ tenant, sessionId, callId, kind, ask: ask - 1 });
}

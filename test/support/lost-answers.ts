import { HoldpointError } from '../../src/core/errors';
import type { SessionStore } from '../../src/core/ports/session-store';

/** Which operation of the store loses its answer; for `append`, the type of the batch's first entry. */
export interface LostOperation {
  readonly operation: keyof SessionStore;
  readonly entryType?: string;
}

/**
 * The real store over a bad line: an operation that was chosen commits, and then its caller is told that the store can't
 * be asked, once.
 */
export class LostAnswers {
  private wanted: LostOperation | undefined;

  /** The next operation of this kind loses its answer. */
  loseNext(wanted: LostOperation): void {
    this.wanted = wanted;
  }

  /** True while the chosen operation has not come. */
  get isArmed(): boolean {
    return this.wanted !== undefined;
  }

  /** A store whose answers may get lost. */
  wrap(store: SessionStore): SessionStore {
    return new Proxy(store, {
      get: (target, property, receiver) => {
        const operation: unknown = Reflect.get(target, property, receiver);
        if (typeof operation !== 'function') {
          return operation;
        }
        return async (...parameters: unknown[]) => {
          const result: unknown = await operation.apply(target, parameters);
          if (this.isWanted(String(property), parameters)) {
            this.wanted = undefined;
            throw new HoldpointError('store_unavailable', 'The answer of the store was lost.');
          }
          return result;
        };
      },
    });
  }

  private isWanted(operation: string, parameters: readonly unknown[]): boolean {
    if (this.wanted?.operation !== operation) {
      return false;
    }
    if (this.wanted.entryType === undefined) {
      return true;
    }
    const { entries } = parameters[1] as { readonly entries: readonly { readonly type: string }[] };
    return entries[0]?.type === this.wanted.entryType;
  }
}

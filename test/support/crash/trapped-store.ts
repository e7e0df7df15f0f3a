import type { SessionStore } from '../../../src/core/ports/session-store';
import type { Trap, TrapPoint } from './trap';

/** The real store with traps around the transactions that matter. */
export function trappedStore(store: SessionStore, trap: Trap): SessionStore {
  return new Proxy(store, {
    get(target, property, receiver) {
      const operation: unknown = Reflect.get(target, property, receiver);
      if (typeof operation !== 'function') {
        return operation;
      }
      return async (...parameters: unknown[]) => {
        const points = pointsOf(String(property), parameters);
        if (points !== undefined) {
          await trap.at(points[0]);
        }
        const result: unknown = await operation.apply(target, parameters);
        if (points !== undefined) {
          await trap.at(points[1]);
        }
        return result;
      };
    },
  });
}

/** The points before and after an operation. */
function pointsOf(operation: string, parameters: readonly unknown[]): readonly [TrapPoint, TrapPoint] | undefined {
  if (operation === 'beginTry') {
    return ['before-begin', 'after-begin'];
  }
  if (operation !== 'append') {
    return undefined;
  }
  const { entries } = parameters[1] as { readonly entries: readonly { readonly type: string }[] };
  switch (entries[0]?.type) {
    case 'model.reply':
      return ['before-reply', 'after-reply'];
    case 'tool.result':
      return ['before-result', 'after-result'];
    default:
      return undefined;
  }
}

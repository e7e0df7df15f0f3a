import { HoldpointError } from '../core/errors';
import { hideSecrets } from '../core/hide-secrets';

/** Collects what is wrong with a definition, so that all of it is reported together. */
export interface DefinitionFaults {
  /** Adds `subject: text` unless `holds`. */
  expect(holds: boolean, text: string): void;
  add(text: string): void;
  /** Throws HoldpointError `invalid_definition` that names every fault, one a line; does nothing without one. */
  throwIfAny(): void;
}

/** @param subject What the faults belong to, for example `tool refund_order`. */
export function collectFaults(subject: string): DefinitionFaults {
  const faults: string[] = [];
  const add = (text: string): void => {
    faults.push(`${subject}: ${text}`);
  };
  return {
    add,
    expect(holds, text) {
      if (!holds) {
        add(text);
      }
    },
    throwIfAny() {
      if (faults.length > 0) {
        throw new HoldpointError('invalid_definition', faults.join('\n'), { faults: faults.length });
      }
    },
  };
}

const MAX_SHOWN_CHARACTERS = 80;

/** A value as a fault shows it: short, on one line, without what looks like a secret. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(hideSecrets(value.slice(0, 1_000))) : kindOf(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Never throws, though a project's value may say anything about itself. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  }
  if (typeof value === 'object' && value !== null) {
    return 'an object';
  }
  return typeof value === 'function' ? 'a function' : String(value);
}

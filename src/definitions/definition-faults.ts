import { HoldpointError } from '../core/errors';

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

/** A value as a fault shows it: short, on one line. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

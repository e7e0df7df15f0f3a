import { InvalidArgumentError } from 'commander';

/** Reads an option that is a position in a log: a whole number from 0. Throws what commander tells as a usage error. */
export function positionFrom(text: string): number {
  return numberFrom(text, 0);
}

/** Reads an option that counts something: a whole number from 1. Throws what commander tells as a usage error. */
export function countFrom(text: string): number {
  return numberFrom(text, 1);
}

function numberFrom(text: string, min: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value < min) {
    throw new InvalidArgumentError(`Expected a whole number from ${min}.`);
  }
  return value;
}

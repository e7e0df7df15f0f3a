import { cpus, loadavg } from 'node:os';
import type { Distribution } from './distribution';

/** What was measured. */
export interface Measurement {
  /** Benchmark and quantity, for example `history-per-round/bytes`. */
  readonly name: string;
  readonly unit: 'bytes' | 'events' | 'files' | 'ms' | 'MiB' | 'packages';
  /** Lengths, sizes and kinds that the value is for. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Median of the samples. */
  readonly value: number;
  readonly samples: readonly number[];
  /** Where single samples count, as for a delay that somebody waits for. */
  readonly spread?: Distribution;
  /** The same quantity of something else, measured in the same run in turns with it. */
  readonly comparison?: {
    readonly of: string;
    readonly value: number;
    readonly samples: readonly number[];
    readonly spread?: Distribution;
    /** Median of the ratios of the pairs. */
    readonly ratio: number;
  };
  /** Most that the value, or the ratio, may be. A missed one is said, and fails nothing. */
  readonly limit?: { readonly on: 'value' | 'ratio'; readonly atMost: number };
}

/** Prints one line of JSON to standard output, with what it was measured on, and a sentence to standard error. */
export function report(measurement: Measurement): void {
  const { limit, comparison } = measurement;
  const limited = limit?.on === 'ratio' ? comparison?.ratio : measurement.value;
  const kept = limit === undefined ? undefined : (limited ?? Number.NaN) <= limit.atMost;
  const [load = 0] = loadavg();
  const machine = { cores: cpus().length, load: rounded(load), node: process.version };
  const limits = limit === undefined ? {} : { limit: { ...limit, kept } };
  const line = { ...measurement, ...limits, machine };
  process.stdout.write(
    `${JSON.stringify(line, (_key, value) => (typeof value === 'number' ? rounded(value) : value))}\n`,
  );
  process.stderr.write(`${sentenceOf(measurement, kept)}\n`);
}

function sentenceOf(measurement: Measurement, kept: boolean | undefined): string {
  const { name, unit, parameters, comparison, limit } = measurement;
  const place = Object.entries(parameters ?? {}).map(([key, what]) => `${key} ${what}`);
  return [
    `${[name, ...place].join(', ')}: ${shown(measurement, unit)}`,
    ...(comparison === undefined
      ? []
      : [`${comparison.of} ${shown(comparison, unit)}, ratio ${rounded(comparison.ratio)}`]),
    ...(limit === undefined ? [] : [`limit of the ${limit.on} ${limit.atMost}: ${kept ? 'kept' : 'MISSED'}`]),
  ].join('; ');
}

function shown({ value, spread }: Pick<Measurement, 'value' | 'spread'>, unit: string): string {
  const more = spread === undefined ? '' : ` (p90 ${rounded(spread.p90)}, max ${rounded(spread.max)})`;
  return `${rounded(value)} ${unit}${more}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

import { distributionOf, medianOf } from './distribution';
import type { Measurement } from './report';

const DEFAULT_PAIRS = 5;
const MANY_SAMPLES = 10;

/** How often each side is measured. `HOLDPOINT_BENCH_PAIRS` changes it, for trying a benchmark out. */
export const PAIRS = Number(process.env['HOLDPOINT_BENCH_PAIRS'] || DEFAULT_PAIRS);

/** One measuring of both sides, one right after the other. */
export interface Pair<Cost> {
  readonly ours: Cost;
  readonly other: Cost;
}

/** Measures both sides in turns; every second pair begins with the other side, so that neither is always first. */
export async function inPairs<Cost>(
  ours: () => Promise<Cost>,
  other: () => Promise<Cost>,
  count = PAIRS,
): Promise<readonly Pair<Cost>[]> {
  const pairs: Pair<Cost>[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 2 === 0) {
      const first = await ours();
      pairs.push({ ours: first, other: await other() });
    } else {
      const first = await other();
      pairs.push({ ours: await ours(), other: first });
    }
  }
  return pairs;
}

/** Medians of both sides, and of the ratios of the pairs; how far the samples spread where there are many. */
export function pairedValues(
  of: string,
  pairs: readonly Pair<number>[],
): Pick<Measurement, 'value' | 'samples' | 'spread' | 'comparison'> {
  const side = (samples: readonly number[]) => ({
    value: medianOf(samples),
    samples,
    ...(samples.length < MANY_SAMPLES ? {} : { spread: distributionOf(samples) }),
  });
  return {
    ...side(pairs.map(({ ours }) => ours)),
    comparison: {
      of,
      ...side(pairs.map(({ other }) => other)),
      ratio: medianOf(pairs.map(({ ours, other }) => ours / other)),
    },
  };
}

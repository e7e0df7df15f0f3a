/** The middle of some samples; of an even number, the lower one of the two in the middle. */
export function medianOf(samples: readonly number[]): number {
  return percentileOf(samples, 0.5);
}

/** The smallest sample that a share of all samples does not exceed. */
function percentileOf(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** How samples are spread. */
export interface Distribution {
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
}

export function distributionOf(samples: readonly number[]): Distribution {
  return { p50: percentileOf(samples, 0.5), p90: percentileOf(samples, 0.9), max: percentileOf(samples, 1) };
}

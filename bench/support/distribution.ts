/** How samples are spread. */
export interface Distribution {
  readonly p50: number;
  readonly p90: number;
  readonly max: number;
}

/** The middle, the ninth of ten, and the largest of some samples, rounded to tenths. */
export function distributionOf(samples: readonly number[]): Distribution {
  const sorted = [...samples].sort((left, right) => left - right);
  const at = (share: number) => rounded(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN);
  return { p50: at(0.5), p90: at(0.9), max: at(1) };
}

/** The middle of some samples, rounded to hundredths. */
export function medianOf(samples: readonly number[]): number {
  const sorted = [...samples].sort((left, right) => left - right);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 100) / 100;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

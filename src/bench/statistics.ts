/** The upper median. @param values At least one. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** A measured value: the median, and how far repeated measurements lie from it. */
export interface Estimate {
  readonly median: number;
  readonly spread: number;
}

/**
 * Joins the samples of several rounds. The median is that of the rounds' medians. The spread is half the range of these
 * medians; with a single round half the range between the quartiles of its samples.
 *
 * @param rounds Samples by round. Every round has at least one.
 */
export function estimate(rounds: readonly (readonly number[])[]): Estimate {
  const medians = rounds.map(median);
  if (medians.length > 1) {
    return { median: median(medians), spread: (Math.max(...medians) - Math.min(...medians)) / 2 };
  }
  const sorted = [...rounds[0]!].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return { median: medians[0]!, spread: (at(0.75) - at(0.25)) / 2 };
}

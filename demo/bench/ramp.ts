/** A measured number of characters. */
export interface RampStep {
  readonly count: number;
  /** True if its frame keeps the limit, and memory holds every character. */
  readonly fits: boolean;
}

/** The number is found to a tenth. */
const PRECISION = 1.1;

/**
 * The number of characters to measure next: doubles until a frame takes too long, then halves the interval in between, by
 * ratio. If even `first` does not fit, it goes down.
 *
 * @param most Characters that are tried at most.
 * @returns undefined when the answer is known
 */
export function nextCount(steps: readonly RampStep[], first: number, most: number): number | undefined {
  const fitting = largestFitting(steps);
  const failing = Math.min(Infinity, ...steps.filter(({ fits }) => !fits).map(({ count }) => count));
  if (steps.length === 0) return Math.min(first, most);
  if (failing === Infinity) return fitting >= most ? undefined : Math.min(most, 2 * fitting);
  if (fitting === 0) return failing <= 1 ? undefined : Math.max(1, Math.floor(failing / 4));
  if (failing / fitting <= PRECISION || failing - fitting <= 1) return undefined;
  return roundCount(Math.sqrt(fitting * failing), fitting, failing);
}

/** 0: none fits. */
export function largestFitting(steps: readonly RampStep[]): number {
  return Math.max(0, ...steps.filter(({ fits }) => fits).map(({ count }) => count));
}

/** A number of two digits between two others, if there is one. */
function roundCount(count: number, above: number, below: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  const rounded = Math.round(count / unit) * unit;
  return rounded > above && rounded < below ? rounded : Math.min(below - 1, Math.max(above + 1, Math.round(count)));
}

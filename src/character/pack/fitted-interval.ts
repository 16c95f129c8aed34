/** A part of the clip between two knots, and the curves of its channels. */
export interface FittedInterval {
  /** Sample indices of its ends. */
  readonly from: number;
  readonly to: number;
  /** Undefined: straight lines (nlerp). Else per channel the rates per second at both ends, 2 × 3 numbers. */
  readonly rates: readonly Float64Array[] | undefined;
}

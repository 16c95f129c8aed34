/** Largest errors of poses against references, as shares of the model's size. */
export const POSE_LIMITS = {
  worst: 2e-4,
  mean: 5e-5,
  /** Keys unquantised. */
  exact: 5e-6,
  /** Keys unquantised, of files whose vertices are quantised. */
  exactQuantized: 5e-5,
} as const;

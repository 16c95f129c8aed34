/** Limits of a BVH import. A file over a limit is refused with BVH_LIMIT (FILE_TOO_LARGE for its bytes). */
export interface BvhLimits {
  /** The file, in bytes. */
  readonly fileBytes: number;
  /** Numbers of the motion: frames × channels. */
  readonly numbers: number;
}

/** 25 minutes of 60 joints at 30 frames per second, measured to stay within 5 s and 1 GB on two cores. */
export const DEFAULT_BVH_LIMITS: BvhLimits = {
  fileBytes: 128 * 2 ** 20,
  numbers: 8_000_000,
};

/** Seconds per frame. */
export const FRAME_TIME = { least: 1e-6, most: 3_600 } as const;

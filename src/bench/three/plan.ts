/** Positions and clips of the soldiers, the same for all subjects. */
export interface Plan {
  readonly count: number;
  /** Metres between the outermost, in x and in z. */
  readonly width: number;
  readonly depth: number;
  readonly characters: readonly Planned[];
}

export interface Planned {
  /** Metres on the ground, and radians about y. */
  readonly x: number;
  readonly z: number;
  readonly yaw: number;
  readonly clip: number;
  /** Seconds of the clip at the begin. */
  readonly time: number;
}

const SPACING = 1.5;
const GOLDEN = 0.618034;

/** A field twice as wide as deep; every character with its own place, clip and phase. */
export function planOf(count: number, durations: readonly number[]): Plan {
  const columns = Math.ceil(Math.sqrt(2 * count));
  const rows = Math.ceil(count / columns);
  const characters = Array.from({ length: count }, (_, i): Planned => {
    const clip = (i * 7 + Math.floor(i / columns)) % durations.length;
    return {
      x: ((i % columns) - (columns - 1) / 2) * SPACING,
      z: (Math.floor(i / columns) - (rows - 1) / 2) * SPACING,
      yaw: ((i * GOLDEN * GOLDEN) % 1) - 0.5,
      clip,
      time: ((i * GOLDEN) % 1) * durations[clip]!,
    };
  });
  return { count, width: columns * SPACING, depth: rows * SPACING, characters };
}

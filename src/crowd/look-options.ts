/** What looks go by beside what is written in columns; states do not. */
export interface LookOptions {
  readonly vertexMemory: number;
  /** 0: as many as live. */
  readonly poses: number;
  readonly levelTolerance: number;
  readonly rates: readonly [number, number, number];
  /** Size below which poses are shared, phases, weight; zeros: none are. */
  readonly sharing: readonly [number, number, number];
}

export function lookNumbers({ vertexMemory, poses, levelTolerance, rates, sharing }: LookOptions): number[] {
  return [vertexMemory, poses, levelTolerance, ...rates, ...sharing];
}

/** Options that affect rendering but not simulation state. */
export interface RenderLimits {
  readonly vertexMemory: number;
  /** Copies of a slot: 2 or 3. */
  readonly copies: number;
  /** 0: the number of living characters. */
  readonly poses: number;
  readonly levelTolerance: number;
  readonly rates: readonly [number, number, number];
  /** Size below which poses are shared, phases, weight; zeros: none are. */
  readonly sharing: readonly [number, number, number];
}

export function renderLimitNumbers({
  vertexMemory,
  copies,
  poses,
  levelTolerance,
  rates,
  sharing,
}: RenderLimits): number[] {
  // what counts is for how many two copies suffice: logs of crowds with two say the memory itself
  return [(vertexMemory * 2) / copies, poses, levelTolerance, ...rates, ...sharing];
}

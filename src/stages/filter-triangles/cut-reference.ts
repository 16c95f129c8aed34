/** An instance, or one in a view: its key, and what it takes of the room. */
export interface Weighed {
  readonly key: number;
  readonly weight: number;
}

/**
 * Twin of `cut.wesl`: the smallest key up to which there is no room for all. Instances with smaller keys are kept.
 * @returns undefined where there is room for all
 */
export function cutOf(all: readonly Weighed[], room: number): number | undefined {
  let sum = 0;
  return all.toSorted((a, b) => a.key - b.key).find(({ weight }) => (sum += weight) > room)?.key;
}

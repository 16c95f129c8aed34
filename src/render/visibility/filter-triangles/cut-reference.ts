/** An instance, or one in a view: its key, and what it takes of the room. */
export interface Weighed {
  readonly key: number;
  /** Decides among those of one key. */
  readonly order: number;
  readonly weight: number;
}

/**
 * Twin of `cut.wesl`: finds which instances are kept. An instance that is larger than the whole room is dropped. Of the
 * others those with the smallest keys are kept, up to the key at which room ends.
 */
export function keeperOf(all: readonly Weighed[], room: number): (one: Weighed) => boolean {
  let sum = 0;
  const end = all
    .filter(({ weight }) => weight <= room)
    .toSorted((a, b) => a.key - b.key || a.order - b.order)
    .find(({ weight }) => (sum += weight) > room);
  return ({ key, order, weight }) =>
    weight <= room && (end === undefined || key < end.key || (key === end.key && order < end.order));
}

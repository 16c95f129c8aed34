/**
 * Twin of `keys.wesl`: the order in which instances are kept where memory is short. Smaller keys are kept first, of equal ones the
 * smaller second word.
 * @param size Pixels across, above 0; a 32-bit value.
 */
export function keyOf(size: number): number {
  return ~new Uint32Array(Float32Array.of(size).buffer)[0]! >>> 0;
}

/** Second word of an instance in a view: pictures (the first view) before shadows, then the lower id. */
export function orderIn(view: number, id: number): number {
  return (Math.min(view, 1) << 27) | ((id & 0xffffff) << 3) | view;
}

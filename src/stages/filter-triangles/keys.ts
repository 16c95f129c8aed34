/** Exponent and three bits of the fraction of 2⁻¹⁰ pixels. */
const SMALLEST_CLASS = 936;

/**
 * Twin of `keys.wesl`: the order in which instances are kept where memory is short. Smaller keys are kept first.
 * @param size Pixels across, above 0; a 32-bit value.
 */
export function keyOf(size: number, id: number): number {
  const bits = new Uint32Array(Float32Array.of(size).buffer)[0]!;
  const sizeClass = Math.min(255, Math.max(0, (bits >>> 20) - SMALLEST_CLASS));
  return (((255 - sizeClass) << 24) | (id & 0xffffff)) >>> 0;
}

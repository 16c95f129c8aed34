const SMALLEST_CLASS = 64;

/** The smallest size class that holds `count` vertices: 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 … At most 25 % larger. */
export function sizeClass(count: number): number {
  if (count <= SMALLEST_CLASS) return SMALLEST_CLASS;
  const power = 2 ** Math.floor(Math.log2(count - 1));
  return [1.25, 1.5, 1.75, 2].map((factor) => power * factor).find((size) => size >= count)!;
}

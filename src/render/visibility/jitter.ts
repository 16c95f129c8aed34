import type { Matrix4, Vector } from '../camera.ts';
import type { Lens } from '../lighting/frame-uniforms.ts';

/**
 * Position of a sample, in pixels from the middle of its pixel. The first is the middle, the others are Halton's
 * sequences of 2 and 3.
 */
export function jitterOf(index: number): readonly [x: number, y: number] {
  return index === 0 ? [0, 0] : [halton(index, 2) - 0.5, halton(index, 3) - 0.5];
}

/** Van der Corput's sequence in a base: digits of the index mirrored at the point. */
function halton(index: number, base: number): number {
  let [value, share] = [0, 1];
  for (let rest = index; rest > 0; rest = Math.floor(rest / base)) {
    share /= base;
    value += share * (rest % base);
  }
  return value;
}

/** Moves a matrix's picture by x pixels to the right and y pixels down. */
export function jittered(m: Matrix4, [x, y]: readonly [number, number], width: number, height: number): Matrix4 {
  return m.map((value, i) => {
    const w = m[i - (i % 4) + 3]!;
    if (i % 4 === 0) return value + ((2 * x) / width) * w;
    return i % 4 === 1 ? value - ((2 * y) / height) * w : value;
  });
}

/**
 * Moves the directions of a lens in the same way. Its matrices stay, since motion vectors do not include the offset.
 */
export function jitteredLens(lens: Lens, [x, y]: readonly [number, number]): Lens {
  const { skyRight, skyUp, skyForward, pictureWidth, pictureHeight } = lens;
  const moved = skyForward.map(
    (value, c) => value - ((2 * x) / pictureWidth) * skyRight[c]! + ((2 * y) / pictureHeight) * skyUp[c]!,
  );
  return { ...lens, skyForward: moved as unknown as Vector };
}

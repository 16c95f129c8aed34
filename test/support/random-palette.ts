import type { CrowdType } from '../../src/frame/tables/crowd-types.ts';
import { affineFromPose } from '../../src/math/affine.ts';
import type { Random } from './random.ts';

/** A palette of rotations, translations and, where the kernel is built for them, uneven scales; and morph weights. */
export function writePalette(floats: Float32Array, type: CrowdType, first: number, random: Random): void {
  for (let entry = 0; entry < type.paletteCount; entry++) {
    const scale = type.levels[0]!.skinTraits.nonUniform
      ? [random.range(0.3, 2), random.range(0.3, 2), random.range(0.3, 2) * random.pick([1, -1])]
      : [1, 1, 1];
    const pose = [...random.vector(type.character.size / 2), ...random.quaternion(6), ...scale];
    affineFromPose(Float64Array.from(pose), 0, floats, first + 12 * entry);
  }
  for (let w = 0; w < 16; w++) floats[first + 12 * type.paletteCount + w] = random.range(-0.5, 1);
}

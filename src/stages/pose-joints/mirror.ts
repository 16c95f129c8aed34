import type { RigTable } from '../../character/format/clip-format.ts';
import { MIRROR_KEEPS, MirrorLane } from '../../character/format/rig-layout.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** Motions with left and right exchanged, twin of `mirror.wesl`: samples as `sampleLane` writes them. */

const turn = new Float64Array(4);
const inverse = new Float64Array(4);

/** The lane that a lane takes its sample from. MirrorLane records begin at `mirrorRow` of the rig table. */
export function mirroredLane(rig: RigTable, mirrorRow: number, lane: number): number {
  return rig.words[wordOf(mirrorRow, lane, 'pairLane')]!;
}

/**
 * Turns the sample of a lane's pair into the lane's own space.
 * @param isDifference True for motions of an additive layer: the rotation is multiplied to the right of the one it is added to.
 */
export function mirrorSample(
  rig: RigTable,
  mirrorRow: number,
  lane: number,
  isDifference: boolean,
  sample: Float64Array,
): void {
  if (rig.words[wordOf(mirrorRow, lane, 'flags')]! & MIRROR_KEEPS) return;
  const read = (key: 'pre' | 'post') => {
    const word = wordOf(mirrorRow, lane, key);
    return rig.floats.subarray(word, word + 4);
  };
  const [pre, post] = [read('pre'), read('post')];

  const rotation = sample.subarray(3, 7);
  rotation[1] = -rotation[1]!;
  rotation[2] = -rotation[2]!;
  conjugate(post, inverse);
  multiplyQuaternion(isDifference ? inverse : pre, rotation, rotation);
  multiplyQuaternion(rotation, post, rotation);

  // p ↦ pre p pre⁻¹, with p as a quaternion
  turn.set([-sample[0]!, sample[1]!, sample[2]!, 0]);
  conjugate(pre, inverse);
  multiplyQuaternion(pre, turn, turn);
  multiplyQuaternion(turn, inverse, turn);
  sample.set(turn.subarray(0, 3));
}

function conjugate(q: ArrayLike<number>, out: Float64Array): void {
  for (let c = 0; c < 4; c++) out[c] = c < 3 ? -q[c]! : q[c]!;
}

function wordOf(mirrorRow: number, lane: number, key: keyof typeof MirrorLane.offsets): number {
  return 4 * mirrorRow + (lane * MirrorLane.size + MirrorLane.offsets[key]) / 4;
}

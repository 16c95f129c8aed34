import type { RigTable } from '../../character/format/clip-format.ts';
import { MIRROR_KEEPS, MirrorLane } from '../../character/format/rig-layout.ts';
import { wordOffsets } from '../../layout/index.ts';
import { multiplyQuaternion } from '../../math/quaternion.ts';

/** Twin of `mirror.wesl`. */

const MIRROR = /* @__PURE__ */ wordOffsets(MirrorLane);
const pre = new Float64Array(4);
const post = new Float64Array(4);
const inverse = new Float64Array(4);
const turn = new Float64Array(4);

/** Turns a lane's rotation, sampled of its pair, into the lane's own space. @param isDifference See {@link mirrorSample}. */
export function mirrorRotation(
  rig: RigTable,
  mirrorRow: number,
  lane: number,
  isDifference: boolean,
  q: Float64Array,
): void {
  if (!readTurns(rig, mirrorRow, lane)) return;
  q[1] = -q[1]!;
  q[2] = -q[2]!;
  if (isDifference) conjugate(post, inverse);
  multiplyQuaternion(isDifference ? inverse : pre, q, q);
  multiplyQuaternion(q, post, q);
}

/** The same for a translation: p ↦ pre p pre⁻¹, with p as a quaternion. */
export function mirrorTranslation(rig: RigTable, mirrorRow: number, lane: number, p: Float64Array): void {
  if (!readTurns(rig, mirrorRow, lane)) return;
  turn[0] = -p[0]!;
  turn[1] = p[1]!;
  turn[2] = p[2]!;
  turn[3] = 0;
  conjugate(pre, inverse);
  multiplyQuaternion(pre, turn, turn);
  multiplyQuaternion(turn, inverse, turn);
  for (let c = 0; c < 3; c++) p[c] = turn[c]!;
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
  mirrorTranslation(rig, mirrorRow, lane, sample);
  mirrorRotation(rig, mirrorRow, lane, isDifference, sample.subarray(3, 7));
}

/** Reads `pre` and `post` of a lane. Returns false where the sample of the pair is used as it is. */
function readTurns({ words, floats }: RigTable, mirrorRow: number, lane: number): boolean {
  const at = 4 * mirrorRow + MIRROR.SIZE * lane;
  if (words[at + MIRROR.flags]! & MIRROR_KEEPS) return false;
  for (let c = 0; c < 4; c++) {
    pre[c] = floats[at + MIRROR.pre + c]!;
    post[c] = floats[at + MIRROR.post + c]!;
  }
  return true;
}

function conjugate(q: Float64Array, out: Float64Array): void {
  for (let c = 0; c < 3; c++) out[c] = -q[c]!;
  out[3] = q[3]!;
}

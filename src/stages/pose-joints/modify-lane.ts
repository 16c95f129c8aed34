import { alignQuaternion, multiplyQuaternion, normalizeQuaternion } from '../../math/quaternion.ts';
import { wordOffsets } from '../../layout/index.ts';
import { LAYER_SET, MODIFIES_ROTATION, MODIFIES_X, Motion } from '../layout.ts';

const MOTION = /* @__PURE__ */ wordOffsets(Motion);
/** Words that hold x, y and z of a modifier's translation, as floats. */
const TRANSLATION = [MOTION.fraction, MOTION.constantPair, MOTION.bases] as const;

const held = new Float64Array(4);
const local = new Float64Array(4);
const reached = new Float64Array(4);

/**
 * Twin of `modifier.wesl`: applies a modifier. Its record begins at word `from` of a motion list.
 * @param pose Poses of lanes; this one's begins at `at`: translation, then rotation.
 */
export function modifyLane(
  pose: Float64Array,
  at: number,
  words: Uint32Array,
  floats: Float32Array,
  from: number,
): void {
  const sets = words[from + MOTION.value0] === LAYER_SET;
  const bits = words[from + MOTION.value1]!;
  const share = Math.min(Math.max(floats[from + MOTION.weight]!, 0), 1);
  if (share === 0) return;
  for (let c = 0; c < 3; c++) {
    if ((bits & (MODIFIES_X << c)) === 0) continue;
    const value = floats[from + TRANSLATION[c]!]!;
    pose[at + c] = sets ? pose[at + c]! * (1 - share) + value * share : pose[at + c]! + value * share;
  }
  if (!(bits & MODIFIES_ROTATION)) return;
  for (let c = 0; c < 4; c++) {
    held[c] = floats[from + MOTION.basis + c]!;
    local[c] = pose[at + 3 + c]!;
    // both modes go a share of the way to the held rotation: from the pose, or from the identity
    reached[c] = sets ? local[c]! : c === 3 ? 1 : 0;
  }
  normalizeQuaternion(held);
  alignQuaternion(reached, held);
  for (let c = 0; c < 4; c++) reached[c] = reached[c]! * (1 - share) + held[c]! * share;
  normalizeQuaternion(reached);
  if (!sets) {
    multiplyQuaternion(local, reached, reached);
    normalizeQuaternion(reached);
  }
  for (let c = 0; c < 4; c++) pose[at + 3 + c] = reached[c]!;
}

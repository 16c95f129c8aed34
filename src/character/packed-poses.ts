import type { Character } from './character.ts';
import { resolveMotion, RigTable, sampleLane } from './format/clip-format.ts';
import { composeJoints, POSE_STRIDE } from './evaluate.ts';
import { RestLane } from './format/rig-layout.ts';
import { View } from '../layout/index.ts';
import { multiplyAffine } from '../math/affine.ts';

/** The last phase of a clip, in 0.32 fixed point. */
export const LAST_PHASE = 0xffffffff;

export interface ClipMoment {
  readonly clip: number;
  /** Fraction of the clip's duration in 0.32 fixed point. */
  readonly phase: number;
}

/** Poses of a packed character, in float64, from its tables. Without a moment: the rest pose. */
export class PackedPoses {
  readonly #rig: RigTable;
  /** `POSE_STRIDE` numbers per lane. */
  readonly #rest: Float64Array;
  readonly #pose: Float64Array;

  constructor(readonly character: Character) {
    const { rig } = character;
    this.#rig = new RigTable(rig);
    const { laneCount, restRow } = this.#rig.type(0);
    const lanes = new View(RestLane, rig.buffer, rig.byteOffset + 16 * restRow, laneCount);
    this.#rest = new Float64Array(laneCount * POSE_STRIDE);
    for (let lane = 0; lane < laneCount; lane++) {
      const rest = [lanes.get(lane, 'translation'), lanes.get(lane, 'rotation'), lanes.get(lane, 'scale')];
      this.#rest.set(rest.flat(), lane * POSE_STRIDE);
    }
    this.#pose = this.#rest.slice();
  }

  /** `modelFromJoint` of all joints: 12 numbers each, three rows of four; metres. */
  joints(moment?: ClipMoment): Float64Array {
    return composeJoints(this.character, this.#sample(this.#allLanes(), moment));
  }

  joint(index: number, moment?: ClipMoment): Float64Array {
    return this.joints(moment).subarray(12 * index, 12 * index + 12);
  }

  /** Translation of one joint in its parent's space. */
  translation(joint: number, moment?: ClipMoment): Float64Array {
    return this.#sample([joint], moment).slice(joint * POSE_STRIDE, joint * POSE_STRIDE + 3);
  }

  morphWeights(moment?: ClipMoment): Float64Array {
    const { joints, morphNames } = this.character;
    const pose = this.#sample(this.#allLanes().slice(joints.length), moment);
    // a lane holds three, as if they were a translation
    const at = (w: number) => (joints.length + Math.floor(w / 3)) * POSE_STRIDE + (w % 3);
    return Float64Array.from(morphNames, (_, w) => pose[at(w)]!);
  }

  entryJoints(): Uint32Array {
    const { bindJointPair, paletteCount } = this.#rig.type(0);
    return this.#rig.words.subarray(2 * bindJointPair, 2 * bindJointPair + paletteCount);
  }

  /** `modelFromMesh` of all palette entries. */
  palette(modelFromJoint: Float64Array): Float64Array {
    const joints = this.entryJoints();
    const out = new Float64Array(12 * joints.length);
    const bind = 4 * this.#rig.type(0).bindRow;
    joints.forEach((joint, entry) => {
      multiplyAffine(modelFromJoint, 12 * joint, this.#rig.floats, bind + 12 * entry, out, 12 * entry);
    });
    return out;
  }

  #allLanes(): number[] {
    return Array.from({ length: this.#rest.length / POSE_STRIDE }, (_, lane) => lane);
  }

  #sample(lanes: readonly number[], moment: ClipMoment | undefined): Float64Array {
    this.#pose.set(this.#rest);
    if (!moment) return this.#pose;
    const motion = resolveMotion(this.#rig, 0, moment.clip, moment.phase);
    for (const lane of lanes) sampleLane(this.#rig, motion, lane, this.#pose, lane * POSE_STRIDE);
    return this.#pose;
  }
}

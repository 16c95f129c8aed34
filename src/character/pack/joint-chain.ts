import { affineFromPose } from '../../math/affine.ts';
import { type LocalPose, POSE_STRIDE, restPose, sampleTrack } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { isStill, TrackReader } from './track-reader.ts';

/**
 * Joint matrices in many poses, between which few local transforms change. The results are those of `composeJoints`.
 */
export class JointChain {
  /** Written by the caller. Changes take effect with `update`. */
  readonly pose: LocalPose;
  readonly #rest: LocalPose;
  readonly #parents: Int32Array;
  /** Joints that are composed, parents first. */
  readonly #joints: Int32Array;
  /** From each joint to its parent: 12 numbers. */
  readonly #local: Float64Array;

  /** @param ends Joints with matrices that are needed. Default: all. */
  constructor({ joints }: Pick<CharacterModel, 'joints'>, ends?: readonly number[]) {
    this.pose = restPose({ joints });
    this.#rest = this.pose.slice();
    this.#parents = Int32Array.from(joints, ({ parentIndex }) => parentIndex);
    const isNeeded = joints.map(() => ends === undefined);
    for (const end of ends ?? []) for (let j = end; j >= 0; j = this.#parents[j]!) isNeeded[j] = true;
    this.#joints = Int32Array.from(joints.flatMap((_, j) => (isNeeded[j] ? [j] : [])));
    this.#local = new Float64Array(12 * joints.length);
  }

  /** Resets to the rest pose, with the changes that a function makes to it. */
  reset(change: (pose: LocalPose) => void): void {
    this.pose.set(this.#rest);
    change(this.pose);
    for (const joint of this.#joints) this.update(joint);
  }

  /** Updates a joint from its local transform in `pose`. */
  update(joint: number): void {
    affineFromPose(this.pose, joint * POSE_STRIDE, this.#local, 12 * joint);
  }

  /** Writes `modelFromJoint` of needed joints to `out[at + 12 × joint…]`: three rows of four numbers each. */
  compose(out: Float64Array, at = 0): void {
    const joints = this.#joints;
    const local = this.#local;
    for (let i = 0; i < joints.length; i++) {
      const from = 12 * joints[i]!;
      const to = at + from;
      const parent = this.#parents[joints[i]!]!;
      if (parent < 0) {
        for (let c = 0; c < 12; c++) out[to + c] = local[from + c]!;
        continue;
      }
      // row by row, in the order of composeJoints
      const l0 = local[from]!;
      const l1 = local[from + 1]!;
      const l2 = local[from + 2]!;
      const l3 = local[from + 3]!;
      const l4 = local[from + 4]!;
      const l5 = local[from + 5]!;
      const l6 = local[from + 6]!;
      const l7 = local[from + 7]!;
      const l8 = local[from + 8]!;
      const l9 = local[from + 9]!;
      const l10 = local[from + 10]!;
      const l11 = local[from + 11]!;
      for (let row = 0; row < 12; row += 4) {
        const p = at + 12 * parent + row;
        const a = out[p]!;
        const b = out[p + 1]!;
        const c = out[p + 2]!;
        out[to + row] = a * l0 + b * l4 + c * l8;
        out[to + row + 1] = a * l1 + b * l5 + c * l9;
        out[to + row + 2] = a * l2 + b * l6 + c * l10;
        out[to + row + 3] = a * l3 + b * l7 + c * l11 + out[p + 3]!;
      }
    }
  }
}

/** The joints of a clip at many times. */
export class ClipPoses {
  readonly #chain: JointChain;
  readonly #moving: { readonly reader: TrackReader; readonly at: number }[] = [];
  readonly #joints: readonly number[];

  /** @param ends Joints with matrices that are needed. Default: all. */
  constructor(model: CharacterModel, { tracks }: ClipModel, ends?: readonly number[]) {
    const moved = new Set<number>();
    this.#chain = new JointChain(model, ends);
    this.#chain.reset((pose) => {
      for (const track of tracks) {
        const { path, targetIndex } = track;
        if (path === 'weights') continue;
        const at = targetIndex * POSE_STRIDE + (path === 'translation' ? 0 : path === 'rotation' ? 3 : 7);
        if (isStill(track)) sampleTrack(track, 0, pose, at);
        else {
          this.#moving.push({ reader: new TrackReader(track), at });
          moved.add(targetIndex);
        }
      }
    });
    this.#joints = [...moved];
  }

  /** Writes `modelFromJoint` of needed joints at a time to `out[at…]`: 12 numbers each. */
  compose(time: number, out: Float64Array, at = 0): void {
    const { pose } = this.#chain;
    for (const moving of this.#moving) moving.reader.read(time, pose, moving.at);
    for (const joint of this.#joints) this.#chain.update(joint);
    this.#chain.compose(out, at);
  }
}

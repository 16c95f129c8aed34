import { affineFromPose } from '../../math/affine.ts';
import { applyParent, type LocalPose, POSE_OFFSETS, POSE_STRIDE, restPose, sampleTrack } from '../evaluate.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { isStill, TrackReader } from './track-reader.ts';

/** Joint matrices as from `composeJoints`, in many poses between which few local transforms change. */
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
      if (parent < 0) for (let c = 0; c < 12; c++) out[to + c] = local[from + c]!;
      else applyParent(out, at + 12 * parent, to, local, from);
    }
  }
}

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
        const at = targetIndex * POSE_STRIDE + POSE_OFFSETS[path];
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

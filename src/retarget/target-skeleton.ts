import { composeJoints, restPose } from '../character/evaluate.ts';
import type { HumanBone } from '../character/humanoid.ts';
import type { TrackModel } from '../character/model.ts';
import { transformPoint } from '../math/affine.ts';
import {
  add,
  inverse,
  multiply,
  NO_ROTATION,
  type Rotation,
  rotate,
  subtract,
  times,
  type Vector3,
} from '../math/rotations.ts';
import { inverseAffine } from './bind-pose.ts';
import { type Body, bone, isDetached, PART, SIDES } from './body.ts';
import type { Frame } from './frames.ts';

/** A pose of the target: joints in the character's space. */
export interface TargetPose {
  readonly rotations: Rotation[];
  readonly positions: Vector3[];
}

/** The target's joints: composes poses from frames, and makes tracks of them. */
export class TargetSkeleton {
  readonly #target: Body;
  readonly #rest: Float64Array;
  /** Joints that move, with the bone or the number in the trunk by which they turn. */
  readonly #boneOf: ReadonlyMap<number, HumanBone | number>;
  /** Length from each joint's parent to it in the space of the parent, with the scales of the joints above. */
  readonly #offsets: readonly Vector3[];
  readonly #scales: readonly Vector3[];

  constructor(target: Body, bones: readonly HumanBone[]) {
    this.#target = target;
    this.#rest = restPose(target.model);
    this.#boneOf = new Map<number, HumanBone | number>([
      ...bones.map((name) => [target.map[name]!, name] as const),
      ...target.trunk.map((joint, i) => [joint, i] as const),
    ]);
    const offsets: Vector3[] = [];
    const scales: Vector3[] = [];
    for (const { parentIndex, translation, scale } of target.model.joints) {
      const above = parentIndex < 0 ? ([1, 1, 1] as const) : scales[parentIndex]!;
      offsets.push([translation[0] * above[0], translation[1] * above[1], translation[2] * above[2]]);
      scales.push([scale[0] * above[0], scale[1] * above[1], scale[2] * above[2]]);
    }
    this.#offsets = offsets;
    this.#scales = scales;
  }

  pose({ turns, trunk, pelvis }: Frame): TargetPose {
    const { model, tPose, map, parts, characterFromModel, origin } = this.#target;
    const rotations: Rotation[] = [];
    const positions: Vector3[] = [];
    model.joints.forEach(({ parentIndex, rotation }, joint) => {
      const [above, from] =
        parentIndex < 0 ? [characterFromModel, ORIGIN] : [rotations[parentIndex]!, positions[parentIndex]!];
      const name = this.#boneOf.get(joint);
      const turn = typeof name === 'number' ? trunk[name] : name && turns.get(name);
      rotations.push(turn ? multiply(turn, tPose[joint]!) : multiply(above, rotation));
      positions.push(add(from, rotate(above, this.#offsets[joint]!)));
    });
    const middle = times(add(positions[map.leftUpperLeg!]!, positions[map.rightUpperLeg!]!), 0.5);
    const shift = subtract(add(origin, pelvis), middle);
    for (let joint = map.hips!; joint < positions.length; joint++)
      if (parts.left[joint] !== PART.none) positions[joint] = add(positions[joint]!, shift);
    return this.#attachFeet({ rotations, positions });
  }

  /** Puts feet that are not below their legs where the legs end. */
  #attachFeet(pose: TargetPose): TargetPose {
    const { map, parts, ankleOffset } = this.#target;
    for (const side of SIDES) {
      const [leg, foot] = [map[bone(side, 'LowerLeg')]!, map[bone(side, 'Foot')]!];
      if (!isDetached(this.#target, side)) continue;
      const at = add(pose.positions[leg]!, rotate(pose.rotations[leg]!, ankleOffset[side]));
      const shift = subtract(at, pose.positions[foot]!);
      for (let joint = foot; joint < pose.positions.length; joint++)
        if (parts[side][joint] === PART.foot) pose.positions[joint] = add(pose.positions[joint]!, shift);
    }
    return pose;
  }

  /** Rotations of all bones; translations of hips and of feet that hang elsewhere. */
  tracks(sampled: Float32Array, poses: readonly TargetPose[]): TrackModel[] {
    const { map, model } = this.#target;
    const tracks: TrackModel[] = [];
    for (const joint of [...this.#boneOf.keys()].toSorted((a, b) => a - b)) {
      const parent = model.joints[joint]!.parentIndex;
      const values = new Float32Array(4 * sampled.length);
      let last: Rotation = NO_ROTATION;
      poses.forEach(({ rotations }, i) => {
        const above = parent < 0 ? this.#target.characterFromModel : rotations[parent]!;
        const local = multiply(inverse(above), rotations[joint]!);
        const sign = i > 0 && local.reduce((sum, v, c) => sum + v * last[c]!, 0) < 0 ? -1 : 1;
        last = [sign * local[0], sign * local[1], sign * local[2], sign * local[3]];
        values.set(last, 4 * i);
      });
      tracks.push({ path: 'rotation', targetIndex: joint, interpolation: 'LINEAR', times: sampled, values });
    }
    const moved = [
      map.hips!,
      ...SIDES.filter((side) => isDetached(this.#target, side)).map((side) => map[bone(side, 'Foot')]!),
    ];
    return [...tracks, ...moved.map((joint) => this.#translations(joint, sampled, poses))];
  }

  #translations(joint: number, sampled: Float32Array, poses: readonly TargetPose[]): TrackModel {
    const { model, characterFromModel } = this.#target;
    const parent = model.joints[joint]!.parentIndex;
    const values = new Float32Array(3 * sampled.length);
    // joints above the hips rest; feet may hang below a joint that does not
    const rest = composeJoints(model, this.#rest);
    const parentFromModel = parent < 0 ? undefined : inverseAffine(rest, 12 * parent);
    const out = [0, 0, 0];
    const scale = parent < 0 ? ([1, 1, 1] as const) : this.#scales[parent]!;
    poses.forEach(({ rotations, positions }, i) => {
      const place = positions[joint]!;
      if (parent >= 0 && this.#boneOf.size > 0 && this.#isMoved(parent)) {
        const local = rotate(inverse(rotations[parent]!), subtract(place, positions[parent]!));
        values.set(
          local.map((value, c) => value / scale[c]!),
          3 * i,
        );
        return;
      }
      const at = rotate(inverse(characterFromModel), place);
      if (parentFromModel) transformPoint(parentFromModel, 0, ...at, out, 0);
      values.set(parentFromModel ? out : at, 3 * i);
    });
    return { path: 'translation', targetIndex: joint, interpolation: 'LINEAR', times: sampled, values };
  }

  #isMoved(joint: number): boolean {
    let at = joint;
    while (at >= 0 && !this.#boneOf.has(at)) at = this.#target.model.joints[at]!.parentIndex;
    return at >= 0;
  }
}

const ORIGIN: Vector3 = [0, 0, 0];

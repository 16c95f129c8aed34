import { composeJoints, restPose } from './evaluate.ts';
import type { CharacterModel, ClipModel, TrackModel } from './model.ts';
import { angleBetween, inverse, multiply, type Rotation, rotationOfAffine } from '../math/rotations.ts';

/** How the rest of a joint differs between two skeletons, in a channel that a clip moves. */
export interface RestDifference {
  /** Index of the joint in the target. */
  readonly joint: number;
  readonly channel: 'translation' | 'rotation' | 'scale';
  /** Share of the target's height, radians, or the larger factor; 0 for equal ones. */
  readonly amount: number;
  /** `amount` as a multiple of the limit from which values cannot be taken over. */
  readonly severity: number;
  readonly text: string;
}

/** Differences from which values of one skeleton distort the other; a tenth of them is worth a warning. */
export const REST_LIMITS = { translation: 0.05, rotation: (15 * Math.PI) / 180, scale: 0.05 } as const;

/**
 * The worst difference between the rests of joints that a clip moves: between the values that its tracks start from and those
 * that the target's joints have. Rotations may also agree in the pose in which meshes were bound: a rest that is a
 * stance of its own is not another axis.
 *
 * @param jointOf The target's joint for one of the source's.
 */
export function worstRestDifference(
  clip: ClipModel,
  source: CharacterModel,
  target: CharacterModel,
  jointOf: (joint: number) => number | undefined,
): RestDifference | undefined {
  const rests = new RestPair(source, target);
  let worst: RestDifference | undefined;
  for (const track of clip.tracks) {
    if (track.path === 'weights') continue;
    const joint = jointOf(track.targetIndex);
    const found = joint === undefined ? undefined : rests.difference(track, joint);
    if (found && found.severity > (worst?.severity ?? 0)) worst = found;
  }
  return worst;
}

/** The worst difference between two skeletons in any channel of the joints that correspond, whether a clip moves them or not. */
export function worstSkeletonDifference(
  source: CharacterModel,
  target: CharacterModel,
  jointOf: (joint: number) => number | undefined,
): RestDifference | undefined {
  const values = new Float32Array(4);
  const tracks = source.joints.flatMap((_, targetIndex) =>
    (['translation', 'rotation', 'scale'] as const).map((path): TrackModel => ({
      path,
      targetIndex,
      interpolation: 'STEP',
      times: values.subarray(1),
      values,
    })),
  );
  return worstRestDifference({ name: '', duration: 0, tracks }, source, target, jointOf);
}

class RestPair {
  readonly #source: CharacterModel;
  readonly #target: CharacterModel;
  readonly #sizes: readonly number[];
  readonly #sourceBinds: ReadonlyMap<number, Rotation>;
  readonly #targetBinds: ReadonlyMap<number, Rotation>;

  constructor(source: CharacterModel, target: CharacterModel) {
    this.#source = source;
    this.#target = target;
    this.#sizes = localSizes(target);
    this.#sourceBinds = bindRotations(source);
    this.#targetBinds = bindRotations(target);
  }

  difference(
    { path, targetIndex }: Pick<TrackModel, 'path' | 'targetIndex'>,
    joint: number,
  ): RestDifference | undefined {
    const [from, to] = [this.#source.joints[targetIndex]!, this.#target.joints[joint]!];
    if (path === 'translation') {
      const [a, b] = [from.translation, to.translation];
      const amount = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / this.#sizes[joint]!;
      const text = `rests ${short(Math.hypot(...a))} from its parent instead of ${short(Math.hypot(...b))}, or in another direction`;
      return { joint, channel: path, amount, severity: amount / REST_LIMITS.translation, text };
    }
    if (path === 'rotation') {
      const bound = this.#boundAngle(targetIndex, joint);
      const amount = Math.min(angleBetween(from.rotation, to.rotation), bound);
      const text = `rests turned by ${Math.round((amount * 180) / Math.PI)}°`;
      return { joint, channel: path, amount, severity: amount / REST_LIMITS.rotation, text };
    }
    if (path !== 'scale') return undefined;
    const factor = Math.max(...from.scale.map((value, axis) => Math.abs(Math.log(Math.abs(value / to.scale[axis]!)))));
    const amount = Number.isNaN(factor) ? 0 : Math.exp(factor) - 1;
    const text = `rests with a scale of ${from.scale[0]} instead of ${to.scale[0]}`;
    return { joint, channel: path, amount, severity: amount / REST_LIMITS.scale, text };
  }

  /** The angle between both joints' rotations when their meshes were bound; infinite if a mesh is missing. */
  #boundAngle(sourceJoint: number, targetJoint: number): number {
    const from = localBind(this.#source, this.#sourceBinds, sourceJoint);
    const to = localBind(this.#target, this.#targetBinds, targetJoint);
    return from && to ? angleBetween(from, to) : Infinity;
  }
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** The height of a skeleton in the units of each joint's parent. */
function localSizes(model: CharacterModel): number[] {
  const m = composeJoints(model, restPose(model));
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let joint = 0; joint < model.joints.length; joint++)
    for (let axis = 0; axis < 3; axis++) {
      const value = m[12 * joint + 4 * axis + 3]!;
      low[axis] = Math.min(low[axis]!, value);
      high[axis] = Math.max(high[axis]!, value);
    }
  const size = Math.max(...low.map((value, axis) => high[axis]! - value), 1e-9);
  return model.joints.map(({ parentIndex: parent }) =>
    parent < 0 ? size : size / (Math.hypot(m[12 * parent]!, m[12 * parent + 4]!, m[12 * parent + 8]!) || 1),
  );
}

/** Rotations in model space of the joints that skins bind; joints with a mesh of their own have none. */
function bindRotations({ bindings }: CharacterModel): Map<number, Rotation> {
  const out = new Map<number, Rotation>();
  for (const { jointIndex, jointFromMesh: m } of bindings) {
    if (out.has(jointIndex) || isIdentity(m)) continue;
    out.set(jointIndex, inverse(rotationOfAffine(m)));
  }
  return out;
}

function localBind(
  { joints }: CharacterModel,
  binds: ReadonlyMap<number, Rotation>,
  joint: number,
): Rotation | undefined {
  const [own, parent] = [binds.get(joint), binds.get(joints[joint]!.parentIndex)];
  if (!own || !parent) return undefined;
  return multiply(inverse(parent), own);
}

function isIdentity(m: ArrayLike<number>): boolean {
  return m[0] === 1 && m[5] === 1 && m[10] === 1 && m[3] === 0 && m[7] === 0 && m[11] === 0;
}

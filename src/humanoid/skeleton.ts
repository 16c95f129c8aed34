import { composeJoints, restPose } from '../character/evaluate.ts';
import type { CharacterModel } from '../character/model.ts';
import { chancesOf, isSidedWord, type Part } from './words.ts';
import { type JointName, readJointNames, type Side } from './names.ts';

/** A skeleton with its names read, for the search of its bones. */
export class Skeleton {
  readonly names: readonly JointName[];
  readonly children: readonly (readonly number[])[];
  /** `modelFromJoint` at rest, 12 numbers each. */
  readonly modelFromJoint: Float64Array;
  /** The child of each joint with the most joints below it, or -1; how many joints that way has, and its last one. */
  readonly nextBelow: readonly number[];
  readonly countBelow: readonly number[];
  readonly endBelow: readonly number[];
  readonly #parents: readonly number[];
  readonly #depths: number[] = [];

  constructor(model: Pick<CharacterModel, 'joints'>) {
    const { joints } = model;
    this.names = readJointNames(
      joints.map(({ name }) => name),
      isSidedWord,
    );
    this.#parents = joints.map(({ parentIndex }) => parentIndex);
    const children: number[][] = joints.map(() => []);
    this.#parents.forEach((parent, joint) => {
      if (parent >= 0) children[parent]!.push(joint);
      this.#depths.push(parent < 0 ? 0 : this.#depths[parent]! + 1);
    });
    this.children = children;
    const [next, count, end] = [joints.map(() => -1), joints.map(() => 1), joints.map((_, i) => i)];
    for (let joint = joints.length - 1; joint > 0; joint--) {
      const parent = this.#parents[joint]!;
      if (parent < 0 || count[joint]! + 1 <= count[parent]!) continue;
      [next[parent], count[parent], end[parent]] = [joint, count[joint]! + 1, end[joint]!];
    }
    this.nextBelow = next;
    this.countBelow = count;
    this.endBelow = end;
    this.modelFromJoint = composeJoints(model, restPose(model));
  }

  get jointCount(): number {
    return this.#parents.length;
  }

  parentOf(joint: number): number {
    return this.#parents[joint]!;
  }

  depthOf(joint: number): number {
    return this.#depths[joint]!;
  }

  /** Position at rest, in model space. */
  positionOf(joint: number): [number, number, number] {
    const m = this.modelFromJoint;
    return [m[12 * joint + 3]!, m[12 * joint + 7]!, m[12 * joint + 11]!];
  }

  /** Returns true if `joint` is below `ancestor`, or is it. */
  isBelow(joint: number, ancestor: number): boolean {
    let at = joint;
    while (at > ancestor) at = this.#parents[at]!;
    return at === ancestor;
  }

  /** The joints from `ancestor` down to `joint`, without both. */
  between(ancestor: number, joint: number): number[] {
    const path: number[] = [];
    for (let at = this.#parents[joint]!; at >= 0 && at !== ancestor; at = this.#parents[at]!) path.unshift(at);
    return path;
  }

  /** The lowest joint that all are below, or one of them; -1 for joints of several roots. */
  commonAncestor(joints: readonly number[]): number {
    let common = joints[0] ?? -1;
    while (common >= 0 && !joints.every((joint) => this.isBelow(joint, common))) common = this.#parents[common]!;
    return common;
  }

  /** How sure a joint's own name is of a part: 0 to 1. */
  chance(joint: number, part: Part): number {
    const { isHelper, word, side } = this.names[joint]!;
    return isHelper ? 0 : (chancesOf(word, side !== undefined)[part] ?? 0);
  }

  /** Joints that a name makes a part, those near the root first. */
  named(part: Part, side?: Side): number[] {
    const found: number[] = [];
    for (let joint = 0; joint < this.jointCount; joint++)
      if (this.names[joint]!.side === side && this.chance(joint, part) > 0) found.push(joint);
    return found.sort((a, b) => this.#depths[a]! - this.#depths[b]!);
  }
}

export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
}

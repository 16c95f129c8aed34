import { INDEX_NONE, PARAMETER_INT, TREE_DIRECT } from '../tables.ts';
import type { ControllerView, MachineView, MotionView, TreeView } from './controller-view.ts';
import { writeTreeWeights } from './tree-weights.ts';

const f = Math.fround;

/** Parameters of one character: the words of its columns. */
export interface Parameters {
  float(index: number): number;
  int(index: number): number;
  /** Keeps the last weights of trees, for characters in memory. */
  readonly memo?: TreeMemo;
  /** The character's row of the memo. */
  readonly character?: number;
}

/** Leaves of a motion that a memo has room for. */
const MEMO_LEAVES = 8;

/**
 * The last weights of each character's tree. State machines, culling and poses of a frame need the same ones, and so do frames in
 * which the parameters stay. Only for motions of one tree with at most two parameters and MEMO_LEAVES leaves: about 90 bytes per character.
 */
export class TreeMemo {
  readonly #capacity: number;
  #motions: (MotionView | undefined)[] = [];
  #inputs = new Float64Array(0);
  #lengths = new Float64Array(0);
  #weights = new Float64Array(0);

  /** Takes its memory when the first tree is evaluated. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns false if the last weights are others. */
  recall(character: number, motion: MotionView, x: number, y: number, out: MotionWeights): boolean {
    if (this.#motions[character] !== motion) return false;
    if (this.#inputs[2 * character] !== x || this.#inputs[2 * character + 1] !== y) return false;
    out.length = this.#lengths[character]!;
    const first = MEMO_LEAVES * character;
    for (let l = 0; l < motion.leaves.length; l++) out.weights[l] = this.#weights[first + l]!;
    return true;
  }

  keep(character: number, motion: MotionView, x: number, y: number, { length, weights }: MotionWeights): void {
    if (this.#motions.length === 0) this.#allocate();
    this.#motions[character] = motion;
    this.#inputs[2 * character] = x;
    this.#inputs[2 * character + 1] = y;
    this.#lengths[character] = length;
    const first = MEMO_LEAVES * character;
    for (let l = 0; l < motion.leaves.length; l++) this.#weights[first + l] = weights[l]!;
  }

  #allocate(): void {
    const count = this.#capacity;
    this.#motions = Array.from({ length: count }, () => undefined);
    [this.#inputs, this.#lengths] = [new Float64Array(2 * count), new Float64Array(count)];
    this.#weights = new Float64Array(MEMO_LEAVES * count);
  }
}

/** A parameter as a number, as trees and states read it; `otherwise` if there is no parameter. NaN reads as 0. */
export function numberParameter(parameters: Parameters, reference: number, otherwise: number): number {
  if (reference === INDEX_NONE) return otherwise;
  if (reference & PARAMETER_INT) return f(parameters.int(reference & ~PARAMETER_INT));
  const value = parameters.float(reference);
  return Number.isNaN(value) ? 0 : value;
}

export interface EvaluatedMotion {
  /** For each leaf, the product of the weights on its path. */
  readonly weights: readonly number[];
  /** Seconds: the weighted mean of lengths, level by level. */
  readonly length: number;
}

/** Evaluates motions, one after the other: the results of the last one. */
export class MotionWeights {
  /** For each leaf, the product of the weights on its path. */
  weights = new Float64Array(32);
  /** Seconds: the weighted mean of lengths, level by level. */
  length = 1;
  /** Shares of the children of trees that are being walked. */
  #shares = new Float64Array(64);

  evaluate(motion: MotionView, parameters: Parameters): void {
    const { trees, leaves } = motion;
    if (this.weights.length < leaves.length) this.weights = new Float64Array(2 * leaves.length);
    const { memo, character = 0 } = parameters;
    if (trees.length === 0) {
      this.weights.fill(1, 0, leaves.length);
      this.length = motion.length;
    } else if (memo && trees.length === 1 && trees[0]!.type !== TREE_DIRECT && leaves.length <= MEMO_LEAVES) {
      const x = numberParameter(parameters, trees[0]!.parameterX, 0);
      const y = numberParameter(parameters, trees[0]!.parameterY, 0);
      if (memo.recall(character, motion, x, y, this)) return;
      this.#walkAll(motion, parameters);
      memo.keep(character, motion, x, y, this);
    } else this.#walkAll(motion, parameters);
  }

  #walkAll({ trees, leaves }: MotionView, parameters: Parameters): void {
    this.weights.fill(0, 0, leaves.length);
    this.length = this.#walk(trees, 0, 1, 0, parameters);
  }

  /** Seconds of a tree. @param path Product of the weights above it. @param at Where its shares begin. */
  #walk(trees: readonly TreeView[], index: number, path: number, at: number, parameters: Parameters): number {
    const tree = trees[index]!;
    const { children } = tree;
    const end = at + children.length;
    if (this.#shares.length < end) this.#shares = grown(this.#shares, 2 * end);
    if (tree.type === TREE_DIRECT) {
      for (let c = 0; c < children.length; c++) {
        this.#shares[at + c] = numberParameter(parameters, children[c]!.parameter, 0);
      }
    }
    const x = numberParameter(parameters, tree.parameterX, 0);
    writeTreeWeights(tree, x, numberParameter(parameters, tree.parameterY, 0), this.#shares, at);
    let sum = 0;
    let total = 0;
    for (let c = 0; c < children.length; c++) {
      const child = children[c]!;
      const share = this.#shares[at + c]!;
      const onPath = f(path * share);
      if (!child.isTree) this.weights[child.index] = onPath;
      const seconds = child.isTree
        ? f(this.#walk(trees, child.index, onPath, end, parameters) * child.lengthScale)
        : child.lengthScale;
      if (child.lengthScale === 0) continue; // it is held, and has no length
      sum = f(sum + share);
      total = f(total + f(share * seconds));
    }
    return sum > 0 ? f(total / sum) : 1;
  }
}

function grown(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(array);
  return longer;
}

/** Weights of all leaves of a motion, and its length. */
export function evaluateMotion(motion: MotionView, parameters: Parameters): EvaluatedMotion {
  evaluated.evaluate(motion, parameters);
  return { weights: Array.from(evaluated.weights.subarray(0, motion.leaves.length)), length: evaluated.length };
}

const evaluated = new MotionWeights();

/** Seconds of a cycle of a motion; a missing motion lasts 1 s. */
function motionLength(motion: MotionView | undefined, parameters: Parameters): number {
  if (!motion) return 1;
  if (motion.trees.length === 0) return motion.length;
  evaluated.evaluate(motion, parameters);
  return evaluated.length;
}

/** Seconds of a cycle of a state, from its motion and from synced layers that affect timing. */
export function stateLength(
  controller: ControllerView,
  machine: MachineView,
  state: number,
  parameters: Parameters,
): number {
  let length = motionLength(controller.motion(machine.state(state).motionRow), parameters);
  for (const timing of machine.timings) {
    const { weight } = timing;
    const own = motionLength(controller.motion(timing.motionRow(state)), parameters);
    length = f(f(length * f(1 - weight)) + f(own * weight));
  }
  return length;
}

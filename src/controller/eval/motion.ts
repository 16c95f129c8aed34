import { INDEX_NONE, PARAMETER_INT, TREE_DIRECT, TREE_NORMALIZED } from '../tables.ts';
import type { ControllerView, MachineView, MotionView } from './controller-view.ts';
import { treeWeights } from './tree-weights.ts';

const f = Math.fround;

/** Parameters of one character: the words of its columns. */
export interface Parameters {
  float(index: number): number;
  int(index: number): number;
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

/** Weights of all leaves of a motion, and its length. */
export function evaluateMotion({ trees, leaves, length }: MotionView, parameters: Parameters): EvaluatedMotion {
  if (trees.length === 0) return { weights: leaves.map(() => 1), length };
  const weights = leaves.map(() => 0);
  const walk = (index: number, path: number): number => {
    const { type, flags, parameterX, parameterY, children } = trees[index]!;
    const x = numberParameter(parameters, parameterX, 0);
    const y = numberParameter(parameters, parameterY, 0);
    const direct =
      type === TREE_DIRECT ? children.map(({ parameter }) => numberParameter(parameters, parameter, 0)) : [];
    const shares = treeWeights(type, children, x, y, direct, (flags & TREE_NORMALIZED) !== 0);
    let [sum, total] = [0, 0];
    children.forEach((child, c) => {
      const share = shares[c]!;
      const onPath = f(path * share);
      if (!child.isTree) weights[child.index] = onPath;
      const seconds = child.isTree ? f(walk(child.index, onPath) * child.lengthScale) : child.lengthScale;
      if (child.lengthScale === 0) return; // it is held, and has no length
      sum = f(sum + share);
      total = f(total + f(share * seconds));
    });
    return sum > 0 ? f(total / sum) : 1;
  };
  return { length: walk(0, 1), weights };
}

/** Seconds of a cycle of a state, from its motion and from synced layers that affect timing. */
export function stateLength(
  controller: ControllerView,
  machine: MachineView,
  state: number,
  parameters: Parameters,
): number {
  const lengthOf = (row: number): number => {
    const motion = controller.motion(row);
    return motion ? evaluateMotion(motion, parameters).length : 1;
  };
  let length = lengthOf(machine.state(state).motionRow);
  for (const timing of machine.timings) {
    const { weight } = timing;
    length = f(f(length * f(1 - weight)) + f(lengthOf(timing.motionRow(state)) * weight));
  }
  return length;
}

import { smoothstep } from '../math/vec.ts';
import type { Weights } from './surface.ts';

/** Blends two sets of weights. */
export function blendWeights(a: Weights, b: Weights, t: number): Weights {
  const sum = new Map<string, number>();
  for (const [joint, weight] of a) sum.set(joint, (sum.get(joint) ?? 0) + weight * (1 - t));
  for (const [joint, weight] of b) sum.set(joint, (sum.get(joint) ?? 0) + weight * t);
  return [...sum].filter(([, weight]) => weight > 1e-4);
}

/** A boundary along a body: where one joint's hold gives way to the next one's, and over what length. */
interface Handover {
  readonly joint: string;
  readonly at: number;
  readonly width: number;
}

/** Weights along a line: `first` up to the first handover, then each joint in turn. */
export function chainWeights(s: number, first: string, handovers: readonly Handover[]): Weights {
  let weights: Weights = [[first, 1]];
  for (const { joint, at, width } of handovers) {
    weights = blendWeights(weights, [[joint, 1]], smoothstep(at - width / 2, at + width / 2, s));
  }
  return weights;
}

import type { ControllerModel, TreeModel } from '../../src/controller/model.ts';

/** A tree, where its parameters x and y stand, and what its children weigh there. */
export interface GoldenTree {
  readonly name: string;
  readonly tree: TreeModel;
  readonly x: number;
  readonly y: number;
  readonly weights: readonly number[];
}

type Plane = 'directional' | 'freeformDirectional' | 'freeformCartesian';

const line = (thresholds: readonly number[], x: number, weights: readonly number[]): GoldenTree => ({
  name: `1D [${thresholds.join()}] at ${x}`,
  tree: { blend: '1d', parameter: 'x', children: thresholds.map((at, c) => ({ at, motion: `clip ${c}` })) },
  x,
  y: 0,
  weights,
});

const plane = (
  blend: Plane,
  places: readonly (readonly [number, number])[],
  [x, y]: readonly [number, number],
  weights: readonly number[],
): GoldenTree => ({
  name: `${blend} ${places.map((place) => `(${place.join()})`).join('')} at (${x},${y})`,
  tree: { blend, parameters: ['x', 'y'], children: places.map((at, c) => ({ at, motion: `clip ${c}` })) },
  x,
  y,
  weights,
});

const P5 = [
  [0, 0],
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
] as const;
const SQUARE = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;
const Q5 = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [-1, 0],
] as const;
const oneHot = (count: number, at: number): number[] => Array.from({ length: count }, (_, i) => Number(i === at));

/** Values of an independent transcription of the formulas, to five digits. */
export const GOLDEN_TREES: readonly GoldenTree[] = [
  line([0, 0.5, 1], 0.2, [0.6, 0.4, 0]),
  line([0, 1, 1, 2], 1, [0, 0, 1, 0]),
  plane('directional', P5, [0.3, 0.4], [0.3, 0.4, 0.3, 0, 0]),
  plane('directional', P5, [2, 2], [0, 0.5, 0.5, 0, 0]),
  plane('directional', P5.slice(1), [0.2, 0.2], [0.35, 0.35, 0.15, 0.15]),
  plane('directional', [P5[1], P5[3]], [1, 0], [0.5, 0.5]),
  plane('directional', [P5[0], P5[1]], [0, 0.25], [0.75, 0.25]),
  plane('freeformCartesian', P5, [0.3, 0.4], [0.46154, 0.30769, 0.23077, 0, 0]),
  plane('freeformCartesian', SQUARE, [0.25, 0.5], [0.33333, 0.16667, 0.33333, 0.16667]),
  plane('freeformDirectional', Q5, [0, 1.5], [0, 0.5, 0.5, 0, 0]),
  plane('freeformDirectional', Q5, [0.5, 0.5], [0.27921, 0.36039, 0, 0.36039, 0]),
  plane('freeformDirectional', Q5, [1, 2], [0, 0, 0.72772, 0.27228, 0]),
  plane('freeformDirectional', Q5, [0, -1], [0.27616, 0, 0, 0.36192, 0.36192]),
  ...Q5.map((place, i) => plane('freeformDirectional', Q5, place, oneHot(5, i))),
];

/** A controller whose only state plays the tree, its parameters where the case has them. */
export function goldenController({ tree, x, y }: GoldenTree): ControllerModel {
  return {
    format: 'maniple-controller',
    version: 1,
    name: 'golden',
    parameters: { x: { type: 'float', default: x }, y: { type: 'float', default: y } },
    layers: [{ name: 'Base', machine: { default: 'Tree', states: { Tree: { motion: tree } } } }],
  };
}

/** A clock from T0 to T1, an exit time E, and the share of the way where they meet; undefined: they do not. */
export interface GoldenExit {
  readonly from: number;
  readonly to: number;
  readonly exit: number;
  readonly share: number | undefined;
}

export const GOLDEN_EXITS: readonly GoldenExit[] = [
  { from: 0, to: 0.1, exit: 0, share: undefined },
  { from: 0.95, to: 1.05, exit: 0, share: 0.5 },
  { from: 1.7, to: 1.8, exit: 0.75, share: 0.5 },
  { from: 3.4, to: 3.6, exit: 3.5, share: 0.5 },
  { from: 2.4, to: 2.6, exit: 3.5, share: undefined },
  { from: 0.9, to: 1, exit: 1, share: 1 },
  { from: 1, to: 1.1, exit: 1, share: undefined },
  { from: 1, to: 0.2, exit: 0.75, share: 0.9375 },
];

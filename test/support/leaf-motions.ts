import { param } from '../../src/controller/builder.ts';
import type {
  ChildModel,
  ControllerModel,
  MotionModel,
  ParameterModel,
  TransitionModel,
} from '../../src/controller/model.ts';

/** Parameters of the motions below: two for places, and one for each of 32 clips, all of different weights. */
export const LEAF_PARAMETERS: Readonly<Record<string, ParameterModel>> = {
  x: param.float(0.3),
  y: param.float(0.2),
  ...Object.fromEntries(Array.from({ length: 32 }, (_, c) => [`w${c}`, param.float((c + 1) / 528)])),
};

const clip = (c: number): string => `clip ${c}`;
const list = <T>(count: number, make: (c: number) => T): T[] => Array.from({ length: count }, (_, c) => make(c));

/** A direct tree of children, the weight of each of its own parameter. */
export function direct(children: readonly MotionModel[], firstParameter = 0): MotionModel {
  return {
    blend: 'direct',
    children: children.map((motion, c) => ({ motion, weightParameter: `w${firstParameter + c}` })),
  };
}

const ring = (count: number): readonly [number, number][] =>
  list(count, (c) => [Math.cos((2 * Math.PI * c) / count), Math.sin((2 * Math.PI * c) / count)]);

/** Direct trees in trees with one child each: as many trees as 32 clips can have. */
const chained = (levels: number, motion: MotionModel, parameter: number): MotionModel =>
  levels === 0
    ? motion
    : { blend: 'direct', normalized: true, children: [{ motion: chained(levels - 1, motion, parameter), weightParameter: `w${parameter}` }] }; // prettier-ignore

const normalized = (children: readonly (ChildModel & { weightParameter: string })[]): MotionModel => ({
  blend: 'direct',
  normalized: true,
  children,
});

/** Motions of many clips that have weight at once, by name. */
export const LEAF_MOTIONS = {
  '12 equal ones': normalized(list(12, (c) => ({ motion: clip(c), weightParameter: 'x' }))),
  '32 of different weights, under two direct trees': {
    blend: 'direct',
    normalized: true,
    children: [0, 1].map((half) => ({
      motion: normalized(list(16, (c) => ({ motion: clip(16 * half + c), weightParameter: `w${16 * half + c}` }))),
      weightParameter: half === 0 ? 'x' : 'y',
    })),
  },
  '16 around, freeform': {
    blend: 'freeformCartesian',
    parameters: ['x', 'y'],
    children: ring(16).map((at, c) => ({ at, motion: clip(c), timeScale: 1 + c / 16 })),
  },
  '16 around, freeform directional': {
    blend: 'freeformDirectional',
    parameters: ['x', 'y'],
    children: ring(16).map((at, c) => ({ at, motion: clip(c) })),
  },
  '15 around, directional, without a centre': {
    blend: 'directional',
    parameters: ['x', 'y'],
    children: ring(15).map((at, c) => ({ at, motion: clip(c) })),
  },
  'trees of every kind in each other': {
    blend: '1d',
    parameter: 'x',
    children: [
      { at: 0, motion: direct(list(12, clip), 4) },
      {
        at: 1,
        motion: {
          blend: 'directional',
          parameters: ['x', 'y'],
          children: [
            { at: [0, 0], motion: clip(12) },
            ...ring(3).map((at, c) => ({ at, motion: direct([clip(13 + 3 * c), clip(14 + 3 * c), clip(15 + 3 * c)], 3 * c) })), // prettier-ignore
          ],
        },
      },
    ],
  },
  'as many trees as 32 clips can have': normalized(
    list(16, (c) => ({
      motion: normalized([0, 1].map((k) => ({ motion: chained(2, clip(2 * c + k), 3), weightParameter: `w${2 * c + k}` }))), // prettier-ignore
      weightParameter: `w${c}`,
    })),
  ),
} satisfies Readonly<Record<string, MotionModel>>;

/** Two states, and one that plays backwards, from any to any other at a trigger; an additive layer has the same states with another motion. */
export function leafController(name: string, motion: MotionModel, other: MotionModel): ControllerModel {
  const any: TransitionModel[] = ['A', 'B', 'C'].map((to, t) => ({
    to,
    when: [{ parameter: `t${t}` }],
    duration: 0.5,
  }));
  return {
    format: 'maniple-controller',
    version: 1,
    name,
    parameters: { ...LEAF_PARAMETERS, t0: param.trigger(), t1: param.trigger(), t2: param.trigger(), b: param.bool() },
    clips: Object.fromEntries(
      Array.from({ length: 32 }, (_, c) => [
        `clip ${c}`,
        { length: 0.4 + c / 16, loops: c % 5 > 0, events: c % 3 === 0 ? [{ name: 'beat', time: 0.2 }] : [] },
      ]),
    ),
    layers: [
      {
        name: 'Base',
        machine: {
          default: 'A',
          any,
          states: { A: { motion }, B: { motion: other, mirror: true }, C: { motion, speed: -0.5, timeParameter: 'x' } },
        },
      },
      { name: 'Over', blend: 'additive', weight: 0.5, sync: { layer: 'Base', motions: { A: other, B: motion } } },
    ],
  };
}

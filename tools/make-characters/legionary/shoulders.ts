import { loft, type Ring } from '../geometry/loft.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import type { Rgb } from '../geometry/colour.ts';
import type { Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

/** One hoop of a shoulder guard: an arc from the back over the shoulder to the breast. */
interface Hoop {
  readonly inner: Rail;
  readonly outer: Rail;
  readonly skin: Weights;
  readonly paint: Rgb;
  readonly edge: Rgb;
}

interface Rail {
  readonly x: number;
  readonly y: number;
  readonly high: number;
  readonly deep: number;
}

const STEPS = 5;
const SWEEP = (112 * Math.PI) / 180;
const LIP = 0.016;

const arc = ({ x, y, high, deep }: Rail): Vec3[] =>
  Array.from({ length: STEPS + 1 }, (_, i) => {
    const angle = (i / STEPS - 0.5) * 2 * SWEEP;
    // both ends of a guard are drawn towards the breast and the spine
    const inward = 0.03 * Math.abs(Math.sin(angle)) ** 3;
    return [x - inward, y + high * Math.cos(angle), -0.012 + deep * Math.sin(angle)];
  });

const HOOPS: readonly Hoop[] = [
  {
    inner: { x: 0.085, y: 1.378, high: 0.094, deep: 0.136 },
    outer: { x: 0.15, y: 1.376, high: 0.112, deep: 0.145 },
    skin: [
      ['chest', 0.5],
      ['clavicle_l', 0.5],
    ],
    paint: C.steelBright,
    edge: C.steelDeep,
  },
  {
    inner: { x: 0.142, y: 1.378, high: 0.12, deep: 0.142 },
    outer: { x: 0.216, y: 1.37, high: 0.122, deep: 0.138 },
    skin: [
      ['clavicle_l', 0.85],
      ['upper_arm_l', 0.15],
    ],
    paint: C.steel,
    edge: C.steelDeep,
  },
  {
    inner: { x: 0.206, y: 1.37, high: 0.13, deep: 0.134 },
    outer: { x: 0.286, y: 1.342, high: 0.112, deep: 0.12 },
    skin: [
      ['clavicle_l', 0.6],
      ['upper_arm_l', 0.4],
    ],
    paint: C.steelBright,
    edge: C.gold,
  },
];

/** The left shoulder guard: hoops that overlap outwards, each with a lip and an inside that a raised arm shows. */
export function shoulderGuard(): Surface {
  const surface = new Surface();
  for (const { inner, outer, skin, paint, edge } of HOOPS) {
    const within = (rail: Rail, by: number): Rail => ({ ...rail, high: rail.high - by, deep: rail.deep - by });
    const ring = (rail: Rail, paint: Rgb): Ring => ({ points: arc(rail), skin, paint, material: 'metal', hard: true });
    const rings = [
      ring(inner, paint),
      ring(outer, edge),
      ring(within(outer, LIP), C.steelDeep),
      ring(within(inner, LIP), C.steelDeep),
    ];
    surface.append(loft(rings, { open: true }));
  }
  return surface;
}

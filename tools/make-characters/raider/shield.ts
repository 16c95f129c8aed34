import { loft, type Ring } from '../geometry/loft.ts';
import { lathe } from '../geometry/solids.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import { blend, type Rgb } from '../geometry/colour.ts';
import { hash } from '../math/noise.ts';
import type { Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

/** A round shield of planks: upright, facing +Z, held at the origin. */

const SKIN: Weights = [];
const RADIUS = 0.37;
const FRONT = 0.075;
const PLANKS = 7;
const RIM_STEPS = 18;
const RING_STEPS = 12;

function planks(): Surface {
  const surface = new Surface();
  const inner = RADIUS - 0.012;
  const width = (2 * inner) / PLANKS;
  for (let i = 0; i < PLANKS; i++) {
    // the others reach in under their neighbours, so that no gap opens
    const under = i % 2 === 0 ? 0 : 0.006;
    const x0 = -inner + i * width - under;
    const x1 = -inner + (i + 1) * width + under;
    const tall = (x: number): number => Math.sqrt(Math.max(0, inner * inner - x * x));
    // every other board stands a little proud, which draws the seams
    const z = FRONT + (i % 2 === 0 ? 0.004 : 0);
    const worn = blend(C.teal, C.tealDeep, 0.75 * hash(i, 91));
    const middle = (x0 + x1) / 2;
    const rim = [
      [x0, -tall(x0)],
      [middle, -tall(middle)],
      [x1, -tall(x1)],
      [x1, tall(x1)],
      [middle, tall(middle)],
      [x0, tall(x0)],
    ] as const;
    const outline = rim.filter(([x, y], k) => k === 0 || x !== rim[k - 1]![0] || y !== rim[k - 1]![1]);
    surface.polygon(
      outline.map(([x, y]): Vec3 => [x, y, z]),
      SKIN,
      { paint: worn },
    );
  }
  return surface;
}

const around = (step: number, radius: number, z: number, steps = RIM_STEPS): Vec3 => {
  const angle = (step / steps) * Math.PI * 2;
  return [Math.sin(angle) * radius, Math.cos(angle) * radius, z];
};

/** Iron around the edge, and bare boards behind. */
function rimAndBack(): Surface {
  const ring = (radius: number, z: number, paint: Rgb, metal: boolean): Ring => ({
    points: Array.from({ length: RIM_STEPS }, (_, step) => around(step, radius, z)),
    skin: SKIN,
    paint,
    material: metal ? 'metal' : 'matte',
    hard: true,
  });
  return loft(
    [
      ring(RADIUS - 0.035, FRONT + 0.009, C.ironDeep, true),
      ring(RADIUS, FRONT + 0.009, C.iron, true),
      ring(RADIUS, FRONT - 0.018, C.woodDeep, false),
    ],
    { capEnd: true },
  );
}

/** Four bone-white arms that whirl around the boss. */
export function whirl(): Surface {
  const surface = new Surface();
  const z = FRONT + 0.0075;
  const at = (turn: number, radius: number): Vec3 => {
    const angle = turn * Math.PI * 2;
    return [Math.sin(angle) * radius, Math.cos(angle) * radius, z];
  };
  for (let arm = 0; arm < 4; arm++) {
    const turn = arm / 4;
    const line: readonly (readonly [radius: number, from: number, to: number])[] = [
      [0.09, 0, 0.11],
      [0.17, 0.045, 0.145],
      [0.26, 0.11, 0.2],
      [0.332, 0.19, 0.235],
    ];
    for (let i = 0; i + 1 < line.length; i++) {
      const [r0, a0, b0] = line[i]!;
      const [r1, a1, b1] = line[i + 1]!;
      surface.polygon([at(turn + a0, r0), at(turn + a1, r1), at(turn + b1, r1), at(turn + b0, r0)].reverse(), SKIN, {
        paint: C.bone,
      });
    }
  }
  return surface;
}

/** A bone-white band between boss and rim. */
export function ring(): Surface {
  const surface = new Surface();
  const at = (step: number, radius: number): Vec3 => around(step, radius, FRONT + 0.0068, RING_STEPS);
  for (let step = 0; step < RING_STEPS; step++) {
    const corners = [at(step, 0.2), at(step + 1, 0.2), at(step + 1, 0.245), at(step, 0.245)];
    surface.polygon(corners, SKIN, { paint: C.bone });
  }
  return surface;
}

function boss(): Surface {
  const iron = { paint: C.iron, material: 'metal' as const };
  return lathe(
    [
      { along: 0, radius: 0.1, finish: { ...iron, paint: C.ironDeep } },
      { along: 0.01, radius: 0.096, finish: { ...iron, paint: C.ironDeep }, hard: true },
      { along: 0.012, radius: 0.07, finish: iron, hard: true },
      { along: 0.046, radius: 0.052, finish: { ...iron, paint: C.ironBright } },
      { along: 0.07, radius: 0.004, finish: iron },
    ],
    { from: [0, 0, FRONT + 0.006], axis: [0, 0, 1], side: [1, 0, 0], front: [0, 1, 0], count: 8, skin: SKIN },
  );
}

function handle(): Surface {
  const ring = (x: number): Ring => ({
    points: [
      [x, -0.016, 0.016],
      [x, 0.016, 0.016],
      [x, 0.016, -0.012],
      [x, -0.016, -0.012],
    ],
    skin: SKIN,
    paint: C.leather,
    flat: true,
  });
  return loft([ring(-0.16), ring(0.16)]);
}

export const shield = (): Surface =>
  new Surface().append(planks()).append(rimAndBack()).append(boss()).append(handle());

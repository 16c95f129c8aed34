import { lathe } from '../geometry/solids.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import type { Rgb } from '../geometry/colour.ts';
import { hash } from '../math/noise.ts';
import type { Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const SKIN: Weights = [];
const metal = (paint: Rgb): { paint: Rgb; material: 'metal' } => ({ paint, material: 'metal' });
const upright = {
  from: [0, 0, 0] as Vec3,
  axis: [0, 1, 0] as Vec3,
  side: [1, 0, 0] as Vec3,
  front: [0, 0, 1] as Vec3,
  skin: SKIN,
};

/** A bearded war axe, upright, its edge to +Z, held at the origin low on the haft. */
export function axe(): Surface {
  const haft = lathe(
    [
      { along: -0.2, radius: 0.024, finish: metal(C.ironDeep) },
      { along: -0.16, radius: 0.026, finish: { paint: C.woodDeep }, hard: true },
      { along: -0.09, radius: 0.02, finish: { paint: C.leather }, hard: true },
      { along: 0.09, radius: 0.021, finish: { paint: C.wood }, hard: true },
      { along: 0.6, radius: 0.02, finish: { paint: C.wood } },
    ],
    { ...upright, front: [0, 0, 1.25], count: 5, capStart: true, capEnd: true },
  );
  return haft.append(axeHead());
}

/** Places in the YZ plane; the blade is thick at the haft and comes to an edge. */
function axeHead(): Surface {
  const surface = new Surface();
  const root = 0.024;
  const place = (y: number, z: number, half: number): Vec3 => [half, y, z];
  const backTop = place(0.575, -0.05, 0.022);
  const backLow = place(0.475, -0.05, 0.022);
  const rootTop = place(0.585, 0.03, root);
  const rootLow = place(0.47, 0.03, root);
  const innerTop = place(0.655, 0.15, 0.012);
  const innerMid = place(0.52, 0.185, 0.012);
  const innerLow = place(0.33, 0.14, 0.01);
  const edgeTop = place(0.7, 0.18, 0.001);
  const edgeHigh = place(0.62, 0.228, 0.001);
  const edgeMid = place(0.48, 0.24, 0.001);
  const edgeLow = place(0.31, 0.18, 0.001);
  const flat = (corners: readonly Vec3[], paint: Rgb): void =>
    surface.polygon([...corners].reverse(), SKIN, { paint, material: 'metal' });
  flat([backLow, rootLow, rootTop, backTop].reverse(), C.ironDeep);
  flat([rootTop, rootLow, innerMid, innerTop], C.iron);
  flat([rootLow, innerLow, innerMid], C.iron);
  flat([innerTop, innerMid, edgeHigh, edgeTop], C.ironBright);
  flat([innerMid, edgeMid, edgeHigh], C.ironBright);
  flat([innerMid, innerLow, edgeLow, edgeMid], C.ironBright);
  const both = surface.withMirror();
  // the narrow sides between the two cheeks
  const across = (a: Vec3, b: Vec3): void =>
    both.polygon([a, b, [-b[0], b[1], b[2]], [-a[0], a[1], a[2]]], SKIN, { paint: C.ironDeep, material: 'metal' });
  across(backTop, backLow);
  across(rootTop, backTop);
  across(backLow, rootLow);
  across(innerTop, rootTop);
  across(rootLow, innerLow);
  across(edgeTop, innerTop);
  across(innerLow, edgeLow);
  return both;
}

/** A root with iron spikes. */
export function club(): Surface {
  const head = lathe(
    [
      { along: -0.16, radius: 0.026, finish: { paint: C.woodDeep } },
      { along: -0.08, radius: 0.022, finish: { paint: C.leather }, hard: true },
      { along: 0.09, radius: 0.024, finish: { paint: C.wood }, hard: true },
      { along: 0.34, radius: 0.042, finish: { paint: C.wood } },
      { along: 0.5, radius: 0.068, finish: { paint: C.woodDeep } },
      { along: 0.62, radius: 0.058, finish: { paint: C.woodDeep } },
      { along: 0.66, radius: 0.03, finish: { paint: C.woodDeep } },
    ],
    { ...upright, count: 5, capStart: true, capEnd: true },
  );
  for (let i = 0; i < 6; i++) {
    const angle = (i / 6) * Math.PI * 2 + 0.4;
    const y = 0.44 + 0.15 * hash(i, 3);
    const out = (radius: number, turn: number, up: number): Vec3 => [
      Math.sin(angle + turn) * radius,
      y + up,
      Math.cos(angle + turn) * radius,
    ];
    const tip = out(0.118, 0, 0.006);
    const foot = [out(0.056, -0.28, -0.012), out(0.056, 0.28, -0.012), out(0.056, 0, 0.022)] as const;
    head.polygon([foot[0], foot[1], tip], SKIN, metal(C.ironBright));
    head.polygon([foot[1], foot[2], tip], SKIN, metal(C.iron));
    head.polygon([foot[2], foot[0], tip], SKIN, metal(C.iron));
  }
  return head;
}

import { loft, oval, type Ring } from '../geometry/loft.ts';
import { chainWeights } from '../geometry/weights.ts';
import { lathe } from '../geometry/solids.ts';
import { newGroup, Surface, type Weights } from '../geometry/surface.ts';
import type { Rgb } from '../geometry/colour.ts';
import { lerp, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

const AROUND = 12;

export const torsoWeights = (p: Vec3): Weights =>
  chainWeights(p[1], 'pelvis', [
    { joint: 'spine_1', at: 1.05, width: 0.1 },
    { joint: 'spine_2', at: 1.16, width: 0.12 },
    { joint: 'chest', at: 1.28, width: 0.14 },
  ]);

interface Slice {
  readonly y: number;
  readonly wide: number;
  readonly deep: number;
  readonly z: number;
  /** Factors on columns 0, 1, 2 … of the front: breast muscles, navel. */
  readonly front?: readonly number[];
}

const SLICES: readonly Slice[] = [
  { y: 0.96, wide: 0.172, deep: 0.142, z: 0 },
  { y: 1.05, wide: 0.166, deep: 0.138, z: 0.004, front: [0.97, 1] },
  { y: 1.14, wide: 0.176, deep: 0.145, z: 0.004, front: [0.96, 1.01] },
  { y: 1.23, wide: 0.2, deep: 0.15, z: 0.002, front: [0.94, 0.99] },
  { y: 1.285, wide: 0.216, deep: 0.158, z: 0, front: [0.93, 1.0] },
  { y: 1.32, wide: 0.228, deep: 0.17, z: 0, front: [0.95, 1.07, 1.02] },
  { y: 1.4, wide: 0.24, deep: 0.172, z: -0.006, front: [0.95, 1.06, 1.02] },
  { y: 1.47, wide: 0.185, deep: 0.14, z: -0.008, front: [0.98, 1] },
  { y: 1.52, wide: 0.1, deep: 0.095, z: -0.004 },
];

const folded = (column: number): number => Math.min(column, AROUND - column);

/** A bare, broad trunk. */
function trunk(): Surface {
  return loft(
    SLICES.map(({ y, wide, deep, z, front }): Ring => ({
      points: oval([0, y, z], [wide, 0, 0], [0, 0, deep], AROUND, {
        power: 2.3,
        shape: (column) => front?.[folded(column)] ?? 1,
      }),
      skin: torsoWeights,
      paint: C.skin,
    })),
  );
}

/** A place on the trunk's skin, `out` metres in front of it; turn 0 is the front, a quarter the left side. */
function onTrunk(turn: number, y: number, out: number): Vec3 {
  const above = Math.max(
    1,
    SLICES.findIndex((slice) => slice.y >= y),
  );
  const [a, b] = [SLICES[above - 1]!, SLICES[above]!];
  const t = (y - a.y) / (b.y - a.y);
  const angle = turn * Math.PI * 2;
  const round = (value: number): number => Math.sign(value) * Math.abs(value) ** (2 / 2.3);
  return [
    round(Math.sin(angle)) * (lerp(a.wide, b.wide, t) + out),
    y,
    lerp(a.z, b.z, t) + round(Math.cos(angle)) * (lerp(a.deep, b.deep, t) + out),
  ];
}

/** A strap from the left shoulder across the breast to the right hip. */
function strap(): Surface {
  const surface = new Surface();
  const group = newGroup();
  const steps = 6;
  const rows = Array.from({ length: steps + 1 }, (_, i) => {
    const t = i / steps;
    const y = lerp(1.46, 1.02, t);
    const turn = lerp(0.1, -0.14, t);
    const out = 0.014 + 0.008 * Math.sin(t * Math.PI);
    return [onTrunk(turn - 0.024, y + 0.018, out), onTrunk(turn + 0.024, y - 0.018, out)].map((p) =>
      surface.point(p, torsoWeights),
    );
  });
  for (let i = 0; i < steps; i++) {
    surface.face([rows[i]![0]!, rows[i + 1]![0]!, rows[i + 1]![1]!, rows[i]![1]!], { paint: C.leather, group });
  }
  return surface;
}

function harness(): Surface {
  const ringAt = onTrunk(-0.02, 1.265, 0.02);
  const boss = lathe(
    [
      { along: 0, radius: 0.05, finish: { paint: C.bronze, material: 'metal' } },
      { along: 0.014, radius: 0.044, finish: { paint: C.ironBright, material: 'metal' }, hard: true },
      { along: 0.024, radius: 0.012, finish: { paint: C.ironBright, material: 'metal' } },
    ],
    {
      from: [0, 1.262, ringAt[2] - 0.004],
      axis: [0, 0, 1],
      side: [1, 0, 0],
      front: [0, 1, 0],
      count: 6,
      skin: torsoWeights,
      capEnd: true,
    },
  );
  return strap().withMirror().append(boss);
}

/** A broad belt with an iron buckle. */
function belt(): Surface {
  const row = (y: number, grow: number, paint: Rgb): Ring => ({
    points: oval([0, y, 0], [0.175 + grow, 0, 0], [0, 0, 0.144 + grow], AROUND, { power: 2.3 }),
    skin: (p) => torsoWeights([p[0], Math.min(p[1], 1.0), p[2]]),
    paint,
    hard: true,
  });
  const band = loft([
    row(0.955, 0.014, C.strap),
    row(0.975, 0.018, C.leatherDeep),
    row(1.03, 0.014, C.strap),
    row(1.05, 0.006, C.strap),
  ]);
  const buckle = lathe(
    [
      { along: 0, radius: 0.056, finish: { paint: C.ironDeep, material: 'metal' } },
      { along: 0.016, radius: 0.05, finish: { paint: C.iron, material: 'metal' }, hard: true },
      { along: 0.02, radius: 0.026, finish: { paint: C.leatherDeep }, hard: true },
    ],
    {
      from: [0, 1.002, 0.15],
      axis: [0, 0, 1],
      side: [1, 0, 0],
      front: [0, 1, 0],
      count: 6,
      skin: [['pelvis', 1]],
      capEnd: true,
    },
  );
  return band.append(buckle);
}

/** Three strokes of blue across the right ribs, as a bear's paw would leave them. */
function warPaint(): Surface {
  const surface = new Surface();
  for (let stroke = 0; stroke < 3; stroke++) {
    const rows = [0, 0.5, 1].map((t) => {
      const turn = -lerp(0.05, 0.19, t);
      const y = 1.235 - stroke * 0.055 + 0.06 * t;
      const half = stroke === 1 ? 0.015 : 0.013;
      const thick = half * (1 - 0.75 * Math.abs(t - 0.4));
      return [onTrunk(turn, y - thick, 0.007), onTrunk(turn, y + thick, 0.007)].map((p) =>
        surface.point(p, torsoWeights),
      );
    });
    for (let i = 0; i < 2; i++) {
      surface.face([rows[i + 1]![0]!, rows[i]![0]!, rows[i]![1]!, rows[i + 1]![1]!], {
        paint: C.paint,
        group: newGroup(),
      });
    }
  }
  return surface;
}

export const torso = (): Surface => new Surface().append(trunk()).append(warPaint()).append(harness()).append(belt());

import { face, skull } from '../body/head.ts';
import { limb } from '../body/limb.ts';
import { frontHalf, loft, oval, type Ring } from '../geometry/loft.ts';
import { blendWeights, chainWeights } from '../geometry/weights.ts';
import { Surface, type Weights } from '../geometry/surface.ts';
import { blend } from '../geometry/colour.ts';
import { hash } from '../math/noise.ts';
import { smoothstep, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { BRAID, build, hangingJoints } from './rig.ts';

const HEAD: Weights = [['head', 1]];

const neck = (): Surface =>
  limb({
    path: [build.neck, build.head],
    count: 6,
    skin: (s) =>
      chainWeights(s, 'chest', [
        { joint: 'neck', at: -0.1, width: 0.8 },
        { joint: 'head', at: 0.95, width: 0.7 },
      ]),
    rows: [
      { s: -0.6, wide: 0.085, deep: 0.085, paint: C.skinDeep },
      { s: 1.3, wide: 0.075, deep: 0.078, paint: C.skinDeep },
    ],
  });

/** The skull stands at z = 0.03: he carries his head before him. */
function bareHead(): Surface {
  return skull(
    [
      { y: 1.572, wide: 0.066, deep: 0.078, z: 0.06, paint: C.hairDeep },
      { y: 1.61, wide: 0.1, deep: 0.115, z: 0.044, paint: C.skin, hairFrom: 2 },
      { y: 1.664, wide: 0.112, deep: 0.128, z: 0.034, paint: C.skin, hairFrom: 3 },
      { y: 1.7, wide: 0.115, deep: 0.127, z: 0.031, paint: C.skin, hairFrom: 3, dents: { 1: 0.94, 0: 0.98 } },
      { y: 1.738, wide: 0.117, deep: 0.138, z: 0.03, paint: C.skin, hairFrom: 3 },
      { y: 1.785, wide: 0.112, deep: 0.134, z: 0.025, paint: C.hair },
      { y: 1.838, wide: 0.068, deep: 0.086, z: 0.018, paint: C.hair },
      { y: 1.868, wide: 0, deep: 0, z: 0.016, paint: C.hair },
    ],
    C.hair,
  );
}

function features(): Surface {
  const parts = face({
    eye: [0.045, 1.7, 0.1485],
    eyeSize: [0.022, 0.009],
    white: C.eyeWhite,
    iris: C.eye,
    brow: C.hairDeep,
    browTilt: 0.011,
    nose: [
      [0, 1.72, 0.154],
      [0, 1.662, 0.198],
      [0, 1.648, 0.16],
    ],
    noseWidth: 0.054,
    skin: C.skin,
    skinDeep: C.skinDeep,
  });
  // a streak of paint below each eye
  const streak = new Surface();
  const low: Vec3[] = [
    [0.026, 1.674, 0.1625],
    [0.06, 1.668, 0.152],
    [0.1, 1.666, 0.122],
  ];
  const high: Vec3[] = [
    [0.026, 1.688, 0.161],
    [0.06, 1.684, 0.151],
    [0.1, 1.684, 0.121],
  ];
  for (const i of [0, 1]) streak.polygon([low[i]!, low[i + 1]!, high[i + 1]!, high[i]!], HEAD, { paint: C.paint });
  return parts.append(streak.withMirror());
}

const beardWeights = ([, y]: Vec3): Weights => blendWeights(HEAD, [['beard', 1]], smoothstep(1.6, 1.49, y));

/** A beard like a shovel of fire. */
export function beard(): Surface {
  const around = 8;
  const row = (y: number, wide: number, deep: number, z: number, drop: (fold: number) => number): Ring => ({
    points: oval([0, y, z], [wide, 0, 0], [0, 0, deep], around, { power: 2.2 }).map((p, k): Vec3 => [
      p[0],
      p[1] - drop(Math.min(k, around - k)),
      p[2],
    ]),
    skin: beardWeights,
    paint: C.hair,
    columns: (column) =>
      blend(C.hair, C.hairDeep, (column % 2 === 0 ? 0.1 : 0.5) + 0.3 * hash(column, Math.round(y * 100))),
    flat: true,
  });
  const jagged = (size: number) => (fold: number) => (fold % 2 === 0 ? size : -size * 0.6);
  return loft(
    [
      // low under the mouth, high before the ears
      row(1.66, 0.117, 0.108, 0.05, (fold) => [0.05, 0.046, -0.012, 0, 0][fold]!),
      row(1.57, 0.13, 0.104, 0.086, () => 0),
      row(1.49, 0.108, 0.078, 0.148, jagged(0.014)),
      row(1.41, 0.066, 0.048, 0.186, jagged(0.022)),
      row(1.345, 0.014, 0.014, 0.205, () => 0),
    ],
    { capEnd: true },
  );
}

/** The trimmed beard of the camp: along the jaw, a hand wide. */
export function trimmedBeard(): Surface {
  const row = (y: number, wide: number, deep: number, z: number): Ring => ({
    points: frontHalf(oval([0, y, z], [wide, 0, 0], [0, 0, deep], 8, { power: 2.2 })),
    skin: HEAD,
    paint: C.hair,
    columns: (column) => blend(C.hair, C.hairDeep, column % 2 === 0 ? 0.2 : 0.6),
    flat: true,
  });
  const rows = [row(1.525, 0.05, 0.05, 0.1), row(1.57, 0.112, 0.108, 0.062), row(1.63, 0.116, 0.112, 0.05)];
  return loft(rows, { open: true });
}

function mouth(): Surface {
  const surface = new Surface();
  surface.polygon(
    [
      [-0.04, 1.612, 0.158],
      [0.04, 1.612, 0.158],
      [0.034, 1.63, 0.16],
      [-0.034, 1.63, 0.16],
    ],
    HEAD,
    { paint: C.mouth },
  );
  return surface;
}

export function moustache(): Surface {
  const surface = new Surface();
  const root: Vec3 = [0, 1.652, 0.184];
  const under: Vec3 = [0, 1.626, 0.188];
  const bend: Vec3 = [0.058, 1.634, 0.17];
  const end: Vec3 = [0.1, 1.552, 0.165];
  const back: Vec3 = [0.046, 1.602, 0.184];
  surface.polygon([root, under, back, bend], HEAD, { paint: C.hair });
  surface.polygon([bend, back, end], HEAD, { paint: C.hairDeep });
  return surface.withMirror();
}

/** A braid as thick as an arm from the back of the head, bound near its end. */
export function braid(): Surface {
  const [one, two, three] = hangingJoints(BRAID);
  const braidWeights = ([, y]: Vec3): Weights =>
    chainWeights(-y, 'head', [
      { joint: one!, at: -1.65, width: 0.1 },
      { joint: two!, at: -1.5, width: 0.1 },
      { joint: three!, at: -1.31, width: 0.1 },
    ]);
  const centre = (t: number): Vec3 => {
    const s = t * 3;
    const i = Math.min(2, Math.floor(s));
    const [a, b] = [BRAID.line[i]!, BRAID.line[i + 1]!];
    return [0, a[1] + (b[1] - a[1]) * (s - i), a[2] + (b[2] - a[2]) * (s - i)];
  };
  const rings: Ring[] = Array.from({ length: 9 }, (_, i) => {
    const t = i / 8;
    const bound = i === 7;
    const size = bound ? 0.024 : i === 8 ? 0.012 : (i % 2 === 0 ? 0.036 : 0.056) * (1 - 0.25 * t);
    return {
      points: oval(centre(t), [size * 1.1, 0, 0], [0, 0, size * 0.85], 5),
      skin: braidWeights,
      paint: i === 6 ? C.bronze : i % 2 === 0 ? C.hair : C.hairDeep,
    };
  });
  return loft(rings, { capEnd: true });
}

export const head = (): Surface => new Surface().append(neck()).append(bareHead()).append(features()).append(mouth());

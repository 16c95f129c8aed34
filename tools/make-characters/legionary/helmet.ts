import { loft, oval, type Ring } from '../geometry/loft.ts';
import { newGroup, Surface, type Weights } from '../geometry/surface.ts';
import { blend, type Rgb } from '../geometry/colour.ts';
import type { Vec3 } from '../math/vec.ts';
import { hash } from '../math/noise.ts';
import { PALETTE as C } from './palette.ts';

const SKIN: Weights = [];
const AROUND = 10;

const ring = (y: number, side: number, front: number, rest: Partial<Ring> = {}, z = -0.003): Ring => ({
  points: oval([0, y, z], [side, 0, 0], [0, 0, front], AROUND, { power: 2.15 }),
  skin: SKIN,
  paint: C.steel,
  material: 'metal',
  ...rest,
});

/** The bowl, with a brass band that juts over the brow. */
function bowl(): Surface {
  return loft(
    [
      ring(1.69, 0.134, 0.162, { paint: C.gold, hard: true }, 0.002),
      ring(1.718, 0.129, 0.153, { hard: true }),
      ring(1.765, 0.122, 0.145),
      ring(1.805, 0.097, 0.116, {}, -0.006),
      ring(1.832, 0.05, 0.062, {}, -0.009),
      ring(1.84, 0.012, 0.014, {}, -0.01),
    ],
    { capEnd: true },
  );
}

/** From ear to ear behind: down to the nape, then flared out over the neck. */
function neckGuard(): Surface {
  const row = (y: number, side: number, back: number, rest: Partial<Ring>): Ring => ({
    points: oval([0, y, -0.003], [side, 0, 0], [0, 0, back], 12, { power: 2.1 }).slice(3, 10),
    skin: SKIN,
    paint: C.steel,
    material: 'metal',
    ...rest,
  });
  return loft(
    [
      row(1.566, 0.132, 0.215, { paint: C.goldDeep, hard: true }),
      row(1.575, 0.133, 0.217, { paint: C.steel, hard: true }),
      row(1.602, 0.124, 0.15, { paint: C.steelDeep, hard: true }),
      row(1.7, 0.126, 0.15, {}),
    ],
    { open: true },
  );
}

/** The left cheek guard: three columns that bulge a little, brass along the edge. */
function cheekGuard(): Surface {
  const rows: readonly (readonly [Vec3, Vec3, Vec3])[] = [
    [
      [0.084, 1.535, 0.034],
      [0.082, 1.53, 0.062],
      [0.066, 1.536, 0.092],
    ],
    [
      [0.108, 1.568, 0.004],
      [0.106, 1.57, 0.05],
      [0.082, 1.578, 0.1],
    ],
    [
      [0.121, 1.628, -0.012],
      [0.12, 1.625, 0.034],
      [0.105, 1.622, 0.072],
    ],
    [
      [0.127, 1.7, -0.03],
      [0.127, 1.694, 0.026],
      [0.116, 1.694, 0.068],
    ],
  ];
  return loft(
    rows.map((points): Ring => ({
      points: [...points].reverse(),
      skin: SKIN,
      paint: C.steelBright,
      material: 'metal',
    })),
    { open: true },
  );
}

export function helmet(): Surface {
  return new Surface().append(bowl()).append(neckGuard()).append(cheekGuard().withMirror());
}

const CREST_STEPS = 8;

/** Horsehair from brow to nape in a brass holder: the mark by which he is known from afar. */
export function crest(): Surface {
  const surface = new Surface();
  const section = (i: number): { box: Vec3[]; hair: Vec3[] } => {
    const t = i / CREST_STEPS;
    const angle = ((-44 + 168 * t) * Math.PI) / 180;
    const jag = (hash(i, 5) - 0.5) * 0.012;
    const tall = 0.108 - 0.05 * t * t + jag;
    const at = (r: number, x: number, lean: number): Vec3 => {
      const a = angle + lean;
      return [x, 1.7 + (0.137 + r) * Math.cos(a), -0.008 - (0.158 + r) * Math.sin(a)];
    };
    return {
      box: [at(0.002, 0.016, 0), at(0.024, 0.013, 0)],
      hair: [
        at(0.018, 0.012, 0),
        at(0.018 + tall * 0.75, 0.03, 0.05),
        at(0.018 + tall, 0, 0.07),
        at(0.018 + tall * 0.75, -0.03, 0.05),
        at(0.018, -0.012, 0),
      ],
    };
  };
  const sections = Array.from({ length: CREST_STEPS + 1 }, (_, i) => section(i));
  const holder = loft(
    sections.map(({ box }): Ring => ({ points: box, skin: SKIN, paint: C.gold, material: 'metal' })).reverse(),
    { open: true },
  );
  surface.append(holder.withMirror());
  const group = newGroup();
  const rows = sections.map(({ hair }) => hair.map((p) => surface.point(p, SKIN)));
  // every other tuft is darker, down to its root
  const shade = (i: number, k: number): Rgb =>
    blend(C.crimsonBright, C.crimson, (i % 2 === 0 ? 0 : 0.55) + (k === 0 || k === 4 ? 0.4 : 0));
  for (let i = 0; i < CREST_STEPS; i++) {
    for (let k = 0; k < 4; k++) {
      const places = [
        [i + 1, k],
        [i + 1, k + 1],
        [i, k + 1],
        [i, k],
      ] as const;
      surface.faces.push({
        corners: places.map(([row, column]) => rows[row]![column]!),
        colours: places.map(([row, column]) => shade(row, column)),
        material: 'matte',
        group,
        crease: 60,
      });
    }
  }
  const ends = [rows[0]!, rows[CREST_STEPS]!];
  surface.face(ends[0]!, { paint: C.crimson });
  surface.face([...ends[1]!].reverse(), { paint: C.crimson });
  return surface;
}

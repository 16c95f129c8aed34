import { loft, type Ring } from '../geometry/loft.ts';
import { lathe, plate } from '../geometry/solids.ts';
import { newGroup, Surface, turned, type Weights } from '../geometry/surface.ts';
import type { Rgb } from '../geometry/colour.ts';
import { lerp, type Vec3 } from '../math/vec.ts';
import { PALETTE as C } from './palette.ts';

/** The great curved shield: upright, facing +Z, held at the origin. */

const SKIN: Weights = [];
const COLUMNS = 8;
const HALF_HEIGHT = 0.46;
const RADIUS = 0.36;
const SWEEP = 0.86;
const FRONT = 0.085;

/** A point of the board: u from -1 to 1 across, y up, `out` in front of the paint. Lies on the board's facets. */
function onBoard(u: number, y: number, out = 0): Vec3 {
  const column = Math.min(COLUMNS - 1, Math.floor(((u + 1) / 2) * COLUMNS));
  const t = ((u + 1) / 2) * COLUMNS - column;
  const line = (k: number): Vec3 => {
    const angle = (k / COLUMNS - 0.5) * 2 * SWEEP;
    return [(RADIUS + out) * Math.sin(angle), y, FRONT - RADIUS + (RADIUS + out) * Math.cos(angle)];
  };
  const [a, b] = [line(column), line(column + 1)];
  return [lerp(a[0], b[0], t), y, lerp(a[2], b[2], t)];
}

const columnLine = (k: number): number => (k / COLUMNS) * 2 - 1;

function board(): Surface {
  const surface = new Surface();
  const row = (y: number, out: number): number[] =>
    Array.from({ length: COLUMNS + 1 }, (_, k) => surface.point(onBoard(columnLine(k), y, out), SKIN));
  const side = (out: number, paint: (p: Vec3) => Rgb, front: boolean): void => {
    const [low, high] = [row(-HALF_HEIGHT, out), row(HALF_HEIGHT, out)];
    const group = newGroup();
    for (let k = 0; k < COLUMNS; k++) {
      const corners = [low[k]!, low[k + 1]!, high[k + 1]!, high[k]!];
      surface.face(front ? corners : corners.reverse(), { paint, group });
    }
  };
  side(0, () => C.crimson, true);
  side(-0.014, () => C.wood, false);
  return surface;
}

/** A brass rim around the whole board. */
function rim(): Surface {
  const surface = new Surface();
  const width = 0.024;
  const inner = (u: number, y: number): [number, number] => [
    u * (1 - width / 0.3),
    Math.sign(y) * (HALF_HEIGHT - width),
  ];
  const round: [number, number][] = [];
  for (let k = 0; k <= COLUMNS; k++) round.push([columnLine(k), -HALF_HEIGHT]);
  for (let k = COLUMNS; k >= 0; k--) round.push([columnLine(k), HALF_HEIGHT]);
  round.forEach(([u, y], i) => {
    const [u2, y2] = round[(i + 1) % round.length]!;
    const outer = [onBoard(u, y, 0.008), onBoard(u2, y2, 0.008)];
    const inside = [onBoard(...inner(u, y), 0.008), onBoard(...inner(u2, y2), 0.008)];
    const back = [onBoard(u, y, -0.014), onBoard(u2, y2, -0.014)];
    surface.polygon([outer[0]!, outer[1]!, inside[1]!, inside[0]!], SKIN, { paint: C.gold, material: 'metal' });
    surface.polygon([back[0]!, back[1]!, outer[1]!, outer[0]!], SKIN, { paint: C.goldDeep, material: 'metal' });
  });
  return surface;
}

/** A painted bar between two places, cut where the board bends so that it lies flat on every facet. */
function bar(surface: Surface, from: Bar, to: Bar, paint: Rgb): void {
  const lines = Array.from({ length: COLUMNS + 1 }, (_, k) => columnLine(k)).filter(
    (u) => u > from.u + 1e-6 && u < to.u - 1e-6,
  );
  const cuts = [from.u, ...lines, to.u];
  const at = (u: number): Bar => {
    const t = (u - from.u) / (to.u - from.u);
    return { u, low: lerp(from.low, to.low, t), high: lerp(from.high, to.high, t) };
  };
  for (let i = 0; i + 1 < cuts.length; i++) {
    // stay a hair inside the facet, so that a cut on its border takes the right one
    const [a, b] = [at(cuts[i]! + 1e-7), at(cuts[i + 1]! - 1e-7)];
    const corners = [
      onBoard(a.u, a.low, 0.004),
      onBoard(b.u, b.low, 0.004),
      onBoard(b.u, b.high, 0.004),
      onBoard(a.u, a.high, 0.004),
    ];
    surface.polygon(corners, SKIN, { paint, group: 0 });
  }
}

interface Bar {
  readonly u: number;
  readonly low: number;
  readonly high: number;
}

/** Eagle's wings to both sides of the boss, above and below. */
export function wings(): Surface {
  const quarter = new Surface();
  const feathers: readonly (readonly [root: number, tip: number, reach: number])[] = [
    [0.075, 0.345, 0.66],
    [0.062, 0.25, 0.74],
    [0.049, 0.155, 0.8],
  ];
  for (const [root, tip, reach] of feathers) {
    bar(quarter, { u: 0.25, low: root, high: root + 0.028 }, { u: 0.5, low: tip - 0.075, high: tip - 0.012 }, C.gold);
    bar(
      quarter,
      { u: 0.5, low: tip - 0.075, high: tip - 0.012 },
      { u: reach, low: tip + 0.006, high: tip + 0.01 },
      C.gold,
    );
  }
  const half = quarter.withMirror();
  return new Surface().append(half).append(upsideDown(half));
}

/** Mirrored top to bottom. */
const upsideDown = (surface: Surface): Surface => turned(surface.mapped((p) => [p[0], -p[1], p[2]]));

/** Jupiter's lightning, up and down from the boss. */
export function lightning(): Surface {
  const up = new Surface();
  bar(up, { u: -0.055, low: 0.12, high: 0.25 }, { u: 0.035, low: 0.12, high: 0.21 }, C.cream);
  bar(up, { u: -0.03, low: 0.2, high: 0.33 }, { u: 0.055, low: 0.24, high: 0.37 }, C.cream);
  bar(up, { u: -0.1, low: 0.325, high: 0.335 }, { u: 0, low: 0.325, high: 0.42 }, C.cream);
  bar(up, { u: 0, low: 0.325, high: 0.42 }, { u: 0.1, low: 0.325, high: 0.335 }, C.cream);
  return new Surface().append(up).append(upsideDown(up));
}

function boss(): Surface {
  const surface = plate(
    [
      [-0.085, -0.1, FRONT - 0.004],
      [0.085, -0.1, FRONT - 0.004],
      [0.085, 0.1, FRONT - 0.004],
      [-0.085, 0.1, FRONT - 0.004],
    ],
    { thickness: [0, 0, 0.016], skin: SKIN, face: { paint: C.goldDeep, material: 'metal' }, open: true, bevel: 0.1 },
  );
  return surface.append(
    lathe(
      [
        { along: 0, radius: 0.066, finish: { paint: C.steel, material: 'metal' } },
        { along: 0.03, radius: 0.056, finish: { paint: C.steelBright, material: 'metal' } },
        { along: 0.052, radius: 0.03, finish: { paint: C.steelBright, material: 'metal' } },
        { along: 0.058, radius: 0.002, finish: { paint: C.steelBright, material: 'metal' } },
      ],
      { from: [0, 0, FRONT + 0.01], axis: [0, 0, 1], side: [1, 0, 0], front: [0, 1, 0], count: 8, skin: SKIN },
    ),
  );
}

/** A bar behind the board for the fist. */
function handle(): Surface {
  const ring = (x: number): Ring => ({
    points: [
      [x, -0.014, 0.014],
      [x, 0.014, 0.014],
      [x, 0.014, -0.01],
      [x, -0.014, -0.01],
    ],
    skin: SKIN,
    paint: C.leatherDeep,
    flat: true,
  });
  return loft([ring(-0.12), ring(0.12)]);
}

export const scutum = (): Surface => new Surface().append(board()).append(rim()).append(boss()).append(handle());

import { blend, type Rgb } from '../make-characters/geometry/colour.ts';
import { loft, type Ring } from '../make-characters/geometry/loft.ts';
import { lathe } from '../make-characters/geometry/solids.ts';
import { newGroup, Surface } from '../make-characters/geometry/surface.ts';
import { hash } from '../make-characters/math/noise.ts';
import { lerp, type Vec3 } from '../make-characters/math/vec.ts';
import { PALETTE as C } from './palette.ts';
import { ball, board, either, pole, shaded } from './shapes.ts';

const upright = { axis: [0, 1, 0] as Vec3, side: [1, 0, 0] as Vec3, front: [0, 0, 1] as Vec3, skin: [] };

/** Three metres of stakes with fresh points, tied to two rails; its front looks along +Z. */
export function palisade(): Surface {
  const surface = new Surface();
  const count = 10;
  for (let i = 0; i < count; i++) {
    const radius = 0.135 + 0.025 * hash(i, 1);
    const height = 1.75 + 0.3 * hash(i, 2);
    const wood = shaded(blend(C.timber, C.timberDark, hash(i, 3)), -0.15 * hash(i, 4));
    const lean = (at: number): Vec3 => [0.05 * either(i, 5) * at, 0, 0.04 * either(i, 6) * at];
    const stake = lathe(
      [
        { along: -0.2, radius: radius * 1.05, finish: { paint: wood } },
        { along: height, radius: radius * 0.9, finish: { paint: C.timberFresh }, hard: true },
        { along: height + 0.34, radius: 0.012, finish: { paint: C.timberFresh } },
      ],
      { ...upright, from: [(i + 0.5 - count / 2) * 0.3, 0, 0.02 * either(i, 7)], count: 6 },
    );
    surface.append(stake.mapped((p) => [p[0] + lean(p[1])[0], p[1], p[2] + lean(p[1])[2]]));
  }
  for (const y of [0.55, 1.35]) {
    surface.append(pole([-1.55, y + 0.03, -0.15], [1.55, y - 0.02, -0.16], [0.06, 0.055], { paint: C.timberDark }, 5));
    for (const x of [-1.2, 0, 0.9]) {
      surface.append(pole([x - 0.07, y, -0.15], [x + 0.07, y, -0.16], [0.085, 0.085], { paint: C.rope }, 6));
    }
  }
  return surface;
}

/** Half the width of a tent on the ground, height of its wall and ridge, half its length. */
const TENT = { half: 1.55, wall: 0.55, ridge: 1.95, length: 1.75 };

/** A tent of hides for eight, its door along +Z: walls, a roof that sags, ropes and pegs. */
export function tent(): Surface {
  const surface = new Surface();
  const { half, wall, ridge, length } = TENT;
  const rows = 5;
  const profile = (t: number): Vec3[] => {
    const z = lerp(-length, length, t);
    const sag = Math.sin(Math.PI * t) * (0.1 + 0.02 * either(Math.round(t * 9), 2));
    const hollow = 0.06 * Math.sin(Math.PI * t);
    const eave = 0.02 * either(Math.round(t * 9), 3);
    return [
      [-half - 0.04, 0, z],
      [-half, wall + eave, z],
      [-half * 0.47, wall + (ridge - wall) * 0.53 - hollow - sag, z],
      [0, ridge - sag, z],
      [half * 0.47, wall + (ridge - wall) * 0.53 - hollow - sag, z],
      [half, wall - eave, z],
      [half + 0.04, 0, z],
    ];
  };
  const hides: readonly Rgb[] = [C.hide, C.hideLight, C.hideDark];
  const rings = Array.from({ length: rows + 1 }, (_, i): Ring => ({
    points: profile(i / rows),
    skin: [],
    paint: C.hide,
    columns: (column) => blend(C.hide, hides[Math.floor(hash(column, i, 6) * 3)]!, 0.55),
    flat: true,
  }));
  const skin = loft(rings, { open: true });
  surface.append(skin);
  gable(surface, profile(0), -1, [0, 1]);
  gable(surface, profile(1), 1, [0.24, 1]);
  for (const z of [-1, 1]) {
    const foot: Vec3 = [0, -0.1, z * (length + 0.05)];
    surface.append(pole(foot, [0, ridge + 0.18, z * (length + 0.05)], [0.045, 0.04], { paint: C.timberDark }, 5));
    surface.append(rope([0, ridge + 0.1, z * (length + 0.05)], [0, 0, z * (length + 1.25)]));
    for (const x of [-1, 1]) {
      for (const along of [0.35, 0.95]) {
        surface.append(rope([x * half, wall, z * length * along], [x * (half + 0.75), 0, z * length * along]));
      }
    }
  }
  return surface;
}

/** An end wall; flaps leave a door open in the middle where the share of it that is closed begins above 0. */
function gable(surface: Surface, outline: readonly Vec3[], out: number, [door]: readonly [number, number]): void {
  const [a, b, c, top, e, f, g] = outline as [Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3];
  const z = top[2];
  const gap = door * TENT.half;
  const paint = C.hideDark;
  const flap = (points: readonly Vec3[], inside: boolean) => {
    const turned = out > 0 === inside ? [...points].reverse() : points;
    surface.polygon(turned, [], { paint: inside ? shaded(paint, -0.4) : paint });
  };
  // flaps hang from the ridge pole, and stand off at the foot where they are tied open
  const left: Vec3[] = [a, [-gap, 0, z + out * 0.12 * Math.sign(door)], top, c, b];
  const right: Vec3[] = [[gap, 0, z + out * 0.12 * Math.sign(door)], g, f, e, top];
  for (const points of [left, right]) {
    flap(points, true);
    flap(points, false);
  }
  if (door > 0) {
    const dark = { paint: shaded(C.hideDark, -0.75), group: newGroup() };
    surface.polygon(
      [
        [-gap * 1.3, 0, z - 0.25],
        [gap * 1.3, 0, z - 0.25],
        [0, top[1] - 0.1, z - 0.02],
      ],
      [],
      dark,
    );
  }
}

/** A rope to a peg. */
function rope(from: Vec3, to: Vec3): Surface {
  const [x, , z] = to;
  return pole(from, [x, 0.08, z], [0.012, 0.012], { paint: C.rope }, 3).append(
    pole([x * 1.02, 0.16, z * 1.02], [x, -0.1, z], [0.03, 0.02], { paint: C.timberDark }, 4),
  );
}

/** A vexillum in the ground: crimson cloth with a golden fringe that the wind has folded, a wreath, a spear's point. */
export function vexillum(): Surface {
  const metal = (paint: Rgb) => ({ paint, material: 'metal' as const });
  const surface = pole([0, -0.25, 0], [0, 2.95, 0], [0.032, 0.026], { paint: C.timberDark }, 6);
  surface.append(
    lathe(
      [
        { along: 2.93, radius: 0.045, finish: metal(C.goldDeep), hard: true },
        { along: 3.0, radius: 0.02, finish: metal(C.gold), hard: true },
        { along: 3.1, radius: 0.07, finish: metal(C.gold) },
        { along: 3.38, radius: 0.004, finish: metal(C.gold) },
      ],
      { ...upright, from: [0, 0, 0], front: [0, 0, 0.35], count: 6 },
    ),
  );
  surface.append(pole([-0.48, 2.62, 0.05], [0.48, 2.62, 0.05], [0.022, 0.022], { paint: C.timberDark }, 5));
  for (const x of [-0.5, 0.5]) {
    surface.append(ball(0, (d) => [x + d[0] * 0.045, 2.62 + d[1] * 0.045, 0.05 + d[2] * 0.045], metal(C.gold)));
  }
  surface.append(cloth());
  for (const y of [2.25, 2.02])
    surface.append(disc([0, y + 0.3 - 0.02, -0.05], 0.085, metal(y > 2.1 ? C.gold : C.goldDeep)));
  return surface;
}

/** The banner: columns that stand off by turns, both sides, then a row of fringe. */
function cloth(): Surface {
  const surface = new Surface();
  const columns = 6;
  const rows = [2.62, 2.3, 1.98, 1.86];
  const at = (column: number, row: number): Vec3 => {
    const fold = (column % 2 === 0 ? 0.035 : -0.025) * (0.3 + row / 3);
    const ragged = row === 3 ? 0.05 * (hash(column, 12) - 0.5) : 0;
    return [lerp(-0.43, 0.43, column / columns), rows[row]! + ragged, 0.08 + fold];
  };
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < columns; column++) {
      const isEdge = row === 0 && (column === 0 || column === columns - 1);
      const cloths = [C.crimson, C.crimson, C.goldDeep];
      const paint = shaded(isEdge ? C.crimsonDeep : cloths[row]!, column % 2 === 0 ? 0 : -0.16);
      const corners = [at(column, row + 1), at(column + 1, row + 1), at(column + 1, row), at(column, row)];
      surface.polygon(corners, [], { paint });
      surface.polygon([...corners].reverse(), [], { paint: shaded(paint, -0.3) });
    }
  }
  return surface;
}

/** A golden badge on the banner. */
function disc([x, y, z]: Vec3, radius: number, finish: { paint: Rgb; material: 'metal' }): Surface {
  const side: Vec3 = [radius, 0, 0];
  const around = {
    from: [x, y - 0.3 + 0.1, z + 0.14] as Vec3,
    axis: [0, 0, 1] as Vec3,
    side,
    front: [0, radius, 0] as Vec3,
  };
  return lathe(
    [
      { along: 0, radius: 1, finish, hard: true },
      { along: 0.02, radius: 0.6, finish },
    ],
    { ...around, count: 8, skin: [], capEnd: true },
  );
}

/** A cart that has lost a wheel: it leans on its axle, the wheel lies beside it. */
export function cart(): Surface {
  const bed = new Surface();
  const planks = 5;
  for (let i = 0; i < planks; i++) {
    const z = (i + 0.5 - planks / 2) * 0.24;
    const paint = shaded(C.timber, -0.25 * hash(i, 20));
    const end = 0.95 - (i === 1 ? 0.35 : 0.05 * hash(i, 21)); // one is broken
    bed.append(board([-1.0, 0.62, z], [end, 0.62, z], { across: [0, 0, 1], width: 0.22, thickness: 0.05, paint }));
  }
  for (const z of [-0.62, 0.62]) {
    bed.append(pole([-1.02, 0.6, z], [1.0, 0.6, z], [0.05, 0.05], { paint: C.timberDark }, 5));
    for (const x of [-0.95, -0.3, 0.35, 0.92]) {
      bed.append(pole([x, 0.6, z], [x, 1.08, z * 1.06], [0.035, 0.03], { paint: C.timberDark }, 5));
    }
    const rail = { across: [0, 1, 0] as Vec3, width: 0.16, thickness: 0.03, paint: C.timber };
    bed.append(board([-1.0, 0.98, z * 1.06], [0.98, 0.98, z * 1.06], rail));
    bed.append(board([-1.0, 0.78, z * 1.03], [z > 0 ? 0.4 : 0.98, 0.78, z * 1.03], { ...rail, paint: C.timberDark }));
    bed.append(pole([0.9, 0.58, z * 0.6], [2.35, 0.5, z * 0.42], [0.045, 0.035], { paint: C.timber }, 5));
  }
  bed.append(pole([-0.1, 0.48, -0.92], [-0.1, 0.48, 0.92], [0.06, 0.06], { paint: C.timberDark }, 6));
  bed.append(wheel().mapped(([x, y, z]) => [x - 0.1, y + 0.48, z - 0.8]));
  // it hangs over the axle's end that has no wheel, and rests on its shafts
  const [tilt, pitch] = [0.27, 0.16];
  const leaned = bed.mapped(([x, y, z]) => {
    const [u, v] = [z + 0.8, y - 0.0];
    const [z1, y1] = [u * Math.cos(tilt) + v * Math.sin(tilt) - 0.8, v * Math.cos(tilt) - u * Math.sin(tilt)];
    return [x * Math.cos(pitch) + y1 * Math.sin(pitch), y1 * Math.cos(pitch) - x * Math.sin(pitch), z1];
  });
  const lowest = Math.min(...leaned.points.map(([, y]) => y));
  const lying = wheel().mapped(([x, y, z]) => [x + 0.35, 0.07 + z * 0.98 + 0.14 * (y / 0.55), 1.75 - y]);
  return leaned.mapped(([x, y, z]) => [x, y - lowest - 0.04, z]).append(lying);
}

/** Around the origin, its axle along z. */
function wheel(): Surface {
  const surface = new Surface();
  const count = 14;
  const ring = (radius: number, z: number): Vec3[] =>
    Array.from({ length: count }, (_, i) => {
      const angle = (i / count) * 2 * Math.PI;
      return [radius * Math.sin(angle), radius * Math.cos(angle), z];
    });
  const [outer, inner] = [0.5, 0.42];
  const band = (from: readonly Vec3[], to: readonly Vec3[], paint: Rgb, group: number) => {
    from.forEach((p, i) => {
      const j = (i + 1) % count;
      surface.polygon([p, to[i]!, to[j]!, from[j]!], [], { paint, group });
    });
  };
  const [front, back] = [0.045, -0.045];
  band(ring(outer, back), ring(outer, front), C.iron, 0);
  band(ring(outer, front), ring(inner, front), C.timberDark, 0);
  band(ring(inner, front), ring(inner, back), C.timber, 0);
  band(ring(inner, back), ring(outer, back), C.timberDark, 0);
  for (let i = 0; i < 8; i++) {
    const angle = (i / 8) * 2 * Math.PI;
    const [x, y] = [Math.sin(angle), Math.cos(angle)];
    surface.append(pole([0.06 * x, 0.06 * y, 0], [0.44 * x, 0.44 * y, 0], [0.032, 0.026], { paint: C.timber }, 4));
  }
  return surface.append(pole([0, 0, -0.11], [0, 0, 0.11], [0.1, 0.09], { paint: C.timberDark }, 8));
}

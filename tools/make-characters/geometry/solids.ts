import { add, addScaled, mix, scale, type Vec3, ZERO } from '../math/vec.ts';
import { loft, oval, type Ring } from './loft.ts';
import { type Finish, type Skin, Surface } from './surface.ts';

/** A box, `size` across, around `centre`. */
export function box(centre: Vec3, size: Vec3, skin: Skin, finish: Finish): Surface {
  const surface = new Surface();
  const corner = (x: number, y: number, z: number): number =>
    surface.point(add(centre, [(x * size[0]) / 2, (y * size[1]) / 2, (z * size[2]) / 2]), skin);
  const at = [-1, 1].map((x) => [-1, 1].map((y) => [-1, 1].map((z) => corner(x, y, z))));
  const p = (x: number, y: number, z: number): number => at[x]![y]![z]!;
  const flat = { ...finish, group: 0 };
  surface.face([p(0, 0, 0), p(0, 0, 1), p(0, 1, 1), p(0, 1, 0)], flat);
  surface.face([p(1, 0, 1), p(1, 0, 0), p(1, 1, 0), p(1, 1, 1)], flat);
  surface.face([p(0, 0, 0), p(1, 0, 0), p(1, 0, 1), p(0, 0, 1)], flat);
  surface.face([p(0, 1, 1), p(1, 1, 1), p(1, 1, 0), p(0, 1, 0)], flat);
  surface.face([p(0, 0, 1), p(1, 0, 1), p(1, 1, 1), p(0, 1, 1)], flat);
  surface.face([p(1, 0, 0), p(0, 0, 0), p(0, 1, 0), p(1, 1, 0)], flat);
  return surface;
}

interface PlateOptions {
  readonly thickness: Vec3;
  readonly skin: Skin;
  readonly face: Finish;
  /** The rim; the face's own paint when left out. */
  readonly edge?: Finish;
  /** No back: it is never seen. */
  readonly open?: boolean;
  /** How much smaller the front is than the back, 0…1: a bevel. */
  readonly bevel?: number;
}

/** A flat outline (counter-clockwise seen from the front) given thickness along `thickness`, which points to the front. */
export function plate(outline: readonly Vec3[], options: PlateOptions): Surface {
  const surface = new Surface();
  const centre = scale(outline.reduce(add, ZERO), 1 / outline.length);
  const front = outline.map((p) => add(mix(p, centre, options.bevel ?? 0), options.thickness));
  surface.polygon(front, options.skin, options.face);
  if (!options.open) surface.polygon([...outline].reverse(), options.skin, options.edge ?? options.face);
  const edge = { ...(options.edge ?? options.face), group: 0 };
  outline.forEach((p, i) => {
    const j = (i + 1) % outline.length;
    surface.polygon([p, outline[j]!, front[j]!, front[i]!], options.skin, edge);
  });
  return surface;
}

/** One station of a turned part: how far along the axis, how wide, and the finish up to the next. */
interface Turning {
  readonly along: number;
  readonly radius: number;
  readonly finish: Finish;
  readonly hard?: boolean;
}

interface LatheOptions {
  readonly from: Vec3;
  readonly axis: Vec3;
  readonly side: Vec3;
  readonly front: Vec3;
  readonly count: number;
  readonly skin: Skin;
  readonly capStart?: boolean;
  readonly capEnd?: boolean;
}

/** A part turned on a lathe: shafts, bosses, pommels. `side` and `front` are unit lengths, or more for an oval. */
export function lathe(stations: readonly Turning[], options: LatheOptions): Surface {
  const rings = stations.map((station): Ring => {
    const centre = addScaled(options.from, options.axis, station.along);
    const { paint, material = 'matte' } = station.finish;
    return {
      points: oval(centre, scale(options.side, station.radius), scale(options.front, station.radius), options.count),
      skin: options.skin,
      paint,
      material,
      hard: station.hard ?? false,
    };
  });
  return loft(rings, { capStart: options.capStart ?? false, capEnd: options.capEnd ?? false });
}

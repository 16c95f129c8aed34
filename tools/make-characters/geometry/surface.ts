import { add, cross, mirror, normalize, sub, type Vec3, ZERO } from '../math/vec.ts';
import { type Paint, paintAt, type Rgb } from './colour.ts';

/** Which joints move a vertex, and how much. */
export type Weights = readonly (readonly [joint: string, weight: number])[];
export type Skin = Weights | ((p: Vec3) => Weights);

export type MaterialName = 'matte' | 'metal';

export interface Finish {
  readonly paint: Paint;
  readonly material?: MaterialName;
  /** Corners between faces of one group are smooth; 0 or nothing: the face is flat. */
  readonly group?: number;
  /** Within a group, edges sharper than this stay sharp (degrees). */
  readonly crease?: number;
}

interface Face {
  readonly corners: readonly number[];
  readonly colours: readonly Rgb[];
  readonly material: MaterialName;
  readonly group: number;
  readonly crease: number;
}

let groupCount = 0;
/** Returns an unused smoothing group. */
export const newGroup = (): number => ++groupCount;

/** Points and faces being modelled. Faces turn counter-clockwise seen from outside. */
export class Surface {
  readonly points: Vec3[] = [];
  readonly skins: Weights[] = [];
  readonly faces: Face[] = [];

  point(at: Vec3, skin: Skin): number {
    this.points.push(at);
    this.skins.push(typeof skin === 'function' ? skin(at) : skin);
    return this.points.length - 1;
  }

  face(corners: readonly number[], finish: Finish): void {
    const colours = corners.map((corner) => paintAt(finish.paint, this.points[corner]!));
    const { material = 'matte', group = 0, crease = 180 } = finish;
    this.faces.push({ corners, colours, material, group, crease });
  }

  /** A flat polygon of its own points. */
  polygon(at: readonly Vec3[], skin: Skin, finish: Finish): void {
    this.face(
      at.map((p) => this.point(p, skin)),
      finish,
    );
  }

  /** Takes over everything of another surface. */
  append(other: Surface): this {
    const base = this.points.length;
    this.points.push(...other.points);
    this.skins.push(...other.skins);
    for (const face of other.faces) this.faces.push({ ...face, corners: face.corners.map((corner) => corner + base) });
    return this;
  }

  /** The same with every point elsewhere. Colours stay as they were painted. */
  mapped(place: (p: Vec3) => Vec3): Surface {
    const out = new Surface().append(this);
    out.points.forEach((p, i) => (out.points[i] = place(p)));
    return out;
  }

  /** The other side of the body: mirrored, joints renamed, faces turned right way out again. */
  mirrored(): Surface {
    const out = new Surface();
    out.points.push(...this.points.map(mirror));
    out.skins.push(...this.skins.map((skin) => skin.map(([joint, weight]) => [otherSide(joint), weight] as const)));
    const groups = new Map<number, number>([[0, 0]]);
    for (const face of this.faces) {
      if (!groups.has(face.group)) groups.set(face.group, newGroup());
      out.faces.push({
        ...face,
        group: groups.get(face.group)!,
        corners: [...face.corners].reverse(),
        colours: [...face.colours].reverse(),
      });
    }
    return out;
  }

  /** This and its mirror image. */
  withMirror(): Surface {
    return new Surface().append(this).append(this.mirrored());
  }
}

/** The same faces seen from the other side. */
export function turned(surface: Surface): Surface {
  const out = new Surface().append(surface);
  out.faces.forEach((face, i) => {
    out.faces[i] = { ...face, corners: [...face.corners].reverse(), colours: [...face.colours].reverse() };
  });
  return out;
}

const otherSide = (joint: string): string =>
  joint.replace(/_(l|r)(?=_|$)/, (_, side: string) => (side === 'l' ? '_r' : '_l'));

export function faceNormal(points: readonly Vec3[], corners: readonly number[]): Vec3 {
  let sum: Vec3 = ZERO;
  const first = points[corners[0]!]!;
  for (let i = 1; i + 1 < corners.length; i++) {
    sum = add(sum, cross(sub(points[corners[i]!]!, first), sub(points[corners[i + 1]!]!, first)));
  }
  return normalize(sum);
}

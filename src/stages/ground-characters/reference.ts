import type { View } from '../../layout/index.ts';
import { alignQuaternion, multiplyQuaternion } from '../../math/quaternion.ts';
import type { Transform } from '../layout.ts';
import type { GroundParams } from './layout.ts';

/** Data that the twin of ground-characters reads and writes. */
export interface GroundCharactersViews {
  readonly params: View<(typeof GroundParams)['fields']>;
  readonly heights: ArrayLike<number>;
  readonly grounded: ArrayLike<number>;
  readonly transforms: View<(typeof Transform)['fields']>;
}

const LEAST_TURN = 1e-6;

type Field = Pick<GroundCharactersViews, 'params' | 'heights'>;

/** Puts characters that follow the ground on it. */
export function groundCharacters({ params, heights, grounded, transforms }: GroundCharactersViews): void {
  const lean = params.get(0, 'lean');
  for (let i = 0; i < params.get(0, 'characterCount'); i++) {
    if (((grounded[i >> 5]! >>> (i & 31)) & 1) === 0) continue;
    const [x, , z] = transforms.get(i, 'position') as [number, number, number];
    const ground = groundAt({ params, heights }, x, z);
    if (!ground) continue;
    transforms.set(i, 'position', [x, ground.height, z]);
    if (lean === 0) continue;
    const rotation = transforms.get(i, 'rotation');
    const heading = headingOf(rotation);
    if (heading === undefined) continue;
    const turned = standingOn(heading, lean * ground.slopeX, lean * ground.slopeZ);
    alignQuaternion(turned, rotation);
    // rounding must not turn a character at rest
    if (Math.hypot(...turned.map((c, k) => c - rotation[k]!)) >= LEAST_TURN) transforms.set(i, 'rotation', turned);
  }
}

interface Ground {
  /** Metres from the crowd's origin. */
  readonly height: number;
  /** Metres per metre. */
  readonly slopeX: number;
  readonly slopeZ: number;
}

/** The ground under a place: bilinear between four heights. Undefined outside the field. */
export function groundAt({ params, heights }: Field, x: number, z: number): Ground | undefined {
  const [originX, originY, originZ] = params.get(0, 'origin') as [number, number, number];
  const [dx, dz] = params.get(0, 'spacing') as [number, number];
  const [columns, rows] = [params.get(0, 'columns'), params.get(0, 'rows')];
  const [u, v] = [(x - originX) / dx, (z - originZ) / dz];
  if (!(u >= 0 && v >= 0 && u <= columns - 1 && v <= rows - 1)) return undefined;
  const [c, r] = [Math.min(Math.floor(u), columns - 2), Math.min(Math.floor(v), rows - 2)];
  const [s, t] = [u - c, v - r];
  const at = (column: number, row: number) => heights[row * columns + column]!;
  const [a, b, d, e] = [at(c, r), at(c + 1, r), at(c, r + 1), at(c + 1, r + 1)];
  return {
    height: originY + a * (1 - s) * (1 - t) + b * s * (1 - t) + d * (1 - s) * t + e * s * t,
    slopeX: ((b - a) * (1 - t) + (e - d) * t) / dx,
    slopeZ: ((d - a) * (1 - s) + (e - b) * s) / dz,
  };
}

/** The angle about Y at which a rotation looks; undefined when it looks straight up or down. */
function headingOf([x, y, z, w]: readonly number[]): number | undefined {
  // what becomes of (0, 0, 1)
  const [forwardX, forwardZ] = [2 * (x! * z! + w! * y!), 1 - 2 * (x! * x! + y! * y!)];
  return Math.hypot(forwardX, forwardZ) < 1e-3 ? undefined : Math.atan2(forwardX, forwardZ);
}

/** Turned by an angle about Y, with X and Z of the character on the slope: first about its left, X, then about its front. */
function standingOn(heading: number, slopeX: number, slopeZ: number): number[] {
  const [sine, cosine] = [Math.sin(heading), Math.cos(heading)];
  const ahead = slopeX * sine + slopeZ * cosine;
  const left = slopeX * cosine - slopeZ * sine;
  const pitch = -Math.atan(ahead);
  // along a front that rises itself, a step to the left is longer
  const roll = Math.atan(left / Math.hypot(1, ahead));
  const about = (axis: 0 | 1 | 2, angle: number) => {
    const turn = [0, 0, 0, Math.cos(angle / 2)];
    turn[axis] = Math.sin(angle / 2);
    return turn;
  };
  const rotation = [0, 0, 0, 1];
  multiplyQuaternion(about(1, heading), about(0, pitch), rotation);
  multiplyQuaternion(rotation, about(2, roll), rotation);
  return rotation;
}

import type { Vec3, Vec4 } from '../../character/model.ts';
import { refuse } from '../model-builder/issue-list.ts';
import { decompose } from '../model-builder/node-transforms.ts';
import type { FbxDocument } from './document.ts';

/** From the file's axes and unit to metres, right-handed, Y up. */
export interface Space {
  /** Metres per unit. */
  readonly unit: number;
  /** Turns the file's axes. */
  readonly rotation: Vec4;
  /** True if the file's axes are left-handed: x is mirrored before it is turned. */
  readonly isMirrored: boolean;
}

/** The unit in centimetres where a file has none. */
const DEFAULT_UNIT_CM = 1;

/** Reads axes and unit of the global settings. @throws ManipleError FBX_INVALID */
export function readSpace({ settings, issues }: FbxDocument): Space {
  const unitCm = settings.number('UnitScaleFactor', DEFAULT_UNIT_CM);
  if (!(unitCm > 0)) refuse('FBX_INVALID', '/GlobalSettings', `UnitScaleFactor is ${unitCm}, must be above 0`);
  const [coord, up, front] = [axisOf('CoordAxis', 0), axisOf('UpAxis', 1), axisOf('FrontAxis', 2)];
  if (new Set([coord, up, front].map((axis) => axis.findIndex((value) => value !== 0))).size < 3) {
    issues.warn('GLTF_VALUES_REPAIRED', '/GlobalSettings', 'axes of the file coincide; taken as Y up, Z front');
    return { unit: unitCm / 100, rotation: [0, 0, 0, 1], isMirrored: false };
  }
  const determinant = dot(cross(coord, up), front);
  const isMirrored = determinant < 0;
  // rows of the matrix are the file's axes; where they are left-handed, its first column is mirrored
  const sign = isMirrored ? -1 : 1;
  const columns = [0, 1, 2].flatMap((c) => [coord[c]!, up[c]!, front[c]!, 0].map((v) => (c === 0 ? sign * v : v)));
  const { outer } = decompose([...columns, 0, 0, 0, 1]);
  return { unit: unitCm / 100, rotation: outer.rotation, isMirrored };

  function axisOf(name: string, fallback: number): Vec3 {
    const axis = settings.number(name, fallback);
    const direction = Math.sign(settings.number(`${name}Sign`, 1)) || 1;
    const at = axis === 0 || axis === 1 || axis === 2 ? axis : fallback;
    return [at === 0 ? direction : 0, at === 1 ? direction : 0, at === 2 ? direction : 0];
  }
}

function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

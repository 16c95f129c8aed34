import { face, skull } from '../body/head.ts';
import { limb } from '../body/limb.ts';
import { blend } from '../geometry/colour.ts';
import { frontHalf, loft, oval, type Ring } from '../geometry/loft.ts';
import { Surface } from '../geometry/surface.ts';
import { chainWeights } from '../geometry/weights.ts';
import { PALETTE as C } from './palette.ts';
import { build } from './rig.ts';

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
      { s: -0.5, wide: 0.064, deep: 0.066, paint: C.skinDeep },
      { s: 0.4, wide: 0.056, deep: 0.058, paint: C.skinDeep },
      { s: 1.25, wide: 0.058, deep: 0.062, paint: C.skin },
    ],
  });

/** A short beard along the jaw. */
export function beard(): Surface {
  const row = (y: number, wide: number, deep: number, z: number): Ring => ({
    points: frontHalf(oval([0, y, z], [wide, 0, 0], [0, 0, deep], 8)),
    skin: [['head', 1]],
    paint: C.hair,
    columns: (column) => blend(C.hair, C.leather, column % 2 === 0 ? 0.15 : 0.4),
    flat: true,
  });
  const rows = [row(1.502, 0.03, 0.034, 0.06), row(1.528, 0.076, 0.09, 0.034), row(1.57, 0.096, 0.112, 0.016)];
  return loft(rows, { open: true });
}

export function head(): Surface {
  const bare = skull(
    [
      { y: 1.512, wide: 0.042, deep: 0.045, z: 0.045, paint: C.skinDeep },
      { y: 1.528, wide: 0.068, deep: 0.08, z: 0.034, paint: C.skin },
      { y: 1.572, wide: 0.09, deep: 0.107, z: 0.014, paint: C.skin, hairFrom: 4 },
      { y: 1.62, wide: 0.101, deep: 0.118, z: 0.003, paint: C.skin, hairFrom: 3 },
      { y: 1.662, wide: 0.105, deep: 0.118, z: 0, paint: C.skin, hairFrom: 3, dents: { 1: 0.94, 0: 0.98 } },
      { y: 1.694, wide: 0.107, deep: 0.126, z: 0, paint: C.skin, hairFrom: 3 },
      { y: 1.738, wide: 0.103, deep: 0.123, z: -0.005, paint: C.hair },
      { y: 1.79, wide: 0.062, deep: 0.078, z: -0.012, paint: C.hair },
      { y: 1.812, wide: 0, deep: 0, z: -0.014, paint: C.hair },
    ],
    C.hair,
  );
  const features = face({
    eye: [0.042, 1.66, 0.1085],
    eyeSize: [0.021, 0.0095],
    white: C.eyeWhite,
    iris: C.eye,
    brow: C.hair,
    browTilt: 0.006,
    nose: [
      [0, 1.676, 0.114],
      [0, 1.626, 0.148],
      [0, 1.612, 0.118],
    ],
    noseWidth: 0.04,
    skin: C.skin,
    skinDeep: C.skinDeep,
    ears: [0.094, 1.645, -0.004],
  });
  const mouth = new Surface();
  mouth.polygon(
    [
      [-0.03, 1.575, 0.1135],
      [0, 1.569, 0.1245],
      [0.03, 1.575, 0.1135],
      [0, 1.581, 0.1245],
    ],
    [['head', 1]],
    { paint: C.lip },
  );
  return new Surface().append(neck()).append(bare).append(features).append(mouth);
}

import { Matrix4, Vector4 } from 'three/webgpu';
import type { CrowdView } from '../../frame/tables/crowd-view.ts';
import type { ImpostorSight } from '../../render/impostors/params.ts';
import type { CameraSight } from '../views.ts';

/** A choice of impostors, and the cameras that draw it. */
export interface SharedSight {
  readonly sight: ImpostorSight;
  readonly cameras: CameraSight[];
}

/** An eye is this many times as far away as it is near a parallel view. */
const PARALLEL = 1e7;

/** Where a view is seen from; for parallel views, the direction towards the viewer. */
export function eyeOf({ clipFromWorld }: Pick<CrowdView, 'clipFromWorld'>, isReversed: boolean) {
  // the point that is nowhere in the picture
  const { x, y, z, w } = new Vector4(0, 0, 1, 0).applyMatrix4(
    new Matrix4().fromArray(Array.from(clipFromWorld)).invert(),
  );
  const isParallel = Math.hypot(x, y, z) > PARALLEL * Math.abs(w);
  if (!isParallel) return { isParallel, eye: [x / w, y / w, z / w] };
  const scale = (isReversed ? 1 : -1) / Math.hypot(x, y, z);
  return { isParallel, eye: [x * scale, y * scale, z * scale] };
}

/** Row of a matrix that is stored column after column. */
const rowOf = (matrix: ArrayLike<number>, row: number): number[] =>
  [0, 4, 8, 12].map((column) => matrix[column + row]!);

/**
 * The choices of impostors for cameras, the main one last: that of the largest picture. Shadow maps of one direction or one lamp share a
 * choice; sizes are those of the main picture. Cameras without a choice draw meshes: those that have drawn from several places in a frame.
 */
export function sharedSights(cameras: readonly CameraSight[]): SharedSight[] {
  const pictures = cameras.filter(({ isShadow, lenses }) => !isShadow && lenses.length < 2);
  const main = pictures.reduce<CameraSight | undefined>(
    (best, each) => (best && best.looks[0]!.height >= each.looks[0]!.height ? best : each),
    undefined,
  );
  if (!main) return [];
  const sizeOf = ({ clipFromWorld, height }: CrowdView) => ({
    depth: rowOf(clipFromWorld, 3),
    pixelsPerMetre: (height / 2) * Math.hypot(...rowOf(clipFromWorld, 1).slice(0, 3)),
  });
  const mainSize = sizeOf(main.looks[0]!);
  const casters = new Map<string, SharedSight>();
  const others: SharedSight[] = [];
  for (const each of cameras) {
    const { looks, isShadow, bits } = each;
    const eye = eyeOf(looks[0]!, each.camera.reversedDepth);
    if (!isShadow) {
      if (!pictures.includes(each)) continue;
      others.push({ sight: { ...eye, ...sizeOf(looks[0]!), views: bits, isCaster: false }, cameras: [each] });
      continue;
    }
    const key = `${eye.isParallel} ${eye.eye.map((value) => value.toFixed(4)).join()}`;
    const known = casters.get(key);
    const views = ((known?.sight.views ?? 0) | bits) >>> 0;
    const sight = { ...(known?.sight ?? { ...eye, ...mainSize, isCaster: true }), views };
    casters.set(key, { sight, cameras: [...(known?.cameras ?? []), each] });
  }
  const isMain = ({ cameras: [first] }: SharedSight) => first === main;
  return [...others.filter((each) => !isMain(each)), ...casters.values(), ...others.filter(isMain)];
}

import { CullParams } from './layout.ts';
import type { CullViews } from './views.ts';

/** Metres; nothing that is as far or as large is computed with. */
export const FAR: number = 2 ** 60;

/** Sphere that contains every pose of a character, in world space. */
export interface PlacedSphere {
  readonly center: readonly number[];
  readonly radius: number;
  /** The largest of its numbers. */
  readonly extent: number;
  /** The type has one, and it can be computed with. */
  readonly isKnown: boolean;
}

export function placedSphere(views: CullViews, i: number): PlacedSphere {
  const { kinds, residents, transforms } = views;
  const type = residents.get(i, 'typeIndex');
  const own = kinds.types.get(type, 'radius');
  const center = placedPoint(views, i, kinds.types.get(type, 'center'));
  const radius = own * Math.abs(transforms.get(i, 'scale'));
  const extent = Math.max(radius, ...center.map(Math.abs));
  // also false if a number is NaN: Math.max passes it on
  return { center, radius, extent, isKnown: own >= 0 && extent < FAR };
}

/** A point of a character's model space in the world. */
export function placedPoint({ transforms }: CullViews, i: number, point: readonly number[]): number[] {
  const scale = transforms.get(i, 'scale');
  const offset = rotated(
    point.map((c) => c * scale),
    transforms.get(i, 'rotation'),
  );
  return transforms.get(i, 'position').map((p, c) => p + offset[c]!);
}

/** v turned by a unit quaternion: v + 2 q × (q × v + w v). */
export function rotated(v: readonly number[], q: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const cross = (a: readonly number[]) => [y * a[2]! - z * a[1]!, z * a[0]! - x * a[2]!, x * a[1]! - y * a[0]!];
  const turned = cross(cross(v).map((c, k) => c + w * v[k]!));
  return v.map((c, k) => c + 2 * turned[k]!);
}

/** A row of four numbers of the parameters' views. */
export function viewRow({ params }: CullViews, field: 'planes' | 'depths' | 'sizes', row: number): Float32Array {
  const first = CullParams.offsets[field] / 4 + 4 * row;
  return params.floats.subarray(first, first + 4);
}

/** A plane's distance from a point, or the depth of one. */
export function along(row: Float32Array, [x, y, z]: readonly number[]): number {
  return row[0]! * x! + row[1]! * y! + row[2]! * z! + row[3]!;
}

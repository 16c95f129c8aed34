import type { View } from '../../src/layout/index.ts';
import type { Transform } from '../../src/stages/layout.ts';

/** A point of a character's model space in the world. */
export function placedPoint(
  transforms: View<(typeof Transform)['fields']>,
  row: number,
  point: readonly number[],
): number[] {
  const scale = transforms.get(row, 'scale');
  const offset = rotated(
    point.map((c) => c * scale),
    transforms.get(row, 'rotation'),
  );
  return transforms.get(row, 'position').map((p, c) => p + offset[c]!);
}

/** v turned by a unit quaternion: v + 2 q × (q × v + w v). */
export function rotated(v: readonly number[], q: readonly number[]): number[] {
  const [x, y, z, w] = q as [number, number, number, number];
  const cross = (a: readonly number[]) => [y * a[2]! - z * a[1]!, z * a[0]! - x * a[2]!, x * a[1]! - y * a[0]!];
  const turned = cross(cross(v).map((c, k) => c + w * v[k]!));
  return v.map((c, k) => c + 2 * turned[k]!);
}

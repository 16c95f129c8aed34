import { dot, normalize, subtract, transform, type Vector } from '../camera.ts';
import { BLEND } from './cascades.ts';
import type { LitCascade, LitFrame } from './lit-frame.ts';
import { added, saturate, scaled } from './numbers.ts';

/** Texels around a point that the filter may read. */
const REACH = 2;

/**
 * Twin of `shadow.wesl`: 1 in the sun, 0 in the shade. Each cascade takes its share of what the nearer ones left; a
 * point outside all maps is lit.
 */
export function sunVisibility(frame: LitFrame, world: Vector, normal: Vector): number {
  const { cascades, shadowResolution } = frame;
  const depth = dot(subtract(world, frame.eye), normalize(frame.skyForward));
  const cosine = saturate(dot(normal, frame.sunDirection));
  const push = scaled(normal, 0.6 + 2 * Math.sqrt(1 - cosine * cosine));
  let [lit, rest] = [0, 1];
  cascades.forEach((cascade, i) => {
    const isLast = i === cascades.length - 1;
    if (rest <= 0 || (!isLast && depth > cascade.far)) return;
    const [x, y, z] = transform(cascade.sunFromWorld, added(world, scaled(push, cascade.texel)));
    const at = [(x * 0.5 + 0.5) * shadowResolution, (0.5 - y * 0.5) * shadowResolution] as const;
    if (at.some((value) => value < REACH || value > shadowResolution - REACH)) return;
    const share = isLast ? 1 : saturate((cascade.far - depth) / (BLEND * cascade.far));
    const bias = 0.3 * cascade.texel * cascade.depthPerMetre;
    lit += rest * share * litShare(cascade, shadowResolution, at, Math.max(0, z + bias));
    rest *= 1 - share;
  });
  return lit + rest;
}

/** Share of the texels around a point that the sun reaches, by weights 1 2 1 each way, interpolated between texels. */
function litShare({ map }: LitCascade, resolution: number, [x, y]: readonly [number, number], depth: number): number {
  const weights = (at: number) => {
    const first = Math.floor(at - 0.5);
    const share = at - 0.5 - first;
    return { first: first - 1, of: [1 - share, 2 - share, 1 + share, share] };
  };
  const [columns, rows] = [weights(x), weights(y)];
  let lit = 0;
  rows.of.forEach((row, r) => {
    columns.of.forEach((column, c) => {
      if (map[(rows.first + r) * resolution + columns.first + c]! <= depth) lit += row * column;
    });
  });
  return lit / 16;
}

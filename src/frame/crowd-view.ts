import { fail } from '../errors.ts';
import { CullParams, VIEW_LIMIT, VIEW_PLANES } from '../stages/cull-characters/layout.ts';
import { viewPlanes } from '../stages/cull-characters/planes.ts';
import type { View } from '../layout/index.ts';

/** Somebody who looks at a crowd: a camera, or a cascade of a shadow map. */
export interface CrowdView {
  /** 4 × 4, column-major; depth 0 … 1, either way round, with or without an end. */
  readonly clipFromWorld: ArrayLike<number>;
  /** Pixels (or texels) that its picture is high: what levels of detail and rates go by. */
  readonly height: number;
  /** Factor of what is projected: below 1, coarser levels and rarer poses are good enough. Default 1. */
  readonly detail?: number;
}

/** Writes what cull-characters has to know of views. @throws ManipleError CROWD_BAD_ARGUMENT */
export function writeViews(params: View<(typeof CullParams)['fields']>, views: readonly CrowdView[]): void {
  if (views.length > VIEW_LIMIT)
    fail('CROWD_BAD_ARGUMENT', 'views', `are ${views.length}; a crowd has at most ${VIEW_LIMIT}.`);
  const { offsets } = CullParams;
  const rows = (field: 'planes' | 'depths' | 'sizes', row: number, values: ArrayLike<number>) =>
    params.floats.set(values, offsets[field] / 4 + 4 * row);
  views.forEach(({ clipFromWorld: m, height, detail = 1 }, v) => {
    const numbers = [...Array.from(m), height, detail];
    if (numbers.length !== 18 || !numbers.every(Number.isFinite) || !(height > 0) || !(detail > 0)) {
      fail(
        'CROWD_BAD_ARGUMENT',
        `views[${v}]`,
        'has numbers that are none.',
        'Give a 4 × 4 matrix, and a height above 0.',
      );
    }
    const row = (r: number): [number, number, number, number] => [m[r]!, m[4 + r]!, m[8 + r]!, m[12 + r]!];
    const [up, depth] = [row(1), row(3)];
    rows('planes', v * VIEW_PLANES, viewPlanes(m));
    rows('depths', v, depth);
    // the picture is 2 high in clip space
    const pixels = (Math.hypot(up[0], up[1], up[2]) * height * detail) / 2;
    rows('sizes', v, [Math.hypot(depth[0], depth[1], depth[2]), pixels, 0, 0]);
  });
  params.assign(0, { viewCount: views.length });
}

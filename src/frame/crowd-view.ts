import { fail, quoted } from '../errors.ts';
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

export const MOST_VIEWS = VIEW_LIMIT;

/** Larger numbers of a view are not computed with: a product with a place of as many metres is a float still. */
const NUMBER_LIMIT = 2 ** 60;

/** To be asked before a frame begins: it throws half-way else. @throws ManipleError CROWD_BAD_ARGUMENT */
export function checkViews(views: readonly CrowdView[]): void {
  if (!Array.isArray(views)) fail('CROWD_BAD_ARGUMENT', 'views', `Got ${quoted(views)} for views; expected a list.`);
  if (views.length > VIEW_LIMIT) {
    fail('CROWD_BAD_ARGUMENT', 'views', `are ${views.length}; a crowd has at most ${VIEW_LIMIT}.`);
  }
  views.forEach((view: Partial<CrowdView> | undefined, v) => {
    if (isView(view)) return;
    const { clipFromWorld, height, detail = 1 } = view ?? {};
    const message = `has a height of ${quoted(height)}, a detail of ${quoted(detail)} and the matrix ${quoted(clipFromWorld)}`;
    fail(
      'CROWD_BAD_ARGUMENT',
      `views[${v}]`,
      `${message}.`,
      'Give 16 numbers up to 2⁶⁰, a height and a detail above 0.',
    );
  });
}

function isView(view: Partial<CrowdView> | undefined): view is CrowdView {
  const { clipFromWorld: m, height, detail = 1 } = view ?? {};
  if (typeof m !== 'object' || m === null || m.length !== 16) return false;
  const numbers = [...Array.from(m), height, detail];
  const areUsable = (values: readonly unknown[]) =>
    values.every((value) => typeof value === 'number' && Math.abs(value) <= NUMBER_LIMIT);
  return areUsable(numbers) && areUsable([pixelsOf(view as CrowdView)]) && height! > 0 && detail > 0;
}

/** Writes what cull-characters has to know of views. @throws ManipleError CROWD_BAD_ARGUMENT */
export function writeViews(params: View<(typeof CullParams)['fields']>, views: readonly CrowdView[]): void {
  checkViews(views);
  const { offsets } = CullParams;
  const rows = (field: 'planes' | 'depths' | 'sizes', row: number, values: ArrayLike<number>) =>
    params.floats.set(values, offsets[field] / 4 + 4 * row);
  views.forEach((view, v) => {
    const depth = rowOf(view, 3);
    rows('planes', v * VIEW_PLANES, viewPlanes(view.clipFromWorld));
    rows('depths', v, depth);
    rows('sizes', v, [Math.hypot(depth[0], depth[1], depth[2]), pixelsOf(view), 0, 0]);
  });
  params.assign(0, { viewCount: views.length });
}

function rowOf({ clipFromWorld: m }: CrowdView, r: number): [number, number, number, number] {
  return [m[r]!, m[4 + r]!, m[8 + r]!, m[12 + r]!];
}

/** Pixels that a metre takes at depth 1: the picture is 2 high in clip space. */
function pixelsOf(view: CrowdView): number {
  const up = rowOf(view, 1);
  return (Math.hypot(up[0], up[1], up[2]) * view.height * (view.detail ?? 1)) / 2;
}

import { fail, quoted } from '../../errors.ts';
import { CullParams, VIEW_LIMIT, VIEW_PLANES } from '../../stages/cull-characters/layout.ts';
import { writePlanes } from '../../stages/cull-characters/frustum-planes.ts';
import type { View } from '../../layout/index.ts';

/** A view of a crowd: a camera, or a cascade of a shadow map. */
export interface CrowdView {
  /** 4 × 4 matrix, column-major. Depth is 0 … 1, normal or reversed, with a finite or an infinite far plane. */
  readonly clipFromWorld: ArrayLike<number>;
  /** Height of its picture in pixels (or texels). Levels of detail and update rates depend on it. */
  readonly height: number;
  /** Factor for projected sizes. Below 1, levels are coarser and poses rarer. Default 1. */
  readonly detail?: number;
}

export const MOST_VIEWS = VIEW_LIMIT;

/** Limit of numbers in a view: a product with a position of as many metres is still a finite float. */
const NUMBER_LIMIT = 2 ** 60;

/** Call this before a frame begins, so that the frame does not throw half-way. @throws ManipleError CROWD_BAD_ARGUMENT */
export function checkViews(views: readonly CrowdView[]): void {
  if (!Array.isArray(views)) fail('CROWD_BAD_ARGUMENT', 'views', `Got ${quoted(views)} for views; expected a list.`);
  if (views.length > VIEW_LIMIT) {
    fail('CROWD_BAD_ARGUMENT', 'views', `Got ${views.length} views; the limit is ${VIEW_LIMIT}.`);
  }
  views.forEach((view: Partial<CrowdView> | undefined, v) => {
    if (isView(view)) return;
    const { clipFromWorld, height, detail = 1 } = view ?? {};
    const message = `Got height ${quoted(height)}, detail ${quoted(detail)} and matrix ${quoted(clipFromWorld)}`;
    const suggestion = 'Give 16 numbers up to 2⁶⁰, a height and a detail above 0.';
    fail('CROWD_BAD_ARGUMENT', `views[${v}]`, `${message}.`, suggestion);
  });
}

function isView(view: Partial<CrowdView> | undefined): view is CrowdView {
  const { clipFromWorld: m, height, detail = 1 } = view ?? {};
  if (typeof m !== 'object' || m === null || m.length !== 16) return false;
  for (let i = 0; i < 16; i++) if (!isUsable(m[i])) return false;
  if (!isUsable(height) || !isUsable(detail) || !isUsable(pixelsOf(view as CrowdView))) return false;
  return height > 0 && detail > 0;
}

function isUsable(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= NUMBER_LIMIT;
}

/** Writes the views to the parameters of cull-characters. @throws ManipleError CROWD_BAD_ARGUMENT */
export function writeViews(params: View<(typeof CullParams)['fields']>, views: readonly CrowdView[]): void {
  checkViews(views);
  const { offsets } = CullParams;
  const { floats } = params;
  views.forEach((view, v) => {
    const depth = rowOf(view, 3);
    writePlanes(view.clipFromWorld, floats, offsets.planes / 4 + 4 * v * VIEW_PLANES);
    floats.set(depth, offsets.depths / 4 + 4 * v);
    floats[offsets.sizes / 4 + 4 * v] = Math.hypot(depth[0], depth[1], depth[2]);
    floats[offsets.sizes / 4 + 4 * v + 1] = pixelsOf(view);
  });
  params.words[offsets.viewCount / 4] = views.length;
}

function rowOf({ clipFromWorld: m }: CrowdView, r: number): [number, number, number, number] {
  return [m[r]!, m[4 + r]!, m[8 + r]!, m[12 + r]!];
}

/** Pixels of a metre at depth 1. The picture has height 2 in clip space. */
function pixelsOf(view: CrowdView): number {
  const up = rowOf(view, 1);
  return (Math.hypot(up[0], up[1], up[2]) * view.height * (view.detail ?? 1)) / 2;
}

import { View } from '../../layout/index.ts';
import { LARGEST_TRIANGLE, TriangleView, TriangleViews } from '../../stages/triangles.ts';
import type { Matrix4 } from '../camera.ts';

/** A picture to fill with triangles. */
export interface RasterView {
  /** Depth 1 at the near plane, 0 at infinity or at the far end. */
  readonly clipFromWorld: Matrix4;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Views of the crowd, a bit each, whose characters it shows. Default: all. */
  readonly crowdViews?: number | undefined;
  /** Pixels across from which on instances are drawn by the hardware's rasteriser. */
  readonly hardwareSize: number;
  /** The same for single triangles; at most and by default LARGEST_TRIANGLE less what rounding may add. */
  readonly triangleSize?: number | undefined;
}

/** What of the views' uniform does not follow from the views. */
export interface ViewParams {
  readonly runCount: number;
  readonly instanceRow: number;
  readonly clipRow: number;
  readonly listCapacity: number;
  /** Steps of the grid that positions are rounded to, per pixel. */
  readonly gridSteps: number;
  /** Nothing is filtered that could be seen by someone else's rules. */
  readonly keepsAll?: boolean;
}

/** Triangles that may be rasterised by compute: rounding can add a step on both sides. */
const TRIANGLE_SIZE = LARGEST_TRIANGLE - 1;

/** The uniform of filter-triangles and raster-triangles. */
export function triangleViews(views: readonly RasterView[], params: ViewParams): Uint32Array<ArrayBuffer> {
  const { gridSteps, keepsAll = false, ...rest } = params;
  const buffer = new ArrayBuffer(TriangleViews.size);
  const head = new View(TriangleViews, buffer);
  head.assign(0, {
    viewCount: views.length,
    ...rest,
    keepsAll: Number(keepsAll),
    gridSteps,
    gridShift: Math.log2(gridSteps),
    zero: 0,
  });
  const rows = new View(TriangleView, buffer, TriangleViews.offsets.views, views.length);
  views.forEach(({ clipFromWorld, width, height, crowdViews = 0xffffffff, hardwareSize, triangleSize }, index) => {
    const up = [1, 5, 9].map((at) => clipFromWorld[at]!);
    rows.assign(index, {
      clipFromWorld,
      width,
      height,
      crowdViews,
      pixelsPerMetre: (Math.hypot(...up) * height) / 2,
      hardwareSize,
      triangleSize: Math.min(triangleSize ?? TRIANGLE_SIZE, TRIANGLE_SIZE),
    });
  });
  return new Uint32Array(buffer);
}

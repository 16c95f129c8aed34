import { weightsAt } from '../barycentrics.ts';
import type { ShownVertices, StaticAttributes } from '../shown-triangle.ts';
import type { ShownTriangle } from '../triangle-reference.ts';

/** A material that may have holes. */
export interface MaskedMaterial {
  readonly alphaCutoff: number;
  /** Factor × texture, without vertex colour. */
  alphaAt(attributes: StaticAttributes): number;
}

/**
 * Returns true if a triangle has a hole at a pixel: its alpha is below the cutoff there. Twin of `masks.wesl`.
 * @param pixels Rows of the view, see `pixelsFromWorld`. @param pixel Its middle.
 */
export function isHole(
  vertices: ShownVertices,
  triangle: ShownTriangle,
  material: MaskedMaterial,
  pixels: readonly number[],
  pixel: readonly [number, number],
): boolean {
  const weights = weightsAt(pixels, vertices.worldCorners(triangle), pixel);
  const attributes = vertices.attributes(triangle, weights);
  const own = (attributes.color[3] * (triangle.tint >>> 24)) / 255;
  return own * material.alphaAt(attributes) < material.alphaCutoff;
}

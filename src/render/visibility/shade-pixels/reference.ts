import type { LookedAt } from '../../lighting/looked-at.ts';
import { weightsAt, combined, type ShownVertices, type StaticAttributes } from '../shown-triangle.ts';
import type { Point, ShownTriangle } from '../triangle-reference.ts';

type Pixel = readonly [x: number, y: number];
type Color = Point;

/** A point of a surface before its material is known. */
export interface ShadedPoint {
  readonly world: Point;
  /** Mesh's normal, of any length, on its front side. */
  readonly outward: Point;
  /** Undefined without a normal map. */
  readonly tangent: { readonly direction: Point; readonly handedness: number } | undefined;
  readonly isFront: boolean;
  /** Vertex colour × tint. */
  readonly color: Color;
}

/** Where a surface is: as `SurfaceSite` in WGSL. */
export interface ShadedSite {
  /** Row of the character. */
  readonly character: number;
  readonly primitive: number;
  readonly texcoord: readonly [number, number];
}

/** The renderer's light and materials; the kernel links their modules. Pixels are positions, middles at ½. */
export interface ShadedLook<Surface extends { readonly shadingNormal: Point }> {
  backdropAt(pixel: Pixel): LookedAt;
  /** 1 at the near plane, 0 at infinity. */
  depthOf(backdrop: LookedAt): number;
  backdropColor(backdrop: LookedAt, pixel: Pixel): Color;
  isMapped(materialRow: number): boolean;
  surfaceOf(point: ShadedPoint, materialRow: number, attributes: StaticAttributes): Surface;
  /** The application's change of surfaces of characters. Scenery is not changed. */
  readonly change?: ((surface: Surface, site: ShadedSite) => Surface) | undefined;
  /** Linear light, before exposure and curve. */
  surfaceColor(surface: Surface): Color;
  toneMap(color: Color): Color;
  /** Pixels to the right and down that a point has moved since the last picture; `w` is 0 for directions. */
  motionOf(now: Point, before: Point, w: 0 | 1): readonly [number, number];
}

export interface SeenTriangle {
  readonly triangle: ShownTriangle;
  readonly vertices: ShownVertices;
  /** As raster-triangles has it. */
  readonly depth: number;
}

/** Output of the stage for one pixel. */
export interface ShadedPixel {
  /** Linear, after the filmic curve. */
  readonly color: Color;
  readonly motion: readonly [number, number];
  /** 1 + row of the character, and primitive; 0, 0 for ground, sky and scenery's character. */
  readonly ids: readonly [number, number];
  /** Normal in world space, on the side towards the eye; 0 where there is only sky. */
  readonly normal: Point;
}

/**
 * Twin of shade-pixels: a pixel of a picture.
 * @param pixels Rows of the picture's view, see `pixelsFromWorld`.
 * @param seen The triangle at the pixel; undefined if no triangle covers it.
 */
export function shadePixel<Surface extends { readonly shadingNormal: Point }>(
  look: ShadedLook<Surface>,
  pixels: readonly number[],
  pixel: Pixel,
  seen: SeenTriangle | undefined,
): ShadedPixel {
  const backdrop = look.backdropAt(pixel);
  if (!seen || look.depthOf(backdrop) >= seen.depth) return shadeBackdrop(look, backdrop, pixel);
  return shadeTriangle(look, pixels, pixel, seen);
}

function shadeBackdrop<Surface extends { readonly shadingNormal: Point }>(
  look: ShadedLook<Surface>,
  backdrop: LookedAt,
  pixel: Pixel,
): ShadedPixel {
  const { place, isGround } = backdrop;
  return {
    color: look.toneMap(look.backdropColor(backdrop, pixel)),
    motion: look.motionOf(place, place, isGround ? 1 : 0),
    ids: [0, 0],
    normal: [0, isGround ? 1 : 0, 0],
  };
}

function shadeTriangle<Surface extends { readonly shadingNormal: Point }>(
  look: ShadedLook<Surface>,
  pixels: readonly number[],
  pixel: Pixel,
  { triangle, vertices }: SeenTriangle,
): ShadedPixel {
  const { isMirrored, materialRow, primitiveIndex, character, tint } = triangle;
  const corners = vertices.worldCorners(triangle);
  const weights = weightsAt(pixels, corners, pixel);
  const at = (places: readonly Point[]) => combined(places, weights.at) as unknown as Point;
  const attributes = vertices.attributes(triangle, weights);
  const world = at(corners);
  const point: ShadedPoint = {
    world,
    outward: vertices.outward(triangle, weights.at),
    tangent: look.isMapped(materialRow) ? vertices.tangent(triangle, weights.at) : undefined,
    isFront: weights.isClockwise === isMirrored,
    color: [0, 1, 2].map((c) => (attributes.color[c]! * ((tint >>> (8 * c)) & 255)) / 255) as unknown as Color,
  };
  const plain = look.surfaceOf(point, materialRow, attributes);
  const texcoord = [attributes.uv[0], attributes.uv[1]] as const;
  // 0: not a character
  const site = character > 0 && { character: character - 1, primitive: primitiveIndex, texcoord };
  const surface = (site && look.change?.(plain, site)) || plain;
  return {
    color: look.toneMap(look.surfaceColor(surface)),
    motion: look.motionOf(world, at(vertices.worldCorners(triangle, 'before')), 1),
    ids: [character, primitiveIndex],
    normal: surface.shadingNormal,
  };
}

import type { MaskedMaterial } from '../visibility/raster-triangles/masks-reference.ts';
import type { ShadedLook } from '../visibility/shade-pixels/reference.ts';
import { normalize } from '../camera.ts';
import { velocityOf } from '../forward/motion.ts';
import { groundColor } from '../lighting/ground.ts';
import type { LitFrame } from '../lighting/lit-frame.ts';
import { depthOf, lookedAt } from '../lighting/looked-at.ts';
import { shadeSurface, surfaceOf, type Surface } from '../lighting/shade.ts';
import { skyColor } from '../lighting/sky.ts';
import { toneMap } from '../lighting/tone.ts';
import { MATERIAL_UNLIT } from '../materials/layout.ts';
import { sampleAlpha, sampleMaterial, type MaterialRow } from '../materials/material.ts';

/**
 * Creates light and materials in the form that shade-pixels takes.
 * @param contactShade Share of the ground's light at a pixel that feet let through, 0 to 1.
 * @param change The application's change to surfaces.
 */
export function createLook(
  frame: LitFrame,
  materials: readonly MaterialRow[],
  contactShade: (x: number, y: number) => number,
  change?: ShadedLook<Surface>['change'],
): ShadedLook<Surface> {
  return {
    backdropAt: ([x, y]) => lookedAt(frame, x, y),
    depthOf: (backdrop) => depthOf(frame, backdrop),
    backdropColor: ({ place, isGround }, [x, y]) =>
      isGround ? groundColor(frame, place, contactShade(x, y)) : skyColor(frame, normalize(place)),
    isMapped: (row) => materials[row]!.textures.normalTexture !== undefined,
    surfaceOf(point, row, attributes) {
      const material = materials[row]!;
      return surfaceOf(point, sampleMaterial(material, attributes), (material.flags & MATERIAL_UNLIT) !== 0);
    },
    change,
    surfaceColor: (surface) => shadeSurface(frame, surface),
    toneMap: (color) => toneMap(frame, color),
    motionOf: (now, before, w) => velocityOf(frame, { at: now, w }, { at: before, w }),
  };
}

/** The holes of a material, in the form that raster-triangles takes. */
export function maskOf(material: MaterialRow): MaskedMaterial {
  return { alphaCutoff: material.alphaCutoff, alphaAt: (attributes) => sampleAlpha(material, attributes) };
}

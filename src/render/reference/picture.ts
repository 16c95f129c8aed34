import {
  shadePixel,
  type SeenTriangle,
  type ShadedLook,
  type ShadedPixel,
} from '../visibility/shade-pixels/reference.ts';
import { pixelsFromWorld } from '../visibility/shown-triangle.ts';
import { depthOf, directionOf, lookedAt } from '../lighting/looked-at.ts';
import type { LitFrame } from '../lighting/lit-frame.ts';
import { type Surface, shadeSurface, surfaceOf } from '../lighting/shade.ts';
import { type MaterialRow, sampleAlpha, sampleMaterial } from '../materials/material.ts';
import { encode } from '../materials/resample.ts';
import { discOf, shadeAt, type Disc } from '../visibility/disc.ts';
import type { DrawnThing } from './drawn.ts';
import type { FilledPixels, FilledView, KeptTriangle, Steps } from './fill.ts';
import type { ReferencePicture } from './view.ts';
import type { MaskedMaterial } from '../visibility/raster-triangles/reference.ts';
import { normalize, transform, type Vector } from '../camera.ts';
import { groundColor } from '../lighting/ground.ts';
import { skyColor } from '../lighting/sky.ts';
import { toneMap } from '../lighting/tone.ts';
import { MATERIAL_UNLIT } from '../materials/layout.ts';

/** A picture while its samples are added up. */
export class PictureSum {
  readonly #colors: Float64Array;
  /** Values of the first sample. */
  readonly #first: Omit<ReferencePicture, 'color'>;
  #count = 0;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const pixels = width * height;
    this.#colors = new Float64Array(3 * pixels);
    this.#first = {
      velocity: new Float32Array(2 * pixels),
      ids: new Uint32Array(2 * pixels),
      depth: new Float32Array(pixels),
      normals: new Float32Array(4 * pixels),
    };
  }

  /** Shades a sample of every pixel. */
  *add(
    view: FilledView,
    frame: LitFrame,
    filled: FilledPixels & { readonly kept: readonly KeptTriangle[] },
    world: {
      readonly materials: readonly MaterialRow[];
      readonly things: readonly DrawnThing[];
      readonly change: ShadedLook<Surface>['change'];
    },
  ): Steps<void> {
    const discs = discsOf(world.things, view, frame.groundHeight);
    const contactShade = (x: number, y: number) => {
      const direction = directionOf(frame, x, y);
      return 1 - discs.reduce((most, disc) => Math.max(most, shadeAt(disc, frame.eye, direction)), 0);
    };
    const look = createLook(frame, world.materials, contactShade, world.change);
    const pixels = pixelsFromWorld(view.clipFromWorld, this.width, this.height);
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const at = y * this.width + x;
        const depth = filled.depths[at]!;
        const kept = filled.kept[filled.triangles[at]!];
        const seen: SeenTriangle | undefined = kept && { triangle: kept.shown, vertices: kept.thing.vertices, depth };
        const shaded = shadePixel(look, pixels, [x + 0.5, y + 0.5], seen);
        shaded.color.forEach((value, c) => (this.#colors[3 * at + c]! += value));
        if (this.#count === 0)
          this.#store(at, shaded, Math.max(depth, depthOf(frame, lookedAt(frame, x + 0.5, y + 0.5))));
      }
      yield;
    }
    this.#count++;
  }

  #store(at: number, { motion, ids, normal }: ShadedPixel, depth: number): void {
    this.#first.velocity.set(motion, 2 * at);
    this.#first.ids.set(ids, 2 * at);
    this.#first.depth[at] = depth;
    this.#first.normals.set([...normal, normal.some((value) => value !== 0) ? 1 : 0], 4 * at);
  }

  finish(): ReferencePicture {
    const { width, height } = this;
    const data = new Uint8Array(4 * width * height).fill(255);
    for (let at = 0; at < width * height; at++) {
      for (let c = 0; c < 3; c++) data[4 * at + c] = encode(this.#colors[3 * at + c]! / this.#count, 'srgb');
    }
    return { color: { width, height, data }, ...this.#first };
  }
}

function discsOf(things: readonly DrawnThing[], view: FilledView, groundHeight: number): Disc[] {
  return things.flatMap((thing) => {
    const { vertices, worldFromModel, currentVertexOffset } = thing;
    if ((thing.views & view.crowdViews) === 0) return [];
    const placeOf = (vertex: number) => vertices.placeOf(worldFromModel, currentVertexOffset + vertex);
    return discOf({ ...thing, placeOf }, groundHeight, view) ?? [];
  });
}

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

type MovedFrame = Pick<LitFrame, 'clipFromWorld' | 'previousClipFromWorld' | 'pictureWidth' | 'pictureHeight'>;

interface WorldPlace {
  readonly at: Vector;
  readonly w: 0 | 1;
}

/**
 * Twin of `motion.wesl`: motion of a place since the last picture, in pixels to the right and down. It is 0 for a place that was
 * behind the eye.
 */
export function velocityOf(frame: MovedFrame, now: WorldPlace, before: WorldPlace): [x: number, y: number] {
  const clip = (matrix: MovedFrame['clipFromWorld'], { at, w }: WorldPlace) => {
    const moved = transform(matrix, at);
    return w === 1 ? moved : moved.map((value, row) => value - matrix[12 + row]!);
  };
  const [here, there] = [clip(frame.clipFromWorld, now), clip(frame.previousClipFromWorld, before)];
  if (there[3]! <= 0) return [0, 0];
  const between = (axis: 0 | 1) => here[axis]! / here[3]! - there[axis]! / there[3]!;
  return [0.5 * frame.pictureWidth * between(0), -0.5 * frame.pictureHeight * between(1)];
}

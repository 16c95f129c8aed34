import {
  shadePixel,
  type SeenTriangle,
  type ShadedLook,
  type ShadedPixel,
} from '../visibility/shade-pixels/reference.ts';
import { pixelsFromWorld } from '../visibility/shown-triangle.ts';
import { depthOf, directionOf, lookedAt } from '../lighting/looked-at.ts';
import type { LitFrame } from '../lighting/lit-frame.ts';
import type { Surface } from '../lighting/shade.ts';
import type { MaterialRow } from '../materials/material.ts';
import { encode } from '../materials/resample.ts';
import { discOf, shadeAt, type Disc } from '../visibility/disc.ts';
import type { DrawnThing } from './drawn.ts';
import type { FilledPixels, FilledView, KeptTriangle, Steps } from './fill.ts';
import { createLook } from './look.ts';
import type { ReferencePicture } from './view.ts';

/** A picture while its samples are added up. */
export class PictureSum {
  readonly #colors: Float64Array;
  #count = 0;
  readonly velocity: Float32Array<ArrayBuffer>;
  readonly ids: Uint32Array<ArrayBuffer>;
  readonly depth: Float32Array<ArrayBuffer>;
  readonly normals: Float32Array<ArrayBuffer>;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const pixels = width * height;
    this.#colors = new Float64Array(3 * pixels);
    this.velocity = new Float32Array(2 * pixels);
    this.ids = new Uint32Array(2 * pixels);
    this.depth = new Float32Array(pixels);
    this.normals = new Float32Array(4 * pixels);
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
        if (this.#count === 0) {
          this.#store(at, shaded);
          this.depth[at] = Math.max(depth, depthOf(frame, lookedAt(frame, x + 0.5, y + 0.5)));
        }
      }
      yield;
    }
    this.#count++;
  }

  #store(at: number, { motion, ids, normal }: ShadedPixel): void {
    this.velocity.set(motion, 2 * at);
    this.ids.set(ids, 2 * at);
    this.normals.set([...normal, normal.some((value) => value !== 0) ? 1 : 0], 4 * at);
  }

  finish(): ReferencePicture {
    const { width, height, velocity, ids, depth, normals } = this;
    const data = new Uint8Array(4 * width * height).fill(255);
    for (let at = 0; at < width * height; at++) {
      for (let c = 0; c < 3; c++) data[4 * at + c] = encode(this.#colors[3 * at + c]! / this.#count, 'srgb');
    }
    return { color: { width, height, data }, velocity, ids, depth, normals };
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

import type { DroppedInstances } from '../../crowd/rows/events.ts';
import { readRanges } from '../../device/read-back.ts';
import { droppedIn } from './drops.ts';
import { RANGE_BATCHES_WORD } from './filter-triangles/layout.ts';
import { bindPasses, type Recording } from './passes.ts';
import { PICTURE_PASSES, type PictureParts, type PictureTextures } from './picture-passes.ts';
import { RasterTarget } from './raster-target.ts';
import type { TriangleTables } from './triangle-tables.ts';
import {
  DROPPED_ROWS_WORD,
  LIST_DROPPED_WORD,
  LIST_HEADER_WORDS,
  LIST_LARGE_WORD,
  LIST_WANTED_WORD,
} from './triangles.ts';

/** Counts of triangles in a picture. */
export interface TriangleStats {
  /** Batches of up to 256 triangles, of all instances with ids, then the number of batches that ids can distinguish. */
  readonly batches: number;
  readonly batchCapacity: number;
  /** Capacity of the lists of all views together, triangles. */
  readonly listCapacity: number;
  /** By view: the picture, then cascades, nearest first. */
  readonly kept: readonly KeptTriangles[];
  /** Instances that some view dropped because ids or lists ran out: the smallest in the picture. */
  readonly dropped: DroppedInstances;
}

/** Counts of triangles in one view. */
export interface KeptTriangles {
  /** Triangles that are rasterised by compute, and by the hardware. */
  readonly compute: number;
  readonly hardware: number;
  /** Triangles that would have been rasterised with enough memory for all. */
  readonly wanted: number;
  /** Instances that the view dropped. */
  readonly dropped: number;
}

export const COLOR_FORMAT: GPUTextureFormat = 'rgba16float';

/** The targets of pictures of one size, and their passes, bound to the current tables. */
export class TriangleBuffers {
  readonly textures: PictureTextures;
  readonly #device: GPUDevice;
  readonly #parts: PictureParts;
  readonly #target: RasterTarget;
  readonly #textures: GPUTexture[] = [];
  #tables: TriangleTables | undefined;
  #impostors: unknown;
  #record: ((recording: Recording) => void) | undefined;
  /** Buffers of the bound passes. */
  #bound: GPUBuffer[] = [];

  /** 29 bytes per pixel, 8 more for several samples, 20 more with motion, ids and normals. */
  constructor(
    device: GPUDevice,
    parts: PictureParts,
    { width, height }: { readonly width: number; readonly height: number },
    hasSurfaces: boolean,
    samples: number,
  ) {
    this.#device = device;
    this.#parts = parts;
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_SRC, RENDER_ATTACHMENT } = GPUTextureUsage;
    const create = (label: string, format: GPUTextureFormat, usage: number) => {
      const texture = device.createTexture({ label, size: [width, height], format, usage: TEXTURE_BINDING | usage });
      this.#textures.push(texture);
      return texture;
    };
    this.#target = new RasterTarget(device, 'picture', { width, height });
    this.textures = {
      width,
      height,
      visibility: this.#target.view,
      contact: create('contact shade', 'r32float', STORAGE_BINDING),
      color: create('color', COLOR_FORMAT, STORAGE_BINDING | RENDER_ATTACHMENT).createView(),
      mean: samples > 1 ? create('mean', COLOR_FORMAT, RENDER_ATTACHMENT).createView() : undefined,
      surfaces: hasSurfaces
        ? {
            motion: create('motion', 'rg32float', STORAGE_BINDING).createView(),
            ids: create('ids', 'rg32uint', STORAGE_BINDING | COPY_SRC),
            normals: create('normals', 'rgba8snorm', STORAGE_BINDING).createView(),
          }
        : undefined,
    };
  }

  /** Binds the passes, unless they are bound to these tables and to the impostors' lists. Returns buffers that are no longer used. */
  bind(tables: TriangleTables): readonly GPUBuffer[] {
    const impostors = this.#parts.impostors?.quads.version;
    if (this.#tables === tables && this.#impostors === impostors) return [];
    const unused = this.#bound;
    this.#bound = [];
    this.#tables = tables;
    this.#impostors = impostors;
    this.#record = bindPasses(PICTURE_PASSES, {
      ...this.#parts,
      device: this.#device,
      tables,
      targets: [this.#target, this.#parts.shadows],
      masks: tables.isMasked ? this.#parts.materials : undefined,
      textures: this.textures,
      owned: this.#bound,
    });
    return unused;
  }

  /** Records a sample of the picture, after its uniforms have been written. The passes have to be bound. */
  draw(recording: Recording): void {
    this.#record!(recording);
  }

  /** Reads the counts of the last submitted picture; undefined before passes are bound. */
  async readStats(): Promise<TriangleStats | undefined> {
    if (!this.#tables) return undefined;
    const { buffers, batchCapacity, listCapacity } = this.#tables;
    const viewCount = 1 + this.#parts.shadows.layers.length;
    const [batches, header] = await readRanges(this.#device, [
      [buffers.ranges, 4 * RANGE_BATCHES_WORD, 4],
      [buffers.lists, 0, 4 * LIST_HEADER_WORDS],
    ]);
    const words = new Uint32Array(header!);
    return {
      batches: new Uint32Array(batches!)[0]!,
      batchCapacity,
      listCapacity,
      kept: Array.from({ length: viewCount }, (_, view): KeptTriangles => {
        const [small, last, large] = [words[2 * view]!, words[2 * view + 1]!, words[LIST_LARGE_WORD + view]!];
        const [compute, hardware] = [small + large, last - large];
        const wanted = Math.max(words[LIST_WANTED_WORD + view]!, compute + hardware);
        return { compute, hardware, wanted, dropped: words[LIST_DROPPED_WORD + view]! };
      }),
      dropped: droppedIn(words.subarray(DROPPED_ROWS_WORD)),
    };
  }

  destroy(): void {
    for (const owned of [this.#target, ...this.#textures, ...this.#bound]) owned.destroy();
  }
}

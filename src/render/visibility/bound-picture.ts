import type { DroppedInstances } from '../../crowd/rows/events.ts';
import { createFilled } from '../../frame/tables/memory.ts';
import type { Timings } from '../../device/timings.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { readRanges } from '../../device/read-back.ts';
import { RANGE_BATCHES_WORD, RANGE_WORDS } from './filter-triangles/layout.ts';
import { perDevice } from '../../stages/per-device.ts';
import { ShadeParams } from './shade-pixels/layout.ts';
import { createShadePixels, encodeShade, type ShadeDispatch } from './shade-pixels/stage.ts';
import { BatchRange, DROPPED_ROWS_WORD, LIST_DROPPED_WORD, LIST_HEADER_WORDS, LIST_WANTED_WORD } from './triangles.ts';
import { viewBindings } from '../lighting/layout.ts';
import type { ChangedSurfaces } from '../lighting/changed-surfaces.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { createContactPass, type ContactPass } from './contact.ts';
import type { DrawnTriangles } from './drawn-triangles.ts';
import { droppedIn } from './drops.ts';
import { bindTrianglePasses, type TrianglePasses } from './passes.ts';
import type { PictureTarget } from './picture-target.ts';
import type { ShadowTarget } from './shadow-target.ts';

/** Resources that a picture is drawn with, without the triangles. */
export interface PictureParts {
  readonly target: PictureTarget;
  readonly shadows: ShadowTarget;
  readonly uniforms: GPUBuffer;
  readonly materials: MaterialTable;
  /** The application's change to surfaces. */
  readonly change?: ChangedSurfaces | undefined;
  /** Undefined if nothing is measured. */
  readonly timings?: Timings | undefined;
}

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

/** All passes of a picture, bound to what they draw. */
export class BoundPicture {
  readonly drawn: DrawnTriangles;
  readonly #device: GPUDevice;
  readonly #parts: PictureParts;
  readonly #passes: TrianglePasses;
  readonly #contact: ContactPass;
  readonly #shades: readonly ShadeDispatch[];
  readonly #owned: readonly GPUBuffer[];

  constructor(device: GPUDevice, triangles: DrawnTriangles, parts: PictureParts) {
    const { target, shadows, uniforms, materials, change } = parts;
    const { sources, tables, memory } = triangles;
    const { views, drawn, ranges } = memory;
    this.drawn = triangles;
    this.#device = device;
    this.#parts = parts;
    this.#passes = bindTrianglePasses(
      device,
      sources,
      memory,
      [target.raster, ...shadows.rasters],
      tables.masked ? materials : undefined,
    );
    this.#contact = createContactPass(device, uniforms, memory, sources, tables.instanceCount, target);
    const light = perDevice(device, 'shade light', () =>
      createBindGroupLayout(device, 'light', viewBindings, GPUShaderStage.COMPUTE),
    );
    const lightGroup = createBindGroup(device, 'light', light, viewBindings, {
      frame: uniforms,
      shadowMaps: shadows.view,
      contactShade: target.contact,
    });
    const shadePixels = createShadePixels(device, {
      light,
      materials,
      standard: triangles.standard,
      surfaces: target.surfaces !== undefined,
      change,
    });
    const owned: GPUBuffer[] = [];
    const visibility = target.visibility.createView();
    const pages = sources.flatMap((source) => source.pages.map((page) => ({ source, page })));
    this.#shades = pages.map(({ source, page }, index) => {
      const params = new View(ShadeParams, 1);
      params.assign(0, { viewIndex: 0, isFirst: Number(index === 0) });
      const shade = createFilled(device, 'shade', GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST, params.words);
      owned.push(shade);
      const { surfaces } = target;
      const resources = {
        shade,
        views,
        range: { buffer: ranges, offset: index * RANGE_WORDS * 4, size: BatchRange.size },
        drawn,
        indices1: source.indices,
        skinned: page.skinned,
        skinnedTangents: page.skinnedTangents,
        visibility,
        colorOut: target.color,
        ...(surfaces && {
          motionOut: surfaces.motion,
          idOut: surfaces.ids.createView(),
          normalOut: surfaces.normals,
        }),
      };
      const groups = { light: lightGroup, geometry: source.geometry, materials: materials.group };
      return shadePixels.bind(resources, groups, target);
    });
    this.#owned = owned;
  }

  /** Returns true if it draws these triangles to this target. */
  isOf(triangles: DrawnTriangles, target: PictureTarget): boolean {
    return this.drawn === triangles && this.#parts.target === target;
  }

  /**
   * Records a sample of the picture, after its uniforms have been written.
   * @param withShadows Draws the cascades, too, and measures: for the first sample.
   * @param changed Group 3 if the application changes surfaces.
   */
  draw(encoder: GPUCommandEncoder, withShadows: boolean, changed?: GPUBindGroup): void {
    const { target, shadows, timings } = this.#parts;
    const measured = withShadows ? timings : undefined;
    const { raster, visibility, width, height, contact } = target;
    this.#passes.filter(encoder, measured, withShadows);
    this.#passes.raster(encoder, withShadows ? 1 + shadows.rasters.length : 1, measured);
    encoder.copyBufferToTexture({ buffer: raster.visibility, bytesPerRow: 8 * raster.pitch }, { texture: visibility }, [
      width,
      height,
    ]);
    if (withShadows) shadows.copy(encoder);
    this.#contact.draw(encoder, contact, (part) => measured?.writes('draw-contact', part) ?? {});
    const pass = encoder.beginComputePass({ label: 'shade-pixels', ...measured?.writes('shade-pixels') });
    for (const shade of this.#shades) encodeShade(pass, shade, changed);
    pass.end();
  }

  /** Reads the counts of the last submitted picture. */
  async readStats(): Promise<TriangleStats> {
    const { ranges, lists, batchCapacity, listCapacity } = this.drawn.memory;
    const viewCount = 1 + this.#parts.shadows.rasters.length;
    const [batches, header] = await readRanges(this.#device, [
      [ranges, 4 * RANGE_BATCHES_WORD, 4],
      [lists, 0, 4 * LIST_HEADER_WORDS],
    ]);
    const words = new Uint32Array(header!);
    return {
      batches: new Uint32Array(batches!)[0]!,
      batchCapacity,
      listCapacity,
      kept: Array.from({ length: viewCount }, (_, view): KeptTriangles => {
        const [compute, hardware] = [words[2 * view]!, words[2 * view + 1]!];
        const wanted = Math.max(words[LIST_WANTED_WORD + view]!, compute + hardware);
        return { compute, hardware, wanted, dropped: words[LIST_DROPPED_WORD + view]! };
      }),
      dropped: droppedIn(words.subarray(DROPPED_ROWS_WORD)),
    };
  }

  /** Does not destroy the triangles. */
  destroy(): void {
    this.#contact.destroy();
    for (const owned of this.#owned) owned.destroy();
  }
}

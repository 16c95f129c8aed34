import type { Crowd } from '../../crowd/crowd.ts';
import { GeometryHeader } from '../../asset/geometry-layout.ts';
import { fail } from '../../errors.ts';
import { createFilled } from '../../frame/gpu-memory.ts';
import { meshesOf } from '../../frame/types.ts';
import type { Timings } from '../../frame/timings.ts';
import { createBindGroup, createBindGroupLayout, View } from '../../layout/index.ts';
import { readRanges } from '../../frame/read-back.ts';
import { RANGE_WANTED_WORD, RANGE_WORDS } from '../../stages/filter-triangles/layout.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import { perDevice } from '../../stages/per-device.ts';
import { ShadeParams } from '../../stages/shade-pixels/layout.ts';
import { createShadePixels, encodeShade, type ShadeDispatch } from '../../stages/shade-pixels/stage.ts';
import { BatchRange } from '../../stages/triangles.ts';
import { viewBindings } from '../lighting/layout.ts';
import type { MaterialTable } from '../materials/material-table.ts';
import { createContactPass, type ContactPass } from './contact.ts';
import { TriangleMemory } from './memory.ts';
import { bindTrianglePasses, type TrianglePasses } from './passes.ts';
import type { PictureTarget } from './picture-target.ts';
import type { ShadowTarget } from './shadow-target.ts';
import type { Statics } from '../statics/statics.ts';
import { crowdSource, scenerySource, type MaterialRowOf } from './source.ts';
import { triangleTables } from './tables.ts';

/** What a picture is drawn with, besides the crowd's memory. */
export interface PictureParts {
  readonly target: PictureTarget;
  readonly shadows: ShadowTarget;
  readonly uniforms: GPUBuffer;
  readonly materials: MaterialTable;
  readonly scenery: Statics | undefined;
  readonly timings: Timings;
}

/** What became of triangles. */
export interface TriangleStats {
  /** Batches of up to 256 triangles of all who are listed, and how many there is room for: more are not drawn. */
  readonly batches: number;
  readonly batchCapacity: number;
  /** Triangles that are rasterised, by view: the picture, then cascades, nearest first. */
  readonly kept: readonly { readonly compute: number; readonly hardware: number }[];
}

/** All passes of a picture, bound to a crowd's memory as it stands. */
export class BoundPicture {
  readonly memory: TriangleMemory;
  /** What of the views' uniform follows from the crowd. */
  readonly params: Readonly<Record<'runCount' | 'instanceRow' | 'projectionRow' | 'listCapacity', number>>;
  readonly #device: GPUDevice;
  readonly #parts: PictureParts;
  readonly #visible: GPUBuffer;
  readonly #draws: unknown;
  readonly #passes: TrianglePasses;
  readonly #contact: ContactPass;
  readonly #shades: readonly ShadeDispatch[];
  readonly #owned: readonly GPUBuffer[];

  /** @throws ManipleError RENDER_FAILED, DEVICE_LIMIT */
  constructor(device: GPUDevice, crowd: Crowd, parts: PictureParts) {
    const { target, shadows, uniforms, materials, scenery, timings } = parts;
    const draws = crowd.backend.memory!;
    if (!crowd.tables.types.every(({ character }) => materials.rowOf(character, 0) >= 0)) {
      fail('RENDER_FAILED', 'crowd', 'has taken on characters since this renderer was made.', 'Create it anew.');
    }
    const rowCount = draws.crowd.visible.size / VisibleCharacter.size;
    const rowOf: MaterialRowOf = (character, primitive) => materials.rowOf(character, primitive);
    const sources = [crowdSource(draws, rowCount, rowOf), ...(scenery ? [scenerySource(scenery, rowOf)] : [])];
    const tables = triangleTables(sources);
    const targets = [target.raster, ...shadows.rasters];
    const memory = new TriangleMemory(device, sources, tables, targets.length);
    const { runCount, instanceRow, instanceCount } = tables;
    const { projectionRow, listCapacity, views, drawn, ranges } = memory;
    this.#device = device;
    this.memory = memory;
    this.params = { runCount, instanceRow, projectionRow, listCapacity };
    this.#parts = parts;
    this.#visible = draws.crowd.visible;
    this.#draws = draws.draws;
    this.#passes = bindTrianglePasses(device, sources, memory, targets, {
      timings,
      masks: tables.masked ? materials : undefined,
    });
    this.#contact = createContactPass(device, uniforms, memory, instanceCount);
    const light = perDevice(device, 'shade light', () =>
      createBindGroupLayout(device, 'light', viewBindings, GPUShaderStage.COMPUTE),
    );
    const lightGroup = createBindGroup(device, 'light', light, viewBindings, {
      frame: uniforms,
      shadowMaps: shadows.view,
      contactShade: target.contact,
    });
    const shadePixels = createShadePixels(device, { light, materials, standard: isStandard(crowd) });
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

  /** Whether it is bound to these things. */
  isOf({ backend }: Crowd, { target }: PictureParts): boolean {
    const { crowd, draws } = backend.memory!;
    return this.#parts.target === target && this.#visible === crowd.visible && this.#draws === draws;
  }

  get byteLength(): number {
    return this.memory.byteLength;
  }

  /** Records a sample of the picture, whose uniforms have been written. @param withShadows The cascades, too. */
  draw(encoder: GPUCommandEncoder, withShadows: boolean): void {
    const { target, shadows, timings } = this.#parts;
    const { raster, visibility, width, height, contact } = target;
    this.#passes.filter(encoder);
    this.#passes.raster(encoder, withShadows ? undefined : 1);
    encoder.copyBufferToTexture({ buffer: raster.visibility, bytesPerRow: 8 * raster.pitch }, { texture: visibility }, [
      width,
      height,
    ]);
    if (withShadows) shadows.copy(encoder);
    this.#contact.draw(encoder, contact, timings.writes('draw-contact'));
    const pass = encoder.beginComputePass({ label: 'shade-pixels', ...timings.writes('shade-pixels') });
    for (const shade of this.#shades) encodeShade(pass, shade);
    pass.end();
  }

  /** Of the last picture that was submitted. */
  async readStats(): Promise<TriangleStats> {
    const { ranges, lists, batchCapacity } = this.memory;
    const viewCount = 1 + this.#parts.shadows.rasters.length;
    const [wanted, counts] = await readRanges(this.#device, [
      [ranges, 4 * RANGE_WANTED_WORD, 4],
      [lists, 0, 8 * viewCount],
    ]);
    const words = new Uint32Array(counts!);
    return {
      batches: new Uint32Array(wanted!)[0]!,
      batchCapacity,
      kept: Array.from({ length: viewCount }, (_, v) => ({ compute: words[2 * v]!, hardware: words[2 * v + 1]! })),
    };
  }

  destroy(): void {
    this.memory.destroy();
    for (const owned of this.#owned) owned.destroy();
  }
}

/** All static geometry is in the standard layout. */
function isStandard(crowd: Crowd): boolean {
  return crowd.tables.types.every(({ character }) =>
    meshesOf(character).every(({ geometry: { buffer, byteOffset } }) => {
      return new View(GeometryHeader, buffer, byteOffset, 1).get(0, 'channelRow') === 0;
    }),
  );
}

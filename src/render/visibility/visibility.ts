import { expectDrawing, expectOptions, type Names } from '../../crowd/arguments.ts';
import { expectCrowd, internalsOf } from '../../crowd/internals.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { deviceTier } from '../../device/tier.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import { fail } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { Timings } from '../../device/timings.ts';
import { type Submission, Submissions } from '../../device/submissions.ts';
import { UploadRing } from '../../device/upload-ring.ts';
import { createUniform } from '../../frame/tables/memory.ts';
import { checkImpostors, checkMemory, checkVertices, checkWhole, failUnknownTypes } from '../checks.ts';
import type { ForwardOptions, ForwardRenderer } from '../forward/forward.ts';
import { lensOf, projectionOf, sightOf, type Sight, pixelLens } from '../forward/lens.ts';
import { pixelAt, PickedPixel } from '../forward/pick.ts';
import { typesOf } from '../forward/primitives.ts';
import { COMMON_VIEW, type ForwardView, PICK_VIEW, type PickHit, type PickView } from '../forward/view.ts';
import { compilePipelines } from '../../stages/lazy-pipeline.ts';
import { normalize, type Matrix4 } from '../camera.ts';
import type { PixelImpostors } from '../impostors/impostor-pixels.ts';
import { type DrawnViews, frameUniforms, type Lens, shadowMask, NO_SHADOWS } from '../lighting/frame-uniforms.ts';
import { PictureViews, type SeenView, drawnFrame, expectPast } from '../picture-views.ts';
import type { CrowdView } from '../../frame/tables/crowd-view.ts';
import { loadContactPoints } from '../contact-points.ts';
import type { CascadeView } from '../lighting/cascades.ts';
import { CASCADE_LIMIT, FrameUniforms } from '../lighting/layout.ts';
import { lightingOf } from '../lighting/scene.ts';
import { createMaterialTable, hasBlended } from '../materials/material-table.ts';
import { DropWatch } from './drops.ts';
import { jittered, jitteredLens, jitterOf, triangleViews, type RasterView } from './views.ts';
import { PICTURE_PASSES, type PictureParts } from './picture-passes.ts';
import { Presenter, wantsSurfaces, type SurfaceViews } from './presenter.ts';
import { RasterTarget } from './raster-target.ts';
import type { BlendedTriangles } from '../transparency/blended-triangles.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { checkSizes, RASTER_DEFAULTS, type RasterSizes } from './sizes.ts';
import { crowdSource, scenerySource, type MaterialRowOf } from './source.ts';
import type { Temporal } from './temporal.ts';
import { TriangleBuffers, type TriangleStats } from './triangle-buffers.ts';
import { DEFAULT_LIST_MEMORY, TriangleTables } from './triangle-tables.ts';
import { TRIANGLE_BLENDED } from './triangles.ts';

/** How pictures are stored, sampled and rasterised. */
export interface VisibilityOptions extends Pick<
  ForwardOptions,
  'format' | 'shadowResolution' | 'scenery' | 'surface' | 'impostors'
> {
  /** Number of pictures that are averaged, each offset by a part of a pixel: 1 to 64, default 1. */
  readonly sampleCount?: number;
  /**
   * 'temporal': samples have another position in their pixels in every picture. Each picture is blended with the
   * history of earlier ones, which follows surfaces by motion vectors. Motion, ids, depth and normals are those of
   * these samples, too. Use it for sequences with one picture of each drawn frame, by one camera; `samples` has to be
   * 1. The first picture, one of another size, and one after a move of the origin start without history. Every other
   * picture depends on earlier ones. `maniple render` does not use it, because parts of its sequences have to be the
   * same wherever they are drawn. Costs 36 more bytes per pixel, and a pass of some 35 texels a pixel. Default 'none'.
   */
  readonly antialiasing?: 'none' | 'temporal';
  /** Shadow maps, 0 to 4; default 3. */
  readonly cascadeCount?: number;
  /**
   * Bytes of the triangle lists of all views together: 4 a triangle and view. At least 4,096, at most what the device
   * binds. Default 128 MiB. If it runs out, the instances that are smallest in the picture are dropped. `readStats`, of
   * the renderer and of the crowd, counts them, and the crowd's listeners of `dropped` are called.
   */
  readonly listMemory?: number;
  /** Sizes from which on the hardware's rasteriser draws. Default: by the kind of adapter. */
  readonly hardwareRaster?: Partial<RasterSizes>;
}

/** Additional options for tests. @internal */
export interface TestedOptions extends VisibilityOptions {
  /** Factor of motion vectors in temporal antialiasing; 1 is right. */
  readonly motionScale?: number;
}

const VISIBILITY_OPTIONS: Names<TestedOptions> = {
  format: true,
  sampleCount: true,
  antialiasing: true,
  shadowResolution: true,
  cascadeCount: true,
  scenery: true,
  listMemory: true,
  surface: true,
  impostors: true,
  hardwareRaster: true,
  motionScale: true,
};

/** One picture to draw: as the forward renderer's, without debug views, with optional depth and normals. */
export type VisibilityView = Omit<ForwardView, 'debugView'> & SurfaceViews;

export const VISIBILITY_VIEW: Names<VisibilityView> = { ...COMMON_VIEW, depth: true, normals: true };

export interface VisibilityRenderer extends Pick<ForwardRenderer, 'crowdViews' | 'impostors'> {
  /**
   * Records a picture of the crowd as its last recorded frame left it, or `frame`. Call `submitted` of the result after
   * submitting. Its promise resolves when the picture is drawn and `timings` are read.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_FRAME_OPEN (16 pictures are not known to be submitted), RENDER_FAILED (the crowd has taken on types, or skins in draws), DEVICE_LIMIT
   */
  render(encoder: GPUCommandEncoder, view: VisibilityView): Submission;
  /**
   * Finds the character at a point of a view's picture, of the crowd as the last submitted frame left it. Draws that
   * one pixel through the passes of a picture, and waits for the GPU. This costs as much as finding a picture's
   * triangles. `readStats` counts it as a picture. The first call compiles a kernel.
   *
   * @param x Pixels from the picture's left edge, and from its top: the middle of the pixel that the point lies in counts.
   * @returns undefined where there is only ground, sky or scenery, outside of the picture, and when the character is gone
   * @throws ManipleError RENDER_FAILED (the crowd has taken on types), DEVICE_LIMIT, DEVICE_LOST
   * @example
   *   const hit = await renderer.pick(view, event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio);
   *   if (hit) crowd.setTint(hit.id, [1, 0.5, 0.5, 1]);
   */
  pick(view: PickView, x: number, y: number): Promise<PickHit | undefined>;
  /**
   * Resolves when all pipelines for pictures of the current crowd are compiled, and all kernels of the crowd: see
   * `Crowd.ready`. Without it the first frame and the first picture compile them, and wait. Allocates the memory of
   * pictures. Pipelines for motion vectors, ids, depth and normals are compiled when first used.
   *
   * @throws ManipleError RENDER_FAILED (the crowd has taken on types, or skins in draws), DEVICE_LIMIT
   */
  ready(): Promise<void>;
  /**
   * Milliseconds on the GPU by stage, of the last picture that was read back. They are of its first sample, which
   * includes the shadows. raster-triangles includes compute and the hardware, and impostors. Their choices are `choose-casters` and
   * `choose-impostors`, with their tiles. The first read turns measuring on. Empty
   * without the feature `timestamp-query`.
   */
  readonly timings: ReadonlyMap<string, number>;
  /** Reads counts of triangles, after all submitted work; undefined before the first picture. */
  readStats(): Promise<TriangleStats | undefined>;
  /** Bytes of GPU memory, without pictures and textures. */
  readonly byteLength: number;
  /** Frees the renderer's own resources, not the crowd. */
  destroy(): void;
}

export type { TriangleStats };

/** Bytes: enough for some hundred triangles, with any number of views. */
const LEAST_LIST_MEMORY = 2 ** 12;

/** Measured stages of a picture, in their order. */
const MEASURED = [
  'choose-casters',
  'choose-impostors',
  ...PICTURE_PASSES.map(({ name }) => name),
  'draw-blended',
  'temporal',
];

/** Options, and resources of all pictures. */
interface RendererParts
  extends PictureParts, Required<Pick<VisibilityOptions, 'format' | 'sampleCount' | 'listMemory'>> {
  readonly sizes: RasterSizes;
  readonly scenery: Scenery | undefined;
  readonly blended: BlendedTriangles | undefined;
  readonly temporal: Temporal | undefined;
}

type ChosenView = Pick<VisibilityView, 'camera' | 'lighting'> & { readonly views: DrawnViews | undefined };
const ALL_VIEWS = 0xffffffff;

type PictureSize = Pick<VisibilityView, 'width' | 'height'>;

class PictureRenderer implements VisibilityRenderer {
  readonly #device: GPUDevice;
  readonly #crowd: Crowd;
  readonly #parts: RendererParts;
  readonly #presenter: Presenter;
  readonly #timings: Timings;
  readonly #uploads: UploadRing;
  readonly #drops: DropWatch;
  readonly #submissions = new Submissions();
  readonly #views: PictureViews;
  #drawn: { readonly memory: DrawnMemory; readonly tables: TriangleTables } | undefined;
  #buffers: TriangleBuffers | undefined;
  #picker: Picker | undefined;
  #lastSight: Sight | undefined;
  /**
   * Resources of pictures that may not be submitted yet. They are freed once the next picture's caller reports its
   * submission.
   */
  readonly #retired: { destroy(): void }[] = [];

  constructor(device: GPUDevice, crowd: Crowd, parts: RendererParts) {
    this.#device = device;
    this.#crowd = crowd;
    this.#parts = parts;
    this.#presenter = new Presenter(device, parts.uniforms, parts.format, parts.sampleCount);
    this.#timings = new Timings(device, MEASURED, false);
    this.#uploads = new UploadRing(device);
    this.#drops = new DropWatch(device, crowd);
    this.#views = new PictureViews(parts.shadows.layers.length, parts.shadows.width);
  }

  crowdViews(view: SeenView): readonly CrowdView[] {
    return this.#views.crowdViews(view);
  }

  render(encoder: GPUCommandEncoder, view: VisibilityView): Submission {
    expectDrawing(encoder, view, VISIBILITY_VIEW);
    this.#submissions.expectFew();
    const { sampleCount, sizes, uniforms, shadows, change, blended, temporal } = this.#parts;
    if (view.velocity) expectPast(this.#crowd, 'velocity');
    const { memory, origin, views: crowdViews } = drawnFrame(this.#crowd, view.frame);
    const views = view.views ?? this.#views.mask(crowdViews);
    const lens = lensOf(view, this.#lastSight && projectionOf(this.#lastSight, origin));
    this.#chooseImpostors(encoder, { ...view, views }, memory, lens);
    const tables = this.#prepareTables(memory);
    const buffers = this.#prepareBuffers(view, tables);
    const { textures } = buffers;
    const lighting = lightingOf(view);
    const cascades = this.#views.cascades(view);
    const index = temporal?.begin(view, origin, this.#retired);
    for (let sample = 0; sample < sampleCount; sample++) {
      const isFirst = sample === 0;
      const jitter = jitterOf(index ?? sample);
      const clipFromWorld = jittered(lens.clipFromWorld, jitter, view.width, view.height);
      const rasterViews = this.#viewsOf({ ...view, views }, clipFromWorld, cascades, isFirst);
      const hasImpostors = this.impostors !== undefined;
      const words = triangleViews(rasterViews, { ...tables.viewParams, gridSteps: sizes.gridSteps, hasImpostors });
      this.#uploads.write(encoder, tables.buffers.views, 0, new Uint8Array(words.buffer));
      const maps = { cascades, resolution: shadows.width };
      const frame = frameUniforms({ ...view, views }, lighting, jitteredLens(lens, jitter), maps);
      this.#uploads.write(encoder, uniforms, 0, frame);
      const timings = isFirst ? this.#timings : undefined;
      buffers.draw({ encoder, isFirst, timings, changed: change?.group(memory) });
      blended?.draw(encoder, textures, this.#retired, timings);
      if (sampleCount > 1) this.#presenter.accumulate(encoder, textures, sample);
      if (isFirst && wantsSurfaces(view)) this.#presenter.showSurfaces(encoder, textures, view);
    }
    const resolved = temporal?.resolve(encoder, textures, this.#uploads, this.#timings.writes('temporal'));
    this.#presenter.show(encoder, textures, view.target, resolved);
    this.#lastSight = sightOf(view, origin);
    const after = [this.#uploads.close(), this.#timings.resolve(encoder), this.#drops.record(encoder, tables)];
    const unused = this.#retired.splice(0);
    const submitted = this.#submissions.open(async () => {
      for (const owned of unused) owned.destroy();
      await Promise.all(after.map((finish) => finish()));
    });
    return { submitted };
  }

  async pick(view: PickView, x: number, y: number): Promise<PickHit | undefined> {
    expectOptions('view', view, PICK_VIEW);
    const tables = this.#prepareTables(internalsOf(this.#crowd).host.backend.memory!);
    const pixel = pixelAt(view, x, y);
    if (!pixel) return undefined;
    this.#picker ??= new Picker(this.#device, this.#crowd, this.#parts, this.#uploads);
    const encoder = this.#device.createCommandEncoder({ label: 'pick' });
    const read = this.#picker.draw(encoder, tables, view, pixel);
    const recycle = this.#uploads.close();
    this.#device.queue.submit([encoder.finish()]);
    const [picked] = await Promise.all([read(), recycle()]);
    return picked;
  }

  async ready(): Promise<void> {
    // a picture of another size is made with the same pipelines
    if (!this.#buffers)
      this.#prepareBuffers({ width: 1, height: 1 }, this.#prepareTables(internalsOf(this.#crowd).host.backend.memory!));
    await compilePipelines(this.#device);
  }

  get impostors(): PixelImpostors | undefined {
    return this.#parts.impostors;
  }

  get timings(): ReadonlyMap<string, number> {
    return this.#timings.read();
  }

  async readStats(): Promise<TriangleStats | undefined> {
    return this.#buffers?.readStats();
  }

  get byteLength(): number {
    return this.#drawn?.tables.byteLength ?? 0;
  }

  destroy(): void {
    const { uniforms, shadows, materials, temporal, blended, impostors } = this.#parts;
    [uniforms, shadows, materials, this.#uploads, this.#timings, this.#drops].forEach((owned) => owned.destroy());
    const optional = [this.#buffers, this.#drawn?.tables, this.#picker, temporal, blended, impostors];
    [...optional, ...this.#retired].forEach((owned) => owned?.destroy());
  }

  /** Chooses the impostors of all shadow maps, then those of the picture. */
  #chooseImpostors(encoder: GPUCommandEncoder, view: ChosenView, memory: DrawnMemory, lens: Lens): void {
    const { impostors, shadows } = this.#parts;
    if (!impostors) return;
    const { camera, views } = view;
    impostors.open(encoder, memory, this.#retired);
    const mask = shadows.layers.reduce((all, _, cascade) => (all | shadowMask(views, cascade)) >>> 0, 0);
    const sunDirection = normalize(lightingOf(view).sunDirection);
    const [uploads, timings, seen] = [this.#uploads, this.#timings, { eye: camera.eye, lens }];
    impostors.choose(encoder, uploads, { ...seen, views: mask, sunDirection }, 'choose-casters', timings);
    impostors.choose(encoder, uploads, { ...seen, views: views?.picture ?? ALL_VIEWS }, 'choose-impostors', timings);
  }

  /** Returns the tables of that memory. Creates them again if it has changed. */
  #prepareTables(memory: DrawnMemory): TriangleTables {
    const { scenery, shadows, materials, listMemory } = this.#parts;
    const { types } = internalsOf(this.#crowd).host.tables;
    if (!types.every(({ character }) => materials.rowOf(character, 0) >= 0)) failUnknownTypes();
    const last = this.#drawn?.memory;
    if (last?.crowd.visible !== memory.crowd.visible || last.draws !== memory.draws) {
      if (this.#drawn) this.#retired.push(this.#drawn.tables);
      const rowOf: MaterialRowOf = (character, primitive) => materials.rowOf(character, primitive);
      const sources = [crowdSource(memory, types, rowOf), ...(scenery ? [scenerySource(scenery, rowOf)] : [])];
      const tables = new TriangleTables(this.#device, sources, 1 + shadows.layers.length, { listMemory });
      this.#drawn = { memory, tables };
    }
    return this.#drawn!.tables;
  }

  /** Returns the buffers of a picture's size, bound to these tables. Creates them again if the size has changed. */
  #prepareBuffers(view: PictureSize & SurfaceViews, tables: TriangleTables): TriangleBuffers {
    const { width, height } = view;
    const surfaces = wantsSurfaces(view) || this.#parts.temporal !== undefined;
    const last = this.#buffers?.textures;
    if (last?.width !== width || last.height !== height || (surfaces && !last.surfaces)) {
      if (this.#buffers) this.#retired.push(this.#buffers);
      this.#buffers = new TriangleBuffers(this.#device, this.#parts, view, surfaces, this.#parts.sampleCount);
    }
    this.#retired.push(...this.#buffers!.bind(tables));
    return this.#buffers!;
  }

  /** Views of one sample: the picture, then cascades. */
  #viewsOf(
    { width, height, views }: PictureSize & { readonly views: DrawnViews | undefined },
    clipFromWorld: Matrix4,
    cascades: readonly CascadeView[],
    isFirst: boolean,
  ): RasterView[] {
    const { sizes, blended, shadows: maps } = this.#parts;
    const skippedFlags = blended ? TRIANGLE_BLENDED : 0;
    const main = { clipFromWorld, width, height, crowdViews: views?.picture, skippedFlags, ...sizes };
    const size = { width: maps.width, height: maps.height };
    const shadows = cascades.map(({ sunFromWorld }, i): RasterView => {
      // shadows are the same for all samples
      return { clipFromWorld: sunFromWorld, ...size, crowdViews: isFirst ? shadowMask(views, i) : 0, ...sizes };
    });
    return [main, ...shadows];
  }
}

/**
 * Creates a renderer for one crowd. It first finds which triangle every pixel shows, then lights each pixel once:
 * filter-triangles, raster-triangles and shade-pixels. See the README of this folder.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, or types that are skinned in draws;
 *   IMAGE_UNDECODABLE, DEVICE_LIMIT (also on devices of the compatibility level), CROWD_BAD_ARGUMENT and SURFACE_INVALID (`surface`).
 *   `impostors`: CROWD_BAD_ARGUMENT and RENDER_FAILED (sizes)
 */
export async function createVisibilityRenderer(
  device: GPUDevice,
  crowd: Crowd,
  options: VisibilityOptions = {},
): Promise<VisibilityRenderer> {
  expectCrowd(crowd);
  expectOptions('options', options, VISIBILITY_OPTIONS);
  const { format = 'rgba8unorm-srgb', sampleCount = 1, shadowResolution = 2048, cascadeCount = 3, scenery } = options;
  const { antialiasing = 'none', motionScale = 1 }: TestedOptions = options;
  const { listMemory = DEFAULT_LIST_MEMORY, surface, impostors: far } = options;
  checkMemory(crowd);
  checkTier(device);
  if (far) checkImpostors(device, surface !== undefined);
  checkVertices(crowd, "Draw it with createForwardRenderer, or skin it in compute: skin: 'compute'.");
  checkWhole('sampleCount', sampleCount, 1, 64);
  checkWhole('cascadeCount', cascadeCount, 0, CASCADE_LIMIT);
  if (!(listMemory >= LEAST_LIST_MEMORY)) {
    fail('RENDER_FAILED', 'listMemory', `is ${listMemory}.`, `Give bytes, at least ${LEAST_LIST_MEMORY}.`);
  }
  const kind = adapterKind(device.adapterInfo) === 'software' ? 'software' : 'hardware';
  const sizes = { ...RASTER_DEFAULTS[kind], ...options.hardwareRaster };
  checkSizes(sizes);
  if (antialiasing === 'temporal') expectPast(crowd, 'antialiasing');
  if (antialiasing === 'temporal' && sampleCount !== 1) {
    const message = `Got ${sampleCount} with temporal antialiasing, which needs 1.`;
    fail('RENDER_FAILED', 'sampleCount', message, 'Use sampleCount: 1.');
  }
  const types = typesOf(crowd, scenery).map(({ character }) => character);
  const stages = GPUShaderStage.COMPUTE | GPUShaderStage.FRAGMENT;
  const materials = await createMaterialTable(device, types, stages);
  const uniforms = createUniform(device, 'frame', FrameUniforms, {});
  const size = { width: shadowResolution, height: shadowResolution };
  const shadows = new RasterTarget(device, 'shadow', size, 1, cascadeCount);
  await loadContactPoints(types);
  const shading = { materials, visibility: stages };
  const change =
    surface && new (await import('../lighting/changed-surfaces.ts')).ChangedSurfaces(device, crowd, surface, shading);
  await change?.check('shadePixels');
  const parts = { format, sampleCount, listMemory, sizes, scenery, shadows, uniforms, materials, change };
  const shared = { ...parts, shadowMaps: shadows.view };
  const blended = types.some(hasBlended)
    ? (await import('../transparency/blended-triangles.ts')).createBlendedTriangles(device, crowd, shared)
    : undefined;
  const temporal =
    antialiasing === 'temporal'
      ? new (await import('./temporal.ts')).Temporal(device, uniforms, motionScale)
      : undefined;
  const impostors =
    far && (await import('../impostors/impostor-pixels.ts')).createPixelImpostors(device, crowd, far, shared);
  return new PictureRenderer(device, crowd, { ...parts, blended, temporal, impostors });
}

type PickerParts = Pick<PictureParts, 'uniforms' | 'materials'> & { readonly sizes: RasterSizes };

const SIZE = { width: 1, height: 1 } as const;

/** Draws a single pixel, and reads which character it shows. */
class Picker {
  readonly #parts: PickerParts;
  readonly #uploads: UploadRing;
  readonly #shadows: RasterTarget;
  readonly #buffers: TriangleBuffers;
  readonly #pixel: PickedPixel;

  /** Pictures share the parts and uploads. They write all that they need before they are drawn. */
  constructor(device: GPUDevice, crowd: Crowd, parts: PickerParts, uploads: UploadRing) {
    this.#parts = parts;
    this.#uploads = uploads;
    this.#shadows = new RasterTarget(device, 'shadow', SIZE, 1, 0);
    const { uniforms, materials } = parts;
    this.#buffers = new TriangleBuffers(device, { shadows: this.#shadows, uniforms, materials }, SIZE, true, 1);
    this.#pixel = new PickedPixel(device, crowd);
  }

  /** Records the pixel. Call the returned function once it is submitted, before recording anything else. */
  draw(
    encoder: GPUCommandEncoder,
    tables: TriangleTables,
    view: PickView,
    pixel: readonly [number, number],
  ): () => Promise<PickHit | undefined> {
    const { uniforms, sizes } = this.#parts;
    // a pick is recorded and submitted in one go, so no recorded commands are unsubmitted
    for (const unused of this.#buffers.bind(tables)) unused.destroy();
    const lens = pixelLens(view, pixel);
    const main = { ...SIZE, ...sizes, clipFromWorld: lens.clipFromWorld, crowdViews: view.views?.picture };
    const words = triangleViews([main], { ...tables.viewParams, gridSteps: sizes.gridSteps });
    this.#uploads.write(encoder, tables.buffers.views, 0, new Uint8Array(words.buffer));
    const scene = lightingOf(view);
    this.#uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, lens, NO_SHADOWS));
    this.#buffers.draw({ encoder, isFirst: true });
    return this.#pixel.copy(encoder, this.#buffers.textures.surfaces!.ids);
  }

  destroy(): void {
    for (const owned of [this.#buffers, this.#shadows, this.#pixel]) owned.destroy();
  }
}

/** @throws ManipleError DEVICE_LIMIT */
function checkTier(device: GPUDevice): void {
  if (deviceTier(device) === 'core') return;
  const message = "The visibility renderer needs WebGPU's core level; this device has the compatibility level.";
  fail('DEVICE_LIMIT', 'device', message, 'Draw with createForwardRenderer.');
}

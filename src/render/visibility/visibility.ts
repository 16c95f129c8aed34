import { expectCrowd, expectDrawing } from '../../crowd/arguments.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import { fail, quoted } from '../../errors.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { Timings } from '../../device/timings.ts';
import { UploadRing } from '../../device/upload-ring.ts';
import { lensOf, projectionOf, sightOf, type Sight } from '../forward/lens.ts';
import type { ForwardView, PickHit, PickView } from '../forward/view.ts';
import { compilePipelines } from '../../stages/lazy-pipeline.ts';
import { TRIANGLE_BLENDED } from './triangles.ts';
import { loadContactPoints } from '../contact-points.ts';
import { cascadesOf } from '../lighting/cascades.ts';
import { frameUniforms } from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT, FrameUniforms } from '../lighting/layout.ts';
import { DEFAULT_LIGHTING } from '../lighting/scene.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import { createMaterialTable, hasBlended } from '../materials/material-table.ts';
import { BoundPicture, type KeptTriangles, type TriangleStats } from './bound-picture.ts';
import { DrawnTriangles } from './drawn-triangles.ts';
import { DropWatch } from './drops.ts';
import { jittered, jitteredLens, jitterOf } from './jitter.ts';
import { DEFAULT_LIST_MEMORY } from './memory.ts';
import { TRIANGLE_STAGES } from './passes.ts';
import { createPicker, type Picker } from './pick.ts';
import { createPictureTarget, type PictureTarget } from './picture-target.ts';
import { createPresenter } from './presenter.ts';
import { drawnFrame } from '../recorded-origin.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { createShadowTarget } from './shadow-target.ts';
import { createSurfacePass, wantsSurfaces, type SurfaceViews } from './surface-targets.ts';
import { checkSizes, RASTER_DEFAULTS, type RasterSizes } from './sizes.ts';
import { triangleViews, type RasterView } from './views.ts';

/** How pictures are stored, sampled and rasterised. */
export interface VisibilityOptions {
  /** Format of the pictures; an sRGB one, since the renderer writes linear colours. Default rgba8unorm-srgb. */
  readonly format?: GPUTextureFormat;
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
  /** Texels of a shadow map each way; default 2048. */
  readonly shadowResolution?: number;
  /** Shadow maps, 0 to 4; default 3. */
  readonly cascadeCount?: number;
  /** Static scenery around the crowd; the renderer does not own it. */
  readonly scenery?: Scenery;
  /**
   * Bytes of the triangle lists of all views together: 4 a triangle and view. At least 4,096, at most what the device
   * binds. Default 128 MiB. If it runs out, the instances that are smallest in the picture are dropped. `readStats`, of
   * the renderer and of the crowd, counts them, and the crowd's listeners of `dropped` are called.
   */
  readonly listMemory?: number;
  /**
   * The application's change to surfaces of characters, for example by named columns. Columns that it reads have to
   * exist.
   */
  readonly surface?: SurfaceChange;
  /** Sizes from which on the hardware's rasteriser draws. Default: by the kind of adapter. */
  readonly hardwareRaster?: Partial<RasterSizes>;
}

/** Additional options for tests. @internal */
export interface TestedOptions extends VisibilityOptions {
  /** Factor of motion vectors in temporal antialiasing; 1 is right. */
  readonly motionScale?: number;
}

/** One picture to draw: as the forward renderer's, without debug views, with optional depth and normals. */
export type VisibilityView = Omit<ForwardView, 'debugView'> & SurfaceViews;

export interface VisibilityRenderer {
  /**
   * Records a picture of the crowd as its last recorded frame left it, or `frame`. Returns a function to call after
   * submitting. Its promise resolves when the picture is drawn and `timings` are read, and rejects with DEVICE_LOST.
   *
   * @throws ManipleError RENDER_FAILED (the crowd has taken on types, or skins in draws), DEVICE_LIMIT
   */
  render(encoder: GPUCommandEncoder, view: VisibilityView): () => Promise<void>;
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
   * includes the shadows. raster-triangles includes compute and the hardware. Empty without the feature
   * `timestamp-query`.
   */
  readonly timings: ReadonlyMap<string, number>;
  /** Reads counts of triangles, after all submitted work; undefined before the first picture. */
  readStats(): Promise<TriangleStats | undefined>;
  /** Bytes of GPU memory, without pictures and textures. */
  readonly byteLength: number;
  /** Frees the renderer's own resources, not the crowd. */
  destroy(): void;
}

export type { KeptTriangles, TriangleStats };

/** Bytes: enough for some hundred triangles, with any number of views. */
const LEAST_LIST_MEMORY = 2 ** 12;

/** Measured stages of a picture, in their order. */
const MEASURED = [...TRIANGLE_STAGES, 'draw-contact', 'shade-pixels', 'draw-blended', 'temporal'] as const;

/**
 * Creates a renderer for one crowd. It first finds which triangle every pixel shows, then lights each pixel once:
 * filter-triangles, raster-triangles and shade-pixels. See the README of this folder.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, or types that are skinned in draws;
 *   IMAGE_UNDECODABLE, DEVICE_LIMIT, CROWD_BAD_ARGUMENT and SURFACE_INVALID (`surface`)
 */
// oxlint-disable-next-line max-lines-per-function
export async function createVisibilityRenderer(
  device: GPUDevice,
  crowd: Crowd,
  options: VisibilityOptions = {},
): Promise<VisibilityRenderer> {
  const {
    format = 'rgba8unorm-srgb',
    sampleCount: samples = 1,
    shadowResolution = 2048,
    cascadeCount = 3,
    scenery,
  } = options;
  const { antialiasing = 'none', motionScale = 1 }: TestedOptions = options;
  const { listMemory = DEFAULT_LIST_MEMORY } = options;
  checkOptions(crowd, { samples, cascadeCount, listMemory });
  const kind = adapterKind(device.adapterInfo) === 'software' ? 'software' : 'hardware';
  const sizes = { ...RASTER_DEFAULTS[kind], ...options.hardwareRaster };
  checkSizes(sizes);
  if (antialiasing === 'temporal' && samples !== 1) {
    fail(
      'RENDER_FAILED',
      'sampleCount',
      `Got ${samples} with temporal antialiasing, which needs 1.`,
      'Use sampleCount: 1.',
    );
  }
  const crowdTypes = [...crowd.tables.types, ...(scenery?.runs.map(({ type }) => type) ?? [])];
  const types = crowdTypes.map(({ character }) => character);
  const stages = GPUShaderStage.COMPUTE | GPUShaderStage.FRAGMENT;
  const materials = await createMaterialTable(device, types, stages);
  const uniforms = device.createBuffer({
    label: 'frame',
    size: FrameUniforms.size,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  const shadows = createShadowTarget(device, 1, { count: cascadeCount, resolution: shadowResolution });
  await loadContactPoints(types);
  const change =
    options.surface &&
    new (await import('../lighting/changed-surfaces.ts')).ChangedSurfaces(device, crowd, options.surface, {
      materials,
      visibility: stages,
    });
  await change?.check('shadePixels');
  const shared = { types: crowdTypes, scenery, materials, change, uniforms, shadowMaps: shadows.view };
  const blended = types.some(hasBlended)
    ? (await import('../transparency/blended-triangles.ts')).createBlendedTriangles(device, crowd, shared)
    : undefined;
  const skippedFlags = blended ? TRIANGLE_BLENDED : 0;
  const presenter = createPresenter(device, format, samples);
  const drawSurfaces = createSurfacePass(device, uniforms);
  const temporal =
    antialiasing === 'temporal'
      ? (await import('./temporal.ts')).createTemporal(device, uniforms, motionScale)
      : undefined;
  const timings = new Timings(device, MEASURED);
  const uploads = new UploadRing(device);
  const drops = new DropWatch(device, crowd);
  let target: PictureTarget | undefined;
  let drawn: DrawnTriangles | undefined;
  let bound: BoundPicture | undefined;
  let picker: Picker | undefined;
  let lastSight: Sight | undefined;
  /**
   * Resources of pictures that may not be submitted yet. They are freed once the next picture's caller reports its
   * submission.
   */
  const retired: { destroy(): void }[] = [];

  return {
    get timings() {
      return timings.latest;
    },
    get byteLength() {
      return drawn?.memory.byteLength ?? 0;
    },
    render(encoder, view) {
      expectDrawing(encoder, view);
      const { width, height, camera, bounds } = view;
      const { memory, origin } = drawnFrame(crowd, view.frame);
      const picture = prepare(view, memory);
      const lens = lensOf(view, lastSight && projectionOf(lastSight, origin));
      const scene = { ...DEFAULT_LIGHTING, ...view.lighting };
      const cascades =
        cascadeCount === 0
          ? []
          : cascadesOf({
              camera,
              aspect: width / height,
              sunDirection: scene.sunDirection,
              bounds,
              count: cascadeCount,
              resolution: shadowResolution,
            });
      const shadowViews = cascades.map(({ sunFromWorld }, i): RasterView => {
        const { shadow = 0xffffffff } = view.views ?? {};
        const crowdViews = typeof shadow === 'number' ? shadow : (shadow[i] ?? 0);
        const size = { width: shadowResolution, height: shadowResolution };
        return { clipFromWorld: sunFromWorld, ...size, crowdViews, ...sizes };
      });
      const index = temporal?.begin(view, origin, retired);
      for (let sample = 0; sample < samples; sample++) {
        const jitter = jitterOf(index ?? sample);
        const clipFromWorld = jittered(lens.clipFromWorld, jitter, width, height);
        const crowdViews = view.views?.picture;
        const main: RasterView = { clipFromWorld, width, height, crowdViews, skippedFlags, ...sizes };
        // shadows are the same for all samples
        const others = sample === 0 ? shadowViews : shadowViews.map((other) => ({ ...other, crowdViews: 0 }));
        const words = triangleViews([main, ...others], {
          ...picture.drawn.memory.viewParams,
          gridSteps: sizes.gridSteps,
        });
        uploads.write(encoder, picture.drawn.memory.views, 0, new Uint8Array(words.buffer));
        const maps = { cascades, resolution: shadowResolution };
        uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, jitteredLens(lens, jitter), maps));
        picture.draw(encoder, sample === 0, change?.group(memory));
        blended?.draw(encoder, target!, retired, sample === 0 ? timings : undefined);
        if (samples > 1) presenter.accumulate(encoder, target!, sample);
        if (sample === 0 && wantsSurfaces(view)) drawSurfaces(encoder, target!, view);
      }
      const resolved = temporal?.resolve(encoder, target!, uploads, timings.writes('temporal'));
      presenter.color(encoder, target!, view.target, resolved);
      lastSight = sightOf(view, origin);
      const after = [uploads.close(), timings.resolve(encoder), drops.record(encoder, picture.drawn.memory)];
      const unused = retired.splice(0);
      return async () => {
        for (const owned of unused) owned.destroy();
        await Promise.all(after.map((finish) => finish()));
      };
    },
    async pick(view, x, y) {
      const triangles = prepareTriangles(crowd.backend.memory!);
      const pixel = [Math.floor(x), Math.floor(y)] as const;
      if (!(x >= 0 && y >= 0 && pixel[0] < view.width && pixel[1] < view.height)) return undefined;
      picker ??= createPicker(device, crowd, { uniforms, uploads, materials, sizes });
      const encoder = device.createCommandEncoder({ label: 'pick' });
      const read = picker.draw(encoder, triangles, view, pixel);
      const recycle = uploads.close();
      device.queue.submit([encoder.finish()]);
      const [picked] = await Promise.all([read(), recycle()]);
      return picked;
    },
    readStats: async () => bound?.readStats(),
    async ready() {
      // a picture of another size is made with the same pipelines
      if (!bound) prepare({ width: 1, height: 1 }, crowd.backend.memory!);
      await compilePipelines(device);
    },
    destroy() {
      [uniforms, uploads, shadows, timings, materials, drops].forEach((owned) => owned.destroy());
      [target, bound, drawn, picker, temporal, blended, ...retired].forEach((owned) => owned?.destroy());
    },
  };

  /** Returns the bound picture. Creates its target and triangles again if they have changed. */
  function prepare(view: Pick<VisibilityView, 'width' | 'height'> & SurfaceViews, memory: DrawnMemory): BoundPicture {
    const { width, height } = view;
    const surfaces = wantsSurfaces(view) || temporal !== undefined;
    if (target?.width !== width || target.height !== height || (surfaces && !target.surfaces)) {
      if (target) retired.push(target);
      target = createPictureTarget(device, { width, height }, { surfaces, samples });
    }
    const triangles = prepareTriangles(memory);
    if (!bound?.isOf(triangles, target)) {
      if (bound) retired.push(bound);
      bound = new BoundPicture(device, triangles, { target, shadows, uniforms, materials, change, timings });
    }
    return bound;
  }

  function prepareTriangles(memory: DrawnMemory): DrawnTriangles {
    if (!crowd.tables.types.every(({ character }) => materials.rowOf(character, 0) >= 0)) {
      fail('RENDER_FAILED', 'crowd', 'The crowd has types that this renderer lacks.', 'Create a new renderer.');
    }
    if (!drawn?.isOf(memory)) {
      if (drawn) retired.push(drawn);
      drawn = new DrawnTriangles(device, crowd, memory, { materials, scenery, listMemory }, 1 + cascadeCount);
    }
    return drawn;
  }
}

function checkOptions(
  crowd: Crowd,
  { samples, cascadeCount, listMemory }: Readonly<Record<'samples' | 'cascadeCount' | 'listMemory', number>>,
): void {
  expectCrowd(crowd);
  const { memory } = crowd.backend;
  if (!memory) {
    const suggestion = "Create it with a device; one on the CPU takes a device as well: { backend: 'cpu' }.";
    fail('RENDER_FAILED', 'crowd', 'The crowd has no device to draw from.', suggestion);
  }
  const skinned = crowd.tables.types.find(({ skin }) => skin === 'vertex');
  if (skinned) {
    const message = `${quoted(skinned.character.name)} is skinned where it is drawn, and leaves no vertices.`;
    fail(
      'RENDER_FAILED',
      'crowd',
      message,
      "Draw it with createForwardRenderer, or skin it in compute: skin: 'compute'.",
    );
  }
  if (!(Number.isInteger(samples) && samples >= 1 && samples <= 64)) {
    fail('RENDER_FAILED', 'sampleCount', `is ${samples}.`, 'Give a whole number from 1 to 64.');
  }
  if (!(Number.isInteger(cascadeCount) && cascadeCount >= 0 && cascadeCount <= CASCADE_LIMIT)) {
    fail('RENDER_FAILED', 'cascadeCount', `is ${cascadeCount}.`, `Give a whole number from 0 to ${CASCADE_LIMIT}.`);
  }
  if (!(listMemory >= LEAST_LIST_MEMORY)) {
    fail('RENDER_FAILED', 'listMemory', `is ${listMemory}.`, `Give bytes, at least ${LEAST_LIST_MEMORY}.`);
  }
}

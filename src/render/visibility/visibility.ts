import type { Crowd } from '../../crowd/crowd.ts';
import { adapterKind } from '../../device/adapter-kind.ts';
import { fail } from '../../errors.ts';
import { Timings } from '../../frame/timings.ts';
import { UploadRing } from '../../frame/upload-ring.ts';
import { subtract, type Vector } from '../camera.ts';
import { lensOf, projectionOf, sightOf, type Sight } from '../forward/lens.ts';
import type { ForwardView } from '../forward/view.ts';
import { cascadesOf } from '../lighting/cascades.ts';
import { frameUniforms } from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT, FrameUniforms } from '../lighting/layout.ts';
import { DEFAULT_SCENE } from '../lighting/scene.ts';
import { createMaterialTable } from '../materials/material-table.ts';
import { BoundPicture, type PictureParts, type TriangleStats } from './bound-picture.ts';
import { jittered, jitteredLens, jitterOf } from './jitter.ts';
import { TRIANGLE_PASSES } from './passes.ts';
import { createPictureTarget, type PictureTarget } from './picture-target.ts';
import { createPresenter } from './presenter.ts';
import type { Statics } from '../statics/statics.ts';
import { createShadowTarget } from './shadow-target.ts';
import { RASTER_DEFAULTS, type RasterSizes } from './sizes.ts';
import { triangleViews, type RasterView } from './views.ts';

/** How pictures are stored, sampled and rasterised. */
export interface VisibilityOptions {
  /** Format of the pictures; an sRGB one, since the renderer writes linear colours. Default rgba8unorm-srgb. */
  readonly format?: GPUTextureFormat;
  /** Pictures, each a part of a pixel beside the others, that are averaged: 1 to 64, default 1. */
  readonly samples?: number;
  /** Texels of a shadow map each way; default 2048. */
  readonly shadowResolution?: number;
  /** Shadow maps, 0 to 4; default 3. */
  readonly cascadeCount?: number;
  /** What stands still around the crowd; the renderer does not own it. */
  readonly scenery?: Statics;
  /** From which sizes on the hardware's rasteriser draws; default: what suits the adapter. */
  readonly sizes?: Partial<RasterSizes>;
}

/** One picture to draw: as the forward renderer's, without debug views. */
export type VisibilityView = Omit<ForwardView, 'show'>;

export interface VisibilityRenderer {
  /**
   * Records a picture of the crowd as its last recorded frame left it. Returns what to call after submitting; its promise
   * resolves when the picture is drawn and `timings` are read, and rejects with DEVICE_LOST.
   *
   * @throws ManipleError RENDER_FAILED (the crowd has taken on types, or skins in draws), DEVICE_LIMIT
   */
  render(encoder: GPUCommandEncoder, view: VisibilityView): () => Promise<void>;
  /** Milliseconds on the GPU by pass, of the last picture that was read back. */
  readonly timings: ReadonlyMap<string, number>;
  /** How many triangles there were, after all that was submitted; undefined before the first picture. */
  readStats(): Promise<TriangleStats | undefined>;
  /** Of GPU memory, without pictures and textures. */
  readonly byteLength: number;
  /** Frees what the renderer made; the crowd is left alone. */
  destroy(): void;
}

/** Passes in their order. */
export const VISIBILITY_PASSES = [...TRIANGLE_PASSES, 'draw-contact', 'shade-pixels'] as const;

/**
 * Creates a renderer for one crowd that finds out first which triangle every pixel shows, and lights each pixel once:
 * filter-triangles, raster-triangles and shade-pixels. See the README of this folder.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, or types that draws skin; IMAGE_UNDECODABLE, DEVICE_LIMIT
 */
export async function createVisibilityRenderer(
  device: GPUDevice,
  crowd: Crowd,
  options: VisibilityOptions = {},
): Promise<VisibilityRenderer> {
  const { format = 'rgba8unorm-srgb', samples = 1, shadowResolution = 2048, cascadeCount = 3, scenery } = options;
  checkOptions(crowd, samples, cascadeCount);
  const kind = adapterKind(device.adapterInfo) === 'software' ? 'software' : 'hardware';
  const sizes = { ...RASTER_DEFAULTS[kind], ...options.sizes };
  const types = [...crowd.tables.types, ...(scenery?.runs.map(({ type }) => type) ?? [])].map(
    ({ character }) => character,
  );
  const stages = GPUShaderStage.COMPUTE | GPUShaderStage.FRAGMENT;
  const materials = await createMaterialTable(device, types, stages);
  const uniforms = device.createBuffer({
    label: 'frame',
    size: FrameUniforms.size,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  const shadows = createShadowTarget(device, 1, { count: cascadeCount, resolution: shadowResolution });
  const presenter = createPresenter(device, format);
  const timings = new Timings(device, VISIBILITY_PASSES);
  const uploads = new UploadRing(device);
  let target: PictureTarget | undefined;
  let bound: BoundPicture | undefined;
  let lastSight: Sight | undefined;

  return {
    get timings() {
      return timings.latest;
    },
    get byteLength() {
      return bound?.byteLength ?? 0;
    },
    render(encoder, view) {
      const { width, height, camera, bounds, velocity, ids } = view;
      const retired: { destroy(): void }[] = [];
      const picture = prepare(view, retired);
      const origin = originOf(crowd);
      const lens = lensOf(view, lastSight && projectionOf(lastSight, origin));
      const scene = { ...DEFAULT_SCENE, ...view.scene };
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
      for (let sample = 0; sample < samples; sample++) {
        const jitter = jitterOf(sample);
        const clipFromWorld = jittered(lens.clipFromWorld, jitter, width, height);
        const crowdViews = view.views?.picture;
        const main: RasterView = { clipFromWorld, width, height, crowdViews, ...sizes };
        // shadows are the same for all samples
        const others = sample === 0 ? shadowViews : shadowViews.map((other) => ({ ...other, crowdViews: 0 }));
        const words = triangleViews([main, ...others], { ...picture.params, gridSteps: sizes.gridSteps });
        uploads.write(encoder, picture.memory.views, 0, new Uint8Array(words.buffer));
        const maps = { cascades, resolution: shadowResolution };
        uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, jitteredLens(lens, jitter), maps));
        picture.draw(encoder, sample === 0);
        if (samples > 1) presenter.accumulate(encoder, target!, sample);
        if (sample === 0 && (velocity || ids)) presenter.surfaces(encoder, target!, view);
      }
      presenter.color(encoder, target!, view.target);
      lastSight = sightOf(view, origin);
      const [recycle, read] = [uploads.close(), timings.resolve(encoder)];
      return async () => {
        for (const unused of retired) unused.destroy();
        await Promise.all([recycle(), read()]);
      };
    },
    readStats: async () => bound?.readStats(),
    destroy() {
      [uniforms, uploads, shadows, timings, materials].forEach((owned) => owned.destroy());
      [target, bound].forEach((owned) => owned?.destroy());
    },
  };

  /** What the picture is made in and from, anew where either has changed. */
  function prepare({ width, height, velocity, ids }: VisibilityView, retired: { destroy(): void }[]): BoundPicture {
    const surfaces = velocity !== undefined || ids !== undefined;
    if (target?.width !== width || target.height !== height || (surfaces && !target.surfaces)) {
      if (target) retired.push(target);
      target = createPictureTarget(device, { width, height }, { surfaces, samples });
    }
    const parts: PictureParts = { target, shadows, uniforms, materials, scenery, timings };
    if (!bound?.isOf(crowd, parts)) {
      if (bound) retired.push(bound);
      bound = new BoundPicture(device, crowd, parts);
    }
    return bound;
  }
}

/** Where places of the last recorded frame count from: moves since then are the next one's. */
function originOf(crowd: Crowd): Vector {
  const { origin, moves } = crowd.host.places;
  return moves.reduce<Vector>((from, [x, y, z]) => subtract(from, [x!, y!, z!]), origin);
}

function checkOptions(crowd: Crowd, samples: number, cascadeCount: number): void {
  const { memory } = crowd.backend;
  if (!memory) {
    const suggestion = "Create it with a device; one on the CPU takes a device as well: { backend: 'cpu' }.";
    fail('RENDER_FAILED', 'crowd', 'has no device, so there is nothing to draw from.', suggestion);
  }
  const skinned = crowd.tables.types.find(({ skin }) => skin === 'vertex');
  if (skinned) {
    const told = `${skinned.character.name} is skinned where it is drawn, and leaves no vertices.`;
    fail('RENDER_FAILED', 'crowd', told, "Draw it with createForwardRenderer, or skin it in compute: skin: 'compute'.");
  }
  if (!(Number.isInteger(samples) && samples >= 1 && samples <= 64)) {
    fail('RENDER_FAILED', 'samples', `is ${samples}.`, 'Give a whole number from 1 to 64.');
  }
  if (!(Number.isInteger(cascadeCount) && cascadeCount >= 0 && cascadeCount <= CASCADE_LIMIT)) {
    fail('RENDER_FAILED', 'cascadeCount', `is ${cascadeCount}.`, `Give a whole number from 0 to ${CASCADE_LIMIT}.`);
  }
}

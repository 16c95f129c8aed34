import { expectDrawing, expectOptions, type Names } from '../../crowd/arguments.ts';
import { expectCrowd, internalsOf } from '../../crowd/internals.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail } from '../../errors.ts';
import { Timings } from '../../device/timings.ts';
import { type Submission, Submissions } from '../../device/submissions.ts';
import { UploadRing } from '../../device/upload-ring.ts';
import { createBindGroup } from '../../layout/index.ts';
import { NO_SHADOWS, frameUniforms } from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT, frameBindings, FrameUniforms, viewBindings } from '../lighting/layout.ts';
import { lightingOf } from '../lighting/scene.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import { PictureViews, type SeenView, drawnFrame } from '../picture-views.ts';
import type { CrowdView } from '../../frame/tables/crowd-view.ts';
import { loadContactPoints } from '../contact-points.ts';
import { createMaterialTable } from '../materials/material-table.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { createAttachments, pictureAttachments, type Attachments } from './attachments.ts';
import { compilePipelines } from '../../stages/lazy-pipeline.ts';
import { storageCount } from '../../stages/provider-resources.ts';
import { DrawnCrowd } from './drawn-crowd.ts';
import { DrawnProviders } from './drawn-providers.ts';
import { lensOf, pixelLens, projectionOf, sightOf, type Sight } from './lens.ts';
import { createPicker, type Picker } from './pick.ts';
import { checkVertexStage, createForwardLayouts, createForwardPipelines, SHADOW_FORMAT } from './pipelines.ts';
import { createDrawnPrimitives } from './primitives.ts';
import { createDebugViews, type DebugViews } from './show.ts';
import { createSurfaceShaders, type SurfaceShaders } from './surface-shaders.ts';
import { createSurfacePass, createSurfaceTargets, type SurfacePass, type SurfaceTargets } from './targets.ts';
import { FORWARD_VIEW, type ForwardView, PICK_VIEW, type PickHit, type PickView } from './view.ts';
import { shadowBindings, ShadowPass } from './layout.ts';

/** How pictures are stored and sampled. */
export interface ForwardOptions {
  /** Format of the pictures. It should be sRGB, since the renderer writes linear colours. Default rgba8unorm-srgb. */
  readonly format?: GPUTextureFormat;
  /** 1 or 4 samples per pixel; default 4. */
  readonly sampleCount?: 1 | 4;
  /** Width and height of a shadow map, texels of 4 bytes. Default 2048, at most the device's `maxTextureDimension2D`. */
  readonly shadowResolution?: number;
  /** Number of shadow maps, 1 to 4; nearer ones are finer. Each draws all characters that may cast a shadow there. Default 3. */
  readonly cascadeCount?: number;
  /** Scenery around the crowd, drawn in every picture and map, with id 0. The caller keeps owning it. */
  readonly scenery?: Scenery;
  /** The application's change to surfaces of characters, for example by named columns. Columns that it reads must exist. */
  readonly surface?: SurfaceChange;
}

const FORWARD_OPTIONS: Names<ForwardOptions> = {
  format: true,
  sampleCount: true,
  shadowResolution: true,
  cascadeCount: true,
  scenery: true,
  surface: true,
};

const PASSES = ['draw-shadows', 'draw-contact', 'draw-forward', 'draw-blended'] as const;

/**
 * A plain renderer. Its pictures have a sun with cascades of shadow maps, sky, ground with soft contact shade, and glTF's
 * metallic-roughness materials. It also has motion vectors, ids, picking and debug views. It draws straight from the crowd's
 * slots, with one indirect draw call per page, type, level and primitive.
 */
export interface ForwardRenderer {
  /**
   * The views of a picture for `crowd.update` or `crowd.encode`: the camera's, and one of each shadow map. The next picture of that
   * frame draws each with the characters of its own view. Views of other renderers may be added.
   *
   * @example
   *   crowd.update({ dt, views: renderer.crowdViews(view) });
   */
  crowdViews(view: SeenView): readonly CrowdView[];
  /**
   * Records a picture of the crowd's last recorded frame, or of `frame`. Any number of pictures may go into one encoder.
   * Call `submitted` of the result after submitting. Its promise resolves when the picture is drawn and `timings` are read.
   *
   * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_FRAME_OPEN (16 pictures are not known to be submitted), RENDER_FAILED when
   *   `debugView` is not a known view, or `frame` is overwritten
   */
  render(encoder: GPUCommandEncoder, view: ForwardView): Submission;
  /**
   * Finds what a picture of a view shows at a point, in the crowd's last submitted frame. It draws only that pixel, which
   * costs the processing of all vertices, and waits for the GPU. The first call compiles a pipeline.
   *
   * @param x Pixels from the picture's left edge, and `y` from its top: the middle of the pixel that contains the point counts.
   * @returns undefined where there is only ground or sky, outside of the picture, and when the character is gone
   * @throws ManipleError DEVICE_LOST
   * @example
   *   const hit = await renderer.pick(view, event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio);
   *   if (hit) crowd.setTint(hit.id, [1, 0.5, 0.5, 1]);
   */
  pick(view: PickView, x: number, y: number): Promise<PickHit | undefined>;
  /**
   * Resolves when all pipelines of pictures in light and all kernels of the crowd are compiled: see `Crowd.ready`. Without
   * it the first frame compiles them, and waits. Motion vectors, ids, debug views and picks compile theirs on first use.
   */
  ready(): Promise<void>;
  /**
   * Milliseconds on the GPU by pass, of the last picture that was read back. Passes are `draw-shadows`, `draw-contact`,
   * `draw-forward`, `draw-blended`, and `draw-surfaces` (motion vectors and ids). It is empty before the first readback, and on
   * devices without the feature `timestamp-query`.
   */
  readonly timings: ReadonlyMap<string, number>;
  /** Frees everything that the renderer created. The crowd is not touched. */
  destroy(): void;
}

/**
 * Creates a renderer for one crowd, with all its textures decoded; `ready` compiles its pipelines. Its memory is
 * materials (see `createMaterialTable`), shadow maps, and attachments of the last picture's size. Those are depth and, with
 * 4 samples, colour: 4 bytes per sample each. The shade of feet has a byte per pixel. Motion vectors or ids add another
 * depth attachment.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, IMAGE_UNDECODABLE, DEVICE_LIMIT (storage buffers that
 *   vertices read), RENDER_FAILED (cascades), PROVIDER_INVALID (code of providers that draws run), CROWD_BAD_ARGUMENT and
 *   SURFACE_INVALID (`surface`)
 * @example
 *   const renderer = await createForwardRenderer(device, crowd);
 *   const drawn = renderer.render(encoder, { camera, bounds, target: picture.view, width: 1280, height: 720 });
 *   device.queue.submit([encoder.finish()]);
 *   await drawn.submitted();
 */
// oxlint-disable-next-line max-lines-per-function
export async function createForwardRenderer(
  device: GPUDevice,
  crowd: Crowd,
  options: ForwardOptions = {},
): Promise<ForwardRenderer> {
  expectCrowd(crowd);
  expectOptions('options', options, FORWARD_OPTIONS);
  const { format = 'rgba8unorm-srgb', sampleCount = 4, shadowResolution = 2048, cascadeCount = 3 } = options;
  const { scenery, surface } = options;
  if (!internalsOf(crowd).host.backend.memory) {
    const suggestion = "Create it with a device; one on the CPU takes a device as well: { backend: 'cpu' }.";
    fail('RENDER_FAILED', 'crowd', 'The crowd has no device to draw from.', suggestion);
  }
  if (!(Number.isInteger(cascadeCount) && cascadeCount >= 1 && cascadeCount <= CASCADE_LIMIT)) {
    fail('RENDER_FAILED', 'cascadeCount', `is ${cascadeCount}.`, `Give a whole number from 1 to ${CASCADE_LIMIT}.`);
  }
  const providers = new DrawnProviders(crowd);
  checkVertexStage(device, storageCount(providers.used));
  const types = [...internalsOf(crowd).host.tables.types, ...(scenery?.runs.map(({ type }) => type) ?? [])];
  const characters = types.map(({ character }) => character);
  const materials = await createMaterialTable(device, characters, GPUShaderStage.FRAGMENT);
  const change =
    surface &&
    new (await import('../lighting/changed-surfaces.ts')).ChangedSurfaces(device, crowd, surface, {
      materials,
      visibility: GPUShaderStage.FRAGMENT,
    });
  await change?.check('draws', providers.names);
  const layouts = createForwardLayouts(device, materials.layout, providers.used, change);
  await loadContactPoints(characters);
  const primitives = createDrawnPrimitives(device, characters, materials);
  const uniforms = device.createBuffer({
    label: 'frame',
    size: FrameUniforms.size,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  const shadows = createShadowMaps(device, layouts.shadow, uniforms, {
    count: cascadeCount,
    resolution: shadowResolution,
  });
  const frameGroup = createBindGroup(device, 'frame', layouts.frame, frameBindings, { frame: uniforms });
  const surfaceGroups = { frame: frameGroup, materials: materials.group };
  const drawn = new DrawnCrowd(device, crowd, layouts, primitives, providers, scenery);
  const { kinds } = drawn;
  const pipelines = createForwardPipelines(device, layouts, materials, format, sampleCount, kinds, providers, change);
  await providers.check();
  const transparency = drawn.kinds.some(({ blended }) => blended)
    ? new (await import('../transparency/transparency.ts')).Transparency(
        device,
        { drawn, layouts, materials, providers, change },
        { format, sampleCount },
      )
    : undefined;
  const timings = new Timings(device, PASSES);
  const uploads = new UploadRing(device);
  const submissions = new Submissions();
  const pictureViews = new PictureViews(cascadeCount, shadowResolution);
  let attachments: Attachments | undefined;
  let viewGroup: GPUBindGroup | undefined;
  let lastSight: Sight | undefined;
  // created by the first picture that needs them
  let surfaceShaders: SurfaceShaders | undefined;
  let surfacePass: SurfacePass | undefined;
  let surfaces: SurfaceTargets | undefined;
  let picker: Picker | undefined;
  let debugViews: DebugViews | undefined;

  return {
    get timings() {
      return new Map([...timings.latest, ...(surfaces?.timings.latest ?? [])]);
    },
    crowdViews: (view) => pictureViews.crowdViews(view),
    render(encoder, view) {
      expectDrawing(encoder, view, FORWARD_VIEW);
      submissions.expectFew();
      drawn.checkCast();
      const { debugView: show = 'color', target, velocity, ids, width, height } = view;
      const { memory, origin, views: crowdViews } = drawnFrame(crowd, view.frame);
      const views = view.views ?? pictureViews.mask(crowdViews);
      drawn.show(memory);
      const lens = lensOf(view, lastSight && projectionOf(lastSight, origin));
      const scene = lightingOf(view);
      const maps = { cascades: pictureViews.cascades(view), resolution: shadowResolution };
      uploads.write(encoder, uniforms, 0, frameUniforms({ ...view, views }, scene, lens, maps));
      const retired: { destroy(): void }[] = [];
      if (attachments?.width !== width || attachments.height !== height) {
        if (attachments) retired.push(attachments);
        attachments = createAttachments(device, view, format, sampleCount);
        viewGroup = createBindGroup(device, 'view', layouts.view, viewBindings, {
          frame: uniforms,
          shadowMaps: shadows.view,
          contactShade: attachments.contact,
        });
      }
      if (show === 'color') {
        drawShadows(encoder);
        drawContact(encoder, attachments);
        drawPicture(encoder, target, attachments);
        const { depth } = attachments;
        transparency?.draw(encoder, { width, height, target, depth, view: viewGroup! }, retired, timings);
      } else {
        debugViews ??= createDebugViews(device, layouts, getSurfaceShaders(), drawn, surfaceGroups, {
          format,
          sampleCount,
        });
        debugViews.draw(encoder, show, target, attachments, timings.writes('draw-forward'));
        retired.push(...debugViews.takeRetired());
      }
      const readings = [timings.resolve(encoder)];
      if (velocity || ids) {
        surfaces ??= createSurfaceTargets(device, getSurfacePass());
        surfaces.draw(encoder, { velocity, ids, width, height });
        retired.push(...surfaces.takeRetired());
        readings.push(surfaces.timings.resolve(encoder));
      }
      lastSight = sightOf(view, origin);
      const recycle = uploads.close();
      const submitted = submissions.open(async () => {
        for (const unused of retired) unused.destroy();
        await Promise.all([recycle(), ...readings.map((read) => read())]);
      });
      return { submitted };
    },
    async pick(view, x, y) {
      expectOptions('view', view, PICK_VIEW);
      drawn.checkCast();
      const pixel = [Math.floor(x), Math.floor(y)] as const;
      if (!(x >= 0 && y >= 0 && pixel[0] < view.width && pixel[1] < view.height)) return undefined;
      drawn.show(undefined);
      picker ??= createPicker(device, crowd, getSurfacePass());
      const encoder = device.createCommandEncoder({ label: 'pick' });
      const scene = lightingOf(view);
      uploads.write(encoder, uniforms, 0, frameUniforms(view, scene, pixelLens(view, pixel), NO_SHADOWS));
      const read = picker.draw(encoder);
      const recycle = uploads.close();
      device.queue.submit([encoder.finish()]);
      const [picked] = await Promise.all([read(), recycle()]);
      return picked;
    },
    ready: () => compilePipelines(device),
    destroy() {
      [uniforms, uploads, shadows, timings, materials, primitives].forEach((owned) => owned.destroy());
      [attachments, surfaces, picker, debugViews, transparency].forEach((owned) => owned?.destroy());
    },
  };

  function getSurfaceShaders(): SurfaceShaders {
    return (surfaceShaders ??= createSurfaceShaders(device, layouts, materials, drawn.kinds, providers));
  }

  function getSurfacePass(): SurfacePass {
    return (surfacePass ??= createSurfacePass(getSurfaceShaders(), drawn, surfaceGroups));
  }

  function drawShadows(encoder: GPUCommandEncoder): void {
    shadows.passes.forEach(({ group, target }, i) => {
      const pass = encoder.beginRenderPass({
        label: 'draw-shadows',
        colorAttachments: [],
        depthStencilAttachment: { view: target, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
        ...timings.writes('draw-shadows', { first: i === 0, last: i === shadows.passes.length - 1 }),
      });
      pass.setBindGroup(0, group);
      pass.setBindGroup(3, materials.group);
      drawn.draw(pass, pipelines.shadow);
      pass.end();
    });
  }

  function drawContact(encoder: GPUCommandEncoder, { contact }: Attachments): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-contact',
      colorAttachments: [{ view: contact, clearValue: [1, 1, 1, 1], loadOp: 'clear', storeOp: 'store' }],
      ...timings.writes('draw-contact'),
    });
    pass.setBindGroup(0, frameGroup);
    drawn.drawQuads(pass, pipelines.contact);
    pass.end();
  }

  function drawPicture(encoder: GPUCommandEncoder, target: GPUTextureView, attachments: Attachments): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-forward',
      ...pictureAttachments(target, attachments, transparency !== undefined),
      ...timings.writes('draw-forward'),
    });
    pass.setBindGroup(0, viewGroup!);
    pass.setPipeline(pipelines.sky.pipeline);
    pass.draw(3);
    pass.setPipeline(pipelines.ground.pipeline);
    pass.draw(4);
    pass.setBindGroup(3, change?.group(drawn.memory) ?? materials.group);
    drawn.draw(pass, pipelines.draw, 'page', 'opaque');
    pass.end();
  }
}

/** The sun's depth, a layer per cascade. */
interface ShadowMaps {
  /** All of them, for `viewBindings`. */
  readonly view: GPUTextureView;
  readonly passes: readonly { readonly group: GPUBindGroup; readonly target: GPUTextureView }[];
  destroy(): void;
}

/** Offsets of uniforms are multiples of this on every device. */
const CASCADE_STRIDE = 256;

/** @param layout Of `shadowBindings`. */
function createShadowMaps(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  frame: GPUBuffer,
  { count, resolution }: { readonly count: number; readonly resolution: number },
): ShadowMaps {
  const texture = device.createTexture({
    label: 'shadow maps',
    size: [resolution, resolution, count],
    format: SHADOW_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
  });
  const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
  const indices = device.createBuffer({ label: 'cascades', size: CASCADE_STRIDE * count, usage });
  const passes = Array.from({ length: count }, (_, i) => {
    device.queue.writeBuffer(indices, CASCADE_STRIDE * i, Uint32Array.of(i, 0, 0, 0));
    const shadowPass = { buffer: indices, offset: CASCADE_STRIDE * i, size: ShadowPass.size };
    return {
      group: createBindGroup(device, 'shadow', layout, shadowBindings, { frame, shadowPass }),
      target: texture.createView({ dimension: '2d', baseArrayLayer: i, arrayLayerCount: 1 }),
    };
  });
  return {
    view: texture.createView({ dimension: '2d-array' }),
    passes,
    destroy: () => [texture, indices].forEach((owned) => owned.destroy()),
  };
}

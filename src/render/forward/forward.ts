import { fail } from '../../errors.ts';
import { expectDrawing, expectOptions, type Names } from '../../crowd/arguments.ts';
import { expectCrowd } from '../../crowd/internals.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { deviceTier } from '../../device/tier.ts';
import { Timings } from '../../device/timings.ts';
import { type Submission, Submissions } from '../../device/submissions.ts';
import { UploadRing } from '../../device/upload-ring.ts';
import type { CrowdView } from '../../frame/tables/crowd-view.ts';
import { createFilled, createUniform } from '../../frame/tables/memory.ts';
import { BOUND_AS_ARRAY, createBindGroup } from '../../layout/index.ts';
import { compilePipelines } from '../../stages/lazy-pipeline.ts';
import { storageCount } from '../../stages/provider-resources.ts';
import { normalize } from '../camera.ts';
import { checkImpostors, checkMemory, checkWhole } from '../checks.ts';
import type { ImpostorReadings } from '../impostors/impostors.ts';
import type { ImpostorOptions } from '../impostors/options.ts';
import type { DrawnImpostors } from '../impostors/quads.ts';
import { loadContactPoints } from '../contact-points.ts';
import {
  frameUniforms,
  NO_SHADOWS,
  shadowMask,
  type DrawnViews,
  type Lens,
  type Shadows,
} from '../lighting/frame-uniforms.ts';
import { CASCADE_LIMIT, frameBindings, FrameUniforms, viewBindings } from '../lighting/layout.ts';
import { lightingOf } from '../lighting/scene.ts';
import type { SurfaceChange } from '../lighting/surface-change.ts';
import { createMaterialTable } from '../materials/material-table.ts';
import { drawnFrame, expectPast, PictureViews, type SeenView } from '../picture-views.ts';
import type { EncodedPicture } from '../compatibility/encoded-picture.ts';
import type { Scenery } from '../scenery/scenery.ts';
import type { Transparency } from '../transparency/transparency.ts';
import { DrawnCrowd } from './drawn-crowd.ts';
import { DrawnProviders } from './drawn-providers.ts';
import { shadowBindings, ShadowPass } from './layout.ts';
import { lensOf, pixelLens, projectionOf, sightOf, type Sight } from './lens.ts';
import { pixelAt } from './pick.ts';
import {
  checkVertexStage,
  createDepth,
  createForwardPipelines,
  DEPTH_FORMAT,
  drawBackdrop,
  CONTACT_FORMAT,
} from './pipelines.ts';
import { typesOf } from './primitives.ts';
import { DebugViews } from './show.ts';
import { Picker, Surfaces } from './surfaces.ts';
import { FORWARD_VIEW, type ForwardView, PICK_VIEW, type PickHit, type PickView } from './view.ts';

/** How pictures are stored and sampled. */
export interface ForwardOptions {
  /**
   * Format of the pictures. It should be sRGB, since the renderer writes linear colours. Default rgba8unorm-srgb. At the compatibility
   * level, where canvases have no such views, pictures in rgba8unorm and bgra8unorm are encoded by a pass of their own.
   */
  readonly format?: GPUTextureFormat;
  /** 1 or 4 samples per pixel; default 4. Default and limit are 1 where a device of the compatibility level draws blended surfaces. */
  readonly sampleCount?: 1 | 4;
  /** Width and height of a shadow map, texels of 4 bytes. Default 2048, at most the device's `maxTextureDimension2D`. */
  readonly shadowResolution?: number;
  /** Number of shadow maps, 1 to 4; nearer ones are finer. Each draws all characters that may cast a shadow there. Default 3. */
  readonly cascadeCount?: number;
  /** Scenery around the crowd, drawn in every picture and map, with id 0. The caller keeps owning it. */
  readonly scenery?: Scenery;
  /** The application's change to surfaces of characters, for example by named columns. Columns that it reads must exist. */
  readonly surface?: SurfaceChange;
  /**
   * Draws far characters as impostors, in pictures in light, their shadow maps, motion vectors and ids. Not with `surface`, and
   * not at the compatibility level.
   */
  readonly impostors?: ImpostorOptions;
}

type Settings = Required<Omit<ForwardOptions, 'scenery' | 'surface' | 'impostors'>>;
type SeenFrame = Pick<ForwardView, 'camera' | 'lighting'> & { readonly views?: DrawnViews | undefined };

const FORWARD_OPTIONS: Names<ForwardOptions> = {
  format: true,
  sampleCount: true,
  shadowResolution: true,
  cascadeCount: true,
  scenery: true,
  surface: true,
  impostors: true,
};

const PASSES = [
  'choose-casters',
  'choose-impostors',
  'draw-shadows',
  'draw-contact',
  'draw-forward',
  'draw-blended',
  'draw-surfaces',
] as const;

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
   * Milliseconds on the GPU by pass, of the last picture that was read back. Passes are `choose-casters` and `choose-impostors`
   * (of shadow maps and of the picture, with their tiles), `draw-shadows`, `draw-contact`, `draw-forward`, `draw-blended`, and `draw-surfaces` (motion vectors and ids). The first read turns measuring on. It is empty
   * before the first readback, and on devices without the feature `timestamp-query`.
   */
  readonly timings: ReadonlyMap<string, number>;
  /** Far characters; undefined without the option `impostors`. */
  readonly impostors: ImpostorReadings | undefined;
  /** Frees everything that the renderer created. The crowd is not touched. */
  destroy(): void;
}

/**
 * Creates a renderer for one crowd, with all its textures decoded; `ready` compiles its pipelines. Its memory is
 * materials (see `createMaterialTable`), shadow maps, and attachments of the last picture's size. Those are depth and, with
 * 4 samples, colour: 4 bytes per sample each. The shade of feet has a byte per pixel. Motion vectors or ids add another
 * depth attachment.
 *
 * On devices of the compatibility level, where draws may have no storage buffers, they read textures instead. Every picture
 * then copies transforms, the visible list and vertex memory, which takes as much memory again: `skin: 'vertex'` keeps it small.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, IMAGE_UNDECODABLE, DEVICE_LIMIT (storage buffers that
 *   vertices read, texture size, samples), RENDER_FAILED (cascades), PROVIDER_INVALID (code of providers that draws run), CROWD_BAD_ARGUMENT and
 *   SURFACE_INVALID (`surface`). `impostors`: CROWD_BAD_ARGUMENT, RENDER_FAILED (sizes) and DEVICE_LIMIT (compatibility level)
 * @example
 *   const renderer = await createForwardRenderer(device, crowd);
 *   const drawn = renderer.render(encoder, { camera, bounds, target: picture.view, width: 1280, height: 720 });
 *   device.queue.submit([encoder.finish()]);
 *   await drawn.submitted();
 */
export async function createForwardRenderer(
  device: GPUDevice,
  crowd: Crowd,
  options: ForwardOptions = {},
): Promise<ForwardRenderer> {
  expectCrowd(crowd);
  expectOptions('options', options, FORWARD_OPTIONS);
  const { shadowResolution = 2048, cascadeCount = 3, scenery, surface, impostors: far } = options;
  const { format, encoded } = await formatOf(device, options.format);
  checkMemory(crowd);
  if (far) checkImpostors(device, surface !== undefined);
  checkWhole('cascadeCount', cascadeCount, 1, CASCADE_LIMIT);
  const providers = new DrawnProviders(crowd);
  checkVertexStage(device, storageCount(providers.used));
  const characters = typesOf(crowd, scenery).map(({ character }) => character);
  const materials = await createMaterialTable(device, characters, GPUShaderStage.FRAGMENT);
  const shading = { materials, visibility: GPUShaderStage.FRAGMENT };
  const change =
    surface && new (await import('../lighting/changed-surfaces.ts')).ChangedSurfaces(device, crowd, surface, shading);
  await change?.check('draws', providers.names);
  await loadContactPoints(characters);
  const rows =
    deviceTier(device) === 'compatibility'
      ? new (await import('../compatibility/row-textures.ts')).RowTextures(device)
      : undefined;
  const drawn = new DrawnCrowd(device, crowd, { materials, providers, scenery, change, rows });
  const hasBlended = drawn.kinds.some(({ blended }) => blended);
  const sampleCount = samplesOf(device, options.sampleCount, hasBlended);
  const transparency = hasBlended
    ? new (await import('../transparency/transparency.ts')).Transparency(drawn, format, sampleCount)
    : undefined;
  const settings = { format, sampleCount, shadowResolution, cascadeCount };
  const impostors =
    far && (await import('../impostors/quads.ts')).createDrawnImpostors(drawn, far, format, sampleCount);
  const renderer = new DirectRenderer(drawn, settings, { transparency, encoded, impostors });
  await providers.check();
  return renderer;
}

/** Formats that store codes of sRGB where a device has no sRGB views of them. */
const CODES: ReadonlySet<GPUTextureFormat> = new Set(['rgba8unorm', 'bgra8unorm']);

/** The format that pictures are drawn in, and what encodes them for a target of another one. */
async function formatOf(device: GPUDevice, format: GPUTextureFormat = 'rgba8unorm-srgb') {
  if (deviceTier(device) === 'core' || !CODES.has(format)) return { format, encoded: undefined };
  const { EncodedPicture, ENCODED_FROM } = await import('../compatibility/encoded-picture.ts');
  return { format: ENCODED_FROM, encoded: new EncodedPicture(device, format) };
}

/** @throws ManipleError DEVICE_LIMIT: sums of blended surfaces have one sample at the compatibility level */
function samplesOf(device: GPUDevice, wanted: 1 | 4 | undefined, hasBlended: boolean): 1 | 4 {
  const most = hasBlended && deviceTier(device) === 'compatibility' ? 1 : 4;
  const { sampleCount = most } = { ...(wanted && { sampleCount: wanted }) };
  if (sampleCount <= most) return sampleCount;
  const message = `Got ${sampleCount} samples; blended surfaces have 1 on devices of the compatibility level.`;
  return fail('DEVICE_LIMIT', 'sampleCount', message, 'Use sampleCount: 1, or leave it out.');
}

/** Parts that only some renderers have. */
interface Extensions {
  readonly transparency: Transparency | undefined;
  readonly encoded: EncodedPicture | undefined;
  readonly impostors: DrawnImpostors | undefined;
}

class DirectRenderer implements ForwardRenderer {
  readonly #drawn: DrawnCrowd;
  readonly #settings: Settings;
  readonly #transparency: Transparency | undefined;
  readonly impostors: DrawnImpostors | undefined;
  readonly #encoded: EncodedPicture | undefined;
  readonly #uniforms: GPUBuffer;
  readonly #shadows: ShadowMaps;
  /** Group 0 without light. */
  readonly #frame: GPUBindGroup;
  readonly #pipelines: ReturnType<typeof createForwardPipelines>;
  readonly #timings: Timings;
  readonly #uploads: UploadRing;
  readonly #submissions = new Submissions();
  readonly #views: PictureViews;
  #attachments: Attachments | undefined;
  /** Group 0 in light, with the attachments. */
  #view: GPUBindGroup | undefined;
  #lastSight: Sight | undefined;
  // created by the first picture that needs them
  #surfaces: Surfaces | undefined;
  #surfaceDepth: GPUTexture | undefined;
  #picker: Picker | undefined;
  #debugViews: DebugViews | undefined;

  constructor(drawn: DrawnCrowd, settings: Settings, { transparency, encoded, impostors }: Extensions) {
    const { device, layouts } = drawn;
    const { format, sampleCount, cascadeCount, shadowResolution } = settings;
    this.#drawn = drawn;
    this.#settings = settings;
    this.#transparency = transparency;
    this.#encoded = encoded;
    this.impostors = impostors;
    this.#uniforms = createUniform(device, 'frame', FrameUniforms, {});
    this.#shadows = new ShadowMaps(device, layouts.shadow, this.#uniforms, cascadeCount, shadowResolution);
    this.#frame = createBindGroup(device, 'frame', layouts.frame, frameBindings, { frame: this.#uniforms });
    this.#pipelines = createForwardPipelines(drawn, format, sampleCount, impostors?.quads.drawCode);
    this.#timings = new Timings(device, PASSES, false);
    this.#uploads = new UploadRing(device);
    this.#views = new PictureViews(cascadeCount, shadowResolution);
  }

  get timings(): ReadonlyMap<string, number> {
    return new Map(this.#timings.read());
  }

  crowdViews(view: SeenView): readonly CrowdView[] {
    return this.#views.crowdViews(view);
  }

  render(encoder: GPUCommandEncoder, view: ForwardView): Submission {
    expectDrawing(encoder, view, FORWARD_VIEW);
    this.#submissions.expectFew();
    this.#drawn.checkCast();
    const { debugView = 'color' } = view;
    if (view.velocity || debugView === 'velocity') expectPast(this.#drawn.crowd, 'velocity');
    const { memory, origin, views: crowdViews } = drawnFrame(this.#drawn.crowd, view.frame);
    const views = view.views ?? this.#views.mask(crowdViews);
    const retired: { destroy(): void }[] = [];
    this.#drawn.show(memory, encoder, retired);
    const lens = lensOf(view, this.#lastSight && projectionOf(this.#lastSight, origin));
    const maps = { cascades: this.#views.cascades(view), resolution: this.#settings.shadowResolution };
    this.#writeUniforms(encoder, { ...view, views }, lens, maps);
    const attachments = this.#prepareAttachments(view, retired);
    const target = this.#encoded?.view(view.width, view.height, retired) ?? view.target;
    const drawsTargets = view.velocity !== undefined || view.ids !== undefined;
    if (debugView === 'color' || drawsTargets) this.impostors?.open(encoder, memory, retired);
    if (debugView === 'color') {
      this.#chooseCasters(encoder, view, views, lens);
      this.#drawShadows(encoder);
      this.#chooseImpostors(encoder, view, views, lens);
      this.#drawContact(encoder, attachments.contact);
      this.#drawPicture(encoder, target, attachments);
      this.#transparency?.draw(encoder, { ...attachments, target, view: this.#view! }, retired, this.#timings);
    } else {
      const { format, sampleCount } = this.#settings;
      this.#debugViews ??= new DebugViews(this.#prepareSurfaces(), format, sampleCount);
      const descriptor = { ...pictureAttachments(target, attachments), ...this.#timings.writes('draw-forward') };
      this.#debugViews.draw(encoder, debugView, descriptor, retired);
    }
    this.#encoded?.draw(encoder, view.target);
    if (drawsTargets && debugView !== 'color') this.#chooseImpostors(encoder, view, views, lens);
    if (drawsTargets) this.#drawSurfaces(encoder, view, retired);
    this.#lastSight = sightOf(view, origin);
    const after = [this.#uploads.close(), this.#timings.resolve(encoder)];
    const submitted = this.#submissions.open(async () => {
      for (const unused of retired) unused.destroy();
      await Promise.all(after.map((finish) => finish()));
    });
    return { submitted };
  }

  async pick(view: PickView, x: number, y: number): Promise<PickHit | undefined> {
    expectOptions('view', view, PICK_VIEW);
    this.#drawn.checkCast();
    const pixel = pixelAt(view, x, y);
    if (!pixel) return undefined;
    this.#picker ??= new Picker(this.#prepareSurfaces());
    const { device } = this.#drawn;
    const encoder = device.createCommandEncoder({ label: 'pick' });
    const retired: { destroy(): void }[] = [];
    this.#drawn.show(undefined, encoder, retired);
    this.#writeUniforms(encoder, view, pixelLens(view, pixel), NO_SHADOWS);
    const read = this.#picker.draw(encoder);
    const recycle = this.#uploads.close();
    device.queue.submit([encoder.finish()]);
    const [picked] = await Promise.all([read(), recycle()]);
    for (const unused of retired) unused.destroy();
    return picked;
  }

  ready(): Promise<void> {
    return compilePipelines(this.#drawn.device);
  }

  destroy(): void {
    const { materials } = this.#drawn;
    const owned = [this.#uniforms, this.#uploads, this.#shadows, this.#timings, materials, this.#drawn];
    const pictures = [this.#attachments, this.#surfaceDepth, this.#transparency, this.#encoded, this.impostors];
    const optional = [...pictures, this.#picker, this.#debugViews];
    for (const each of [...owned, ...optional]) each?.destroy();
  }

  #writeUniforms(encoder: GPUCommandEncoder, view: SeenFrame, lens: Lens, maps: Shadows): void {
    this.#uploads.write(encoder, this.#uniforms, 0, frameUniforms(view, lightingOf(view), lens, maps));
  }

  /** Returns attachments of the picture's size. Creates them again if the size has changed. */
  #prepareAttachments(view: ForwardView, retired: { destroy(): void }[]): Attachments {
    const { width, height } = view;
    const last = this.#attachments;
    if (last?.width === width && last.height === height) return last;
    if (last) retired.push(last);
    const { device, layouts } = this.#drawn;
    const { format, sampleCount } = this.#settings;
    const attachments = createAttachments(device, view, format, sampleCount);
    this.#attachments = attachments;
    this.#view = createBindGroup(device, 'view', layouts.view, viewBindings, {
      frame: this.#uniforms,
      shadowMaps: this.#shadows.view,
      contactShade: attachments.contact,
    });
    return attachments;
  }

  #prepareSurfaces(): Surfaces {
    return (this.#surfaces ??= new Surfaces(this.#drawn, this.#frame));
  }

  /** Draws motion vectors and ids, with depth of the last picture's size. */
  #drawSurfaces(encoder: GPUCommandEncoder, view: ForwardView, retired: { destroy(): void }[]): void {
    const { width, height } = view;
    if (this.#surfaceDepth?.width !== width || this.#surfaceDepth.height !== height) {
      if (this.#surfaceDepth) retired.push(this.#surfaceDepth);
      this.#surfaceDepth = createDepth(this.#drawn.device, 'depth', width, height);
    }
    const timestamps = this.#timings.writes('draw-surfaces');
    this.#prepareSurfaces().drawTargets(encoder, view, this.#surfaceDepth, 'opaque', timestamps, this.impostors);
  }

  #chooseImpostors(encoder: GPUCommandEncoder, view: SeenFrame, views: DrawnViews | undefined, lens: Lens): void {
    const seen = { eye: view.camera.eye, lens, views: views?.picture ?? 0xffffffff };
    this.impostors?.choose(encoder, this.#uploads, seen, 'choose-impostors', this.#timings);
  }

  /** Chooses the impostors of all shadow maps. */
  #chooseCasters(encoder: GPUCommandEncoder, view: SeenFrame, views: DrawnViews | undefined, lens: Lens): void {
    const { passes } = this.#shadows;
    const mask = passes.reduce((all, _, cascade) => (all | shadowMask(views, cascade)) >>> 0, 0);
    const sunDirection = normalize(lightingOf(view).sunDirection);
    const seen = { eye: view.camera.eye, lens, views: mask, sunDirection };
    this.impostors?.choose(encoder, this.#uploads, seen, 'choose-casters', this.#timings);
  }

  #drawShadows(encoder: GPUCommandEncoder): void {
    const { passes } = this.#shadows;
    passes.forEach(({ group, target }, i) => {
      const pass = encoder.beginRenderPass({
        label: 'draw-shadows',
        colorAttachments: [],
        depthStencilAttachment: { view: target, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
        ...this.#timings.writes('draw-shadows', { first: i === 0, last: i === passes.length - 1 }),
      });
      pass.setBindGroup(0, group);
      pass.setBindGroup(3, this.#drawn.materials.group);
      this.#drawn.draw(pass, this.#pipelines.shadow, 'page', 'all', this.impostors?.meshes);
      this.impostors?.quads.draw(pass, 'shadow');
      pass.end();
    });
  }

  #drawContact(encoder: GPUCommandEncoder, contact: GPUTextureView): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-contact',
      colorAttachments: [{ view: contact, clearValue: [1, 1, 1, 1], loadOp: 'clear', storeOp: 'store' }],
      ...this.#timings.writes('draw-contact'),
    });
    pass.setBindGroup(0, this.#frame);
    this.#drawn.drawQuads(pass, this.#pipelines.contact);
    pass.end();
  }

  #drawPicture(encoder: GPUCommandEncoder, target: GPUTextureView, attachments: Attachments): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-forward',
      ...pictureAttachments(target, attachments, this.#transparency !== undefined),
      ...this.#timings.writes('draw-forward'),
    });
    pass.setBindGroup(0, this.#view!);
    drawBackdrop(pass, this.#pipelines.backdrop);
    pass.setBindGroup(3, this.#drawn.litMaterials);
    this.#drawn.draw(pass, this.#pipelines.draw, 'page', 'opaque', this.impostors?.meshes);
    this.impostors?.quads.draw(pass, 'picture');
    pass.end();
  }
}

/** Offsets of uniforms are multiples of this on every device. */
const CASCADE_STRIDE = 256;

/** The sun's depth, a layer per cascade. */
class ShadowMaps {
  /** All of them, for `viewBindings`. */
  readonly view: GPUTextureView;
  readonly passes: readonly { readonly group: GPUBindGroup; readonly target: GPUTextureView }[];
  readonly #texture: GPUTexture;
  readonly #indices: GPUBuffer;

  /** @param layout Of `shadowBindings`. */
  constructor(device: GPUDevice, layout: GPUBindGroupLayout, frame: GPUBuffer, count: number, resolution: number) {
    this.#texture = device.createTexture({
      label: 'shadow maps',
      size: [resolution, resolution, count],
      format: DEPTH_FORMAT,
      ...BOUND_AS_ARRAY,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
    });
    this.view = this.#texture.createView({ dimension: '2d-array' });
    const words = new Uint32Array((CASCADE_STRIDE / 4) * count);
    for (let i = 0; i < count; i++) words[(CASCADE_STRIDE / 4) * i] = i;
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    this.#indices = createFilled(device, 'cascades', usage, words);
    this.passes = Array.from({ length: count }, (_, i) => {
      const shadowPass = { buffer: this.#indices, offset: CASCADE_STRIDE * i, size: ShadowPass.size };
      return {
        group: createBindGroup(device, 'shadow', layout, shadowBindings, { frame, shadowPass }),
        target: this.#texture.createView({ dimension: '2d', baseArrayLayer: i, arrayLayerCount: 1 }),
      };
    });
  }

  destroy(): void {
    this.#texture.destroy();
    this.#indices.destroy();
  }
}

type Attachments = ReturnType<typeof createAttachments>;

/** Textures that are drawn to in addition to the caller's target, of the last picture's size. */
function createAttachments(
  device: GPUDevice,
  { width, height }: { readonly width: number; readonly height: number },
  format: GPUTextureFormat,
  sampleCount: number,
) {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const size = [width, height];
  // SwiftShader resolves samples by the formats of the textures, not of the views. A canvas's texture is never sRGB, so
  // resolving an sRGB texture to it would store linear light: too dark. With a plain texture it averages codes, which
  // darkens edges a little. GPUs use the formats of the views (measured: NVIDIA), and there it makes no difference.
  // Textures of the compatibility level have no views of other formats, and its canvases no sRGB views.
  const stored = deviceTier(device) === 'core' ? (format.replace('-srgb', '') as GPUTextureFormat) : format;
  const viewFormats = stored === format ? [] : [format];
  const samples = { label: 'samples', size, format: stored, viewFormats, sampleCount, usage };
  const color = sampleCount > 1 ? device.createTexture(samples) : undefined;
  const depth = device.createTexture({ label: 'depth', size, format: DEPTH_FORMAT, sampleCount, usage });
  const read = usage | GPUTextureUsage.TEXTURE_BINDING;
  const contact = device.createTexture({ label: 'contact shade', size, format: CONTACT_FORMAT, usage: read });
  return {
    width,
    height,
    /** The shade of feet. It is drawn first and then read. */
    contact: contact.createView(),
    /** The multisampled picture, when there are several samples. */
    color: color?.createView({ format }),
    depth: depth.createView(),
    destroy: () => [color, depth, contact].forEach((texture) => texture?.destroy()),
  };
}

/** A picture's attachments, cleared to black. @param keepsDepth Stores depth, for passes that draw over the picture. */
function pictureAttachments(
  target: GPUTextureView,
  { color, depth }: Attachments,
  keepsDepth = false,
): Pick<GPURenderPassDescriptor, 'colorAttachments' | 'depthStencilAttachment'> {
  return {
    colorAttachments: [
      {
        ...(color ? { view: color, resolveTarget: target } : { view: target }),
        clearValue: [0, 0, 0, 1],
        loadOp: 'clear',
        storeOp: color ? 'discard' : 'store',
      },
    ],
    depthStencilAttachment: {
      view: depth,
      depthClearValue: 0,
      depthLoadOp: 'clear',
      depthStoreOp: keepsDepth ? 'store' : 'discard',
    },
  };
}

import type { Character } from '../../asset/character.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail } from '../../errors.ts';
import type { DrawMemory } from '../../frame/backend.ts';
import type { PlacedDraws } from '../../frame/plan.ts';
import { Timings } from '../../frame/timings.ts';
import { UploadRing } from '../../frame/upload-ring.ts';
import { View, createBindGroup } from '../../layout/index.ts';
import { geometryBindings } from '../../stages/layout.ts';
import { clipFromWorld, cross, normalize, subtract, type Camera, type Vector } from '../camera.ts';
import { DrawnRun, FrameUniforms, frameBindings, pageBindings, viewBindings } from './layout.ts';
import { checkTexturePixels, createDrawnCharacter, type DrawnCharacter } from './materials.ts';
import { DEPTH_FORMAT, SHADOW_FORMAT, createForwardPipelines } from './pipelines.ts';
import { sunView, type Bounds } from './sun.ts';

/** How pictures are stored and sampled. */
export interface ForwardOptions {
  /** Format of the pictures; an sRGB one, since the renderer writes linear colours. Default rgba8unorm-srgb. */
  readonly format?: GPUTextureFormat;
  /** 1 or 4 samples per pixel; default 4. */
  readonly sampleCount?: 1 | 4;
  /** Texels of the shadow map each way, 4 bytes each; default 2048, at most the device's `maxTextureDimension2D`. */
  readonly shadowResolution?: number;
}

/**
 * Light and surroundings. Colours are linear RGB, 0 or more, without a physical unit: a sun of 1 adds 1 to a white
 * surface that faces it. All of them go through `exposure` and a filmic curve.
 */
export interface Scene {
  /** From the ground towards the sun, in world space; of any length. */
  readonly sunDirection: Vector;
  readonly sunColor: Vector;
  /** Of the sky overhead, and of the light that falls on what faces up. */
  readonly skyColor: Vector;
  /** What sky and ground fade into. */
  readonly horizonColor: Vector;
  /** Base colour of the ground; about half of it lights what faces down. */
  readonly groundColor: Vector;
  /** Metres: world y of the ground, which is flat and has no end. */
  readonly groundHeight: number;
  /** Factor of all light before the curve. */
  readonly exposure: number;
  /** Metres from the eye at which a twentieth of a thing's own colour is left, and the rest is the horizon's. */
  readonly fadeDistance: number;
}

/** A clear afternoon on dry grass: what a view's `scene` changes parts of. */
export const DEFAULT_SCENE: Scene = {
  sunDirection: [0.55, 0.72, 0.42],
  sunColor: [2.9, 2.55, 2.05],
  skyColor: [0.36, 0.52, 0.8],
  horizonColor: [0.78, 0.8, 0.8],
  groundColor: [0.33, 0.29, 0.17],
  groundHeight: 0,
  exposure: 0.78,
  fadeDistance: 160,
};

/** One picture to draw. */
export interface ForwardView {
  readonly camera: Camera;
  /** Where the picture goes; of the renderer's format. */
  readonly target: GPUTextureView;
  /** Pixels of the target, exactly. */
  readonly width: number;
  readonly height: number;
  /** What casts and receives shadows, metres in world space; the smaller, the finer the shadows. */
  readonly bounds: Bounds;
  /** What differs from {@link DEFAULT_SCENE}. */
  readonly scene?: Partial<Scene>;
  /**
   * Views of the crowd's last frame, a bit each, whose characters are drawn: in the picture, and into the shadow map.
   * Default: whoever any view sees.
   */
  readonly views?: { readonly picture: number; readonly shadow: number };
}

const PASSES = ['draw-shadows', 'draw-forward'] as const;

/**
 * A plain renderer: sun with a shadow map, sky, ground with soft contact, base colour, vertex colour, alpha mask.
 * It draws straight from the crowd's skinned slots, one indirect draw call per page, type, level and primitive.
 */
export interface ForwardRenderer {
  /**
   * Records a picture of the crowd as its last recorded frame left it; any number of pictures may go into one encoder.
   * Returns what to call after submitting; its promise resolves when the picture is drawn and `timings` are read, and
   * rejects with DEVICE_LOST.
   */
  render(encoder: GPUCommandEncoder, view: ForwardView): () => Promise<void>;
  /**
   * Milliseconds on the GPU by pass (`draw-shadows`, `draw-forward`), of the last picture that was read back; empty
   * before the first, and on devices without the feature `timestamp-query`.
   */
  readonly timings: ReadonlyMap<string, number>;
  /** Frees what the renderer made; the crowd is left alone. */
  destroy(): void;
}

/**
 * Creates a renderer for one crowd, with all its textures decoded and its pipelines compiled. Memory: textures at
 * 5.3 bytes per pixel, of at most 2²⁸ pixels, the shadow map, and for the last picture's size a depth attachment and, with 4 samples, one of
 * colours: 4 bytes per sample each.
 *
 * @throws ManipleError RENDER_FAILED when the crowd has no GPU memory, IMAGE_UNDECODABLE
 * @example
 *   const renderer = await createForwardRenderer(device, crowd);
 *   const drawn = renderer.render(encoder, { camera, bounds, target: picture.view, width: 1280, height: 720 });
 *   device.queue.submit([encoder.finish()]);
 *   await drawn();
 */
export async function createForwardRenderer(
  device: GPUDevice,
  crowd: Crowd,
  { format = 'rgba8unorm-srgb', sampleCount = 4, shadowResolution = 2048 }: ForwardOptions = {},
): Promise<ForwardRenderer> {
  if (!crowd.backend.memory) {
    const suggestion = "Create it with a device; one on the CPU takes a device as well: { backend: 'cpu' }.";
    fail('RENDER_FAILED', 'crowd', 'has no device, so there is nothing to draw from.', suggestion);
  }
  checkTexturePixels(crowd.tables.types.map(({ character }) => character));
  const pipelines = createForwardPipelines(device, format, sampleCount);
  const { layouts } = pipelines;
  const characters = new Map<Character, DrawnCharacter>();
  for (const { character } of crowd.tables.types) {
    characters.set(character, await createDrawnCharacter(device, layouts.material, character));
  }
  const uniforms = device.createBuffer({
    label: 'frame',
    size: FrameUniforms.size,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  const shadowMap = device.createTexture({
    label: 'shadow map',
    size: [shadowResolution, shadowResolution],
    format: SHADOW_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
  });
  const shadowSampler = device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
  const frameGroup = createBindGroup(device, 'frame', layouts.frame, frameBindings, { frame: uniforms });
  const viewGroup = createBindGroup(device, 'view', layouts.view, viewBindings, {
    frame: uniforms,
    shadowMap: shadowMap.createView(),
    shadowSampler,
  });
  // crowds that have grown have other buffers
  const geometryGroups = new WeakMap<GPUBuffer, GPUBindGroup>();
  const runGroups = new WeakMap<PlacedDraws, GPUBindGroup>();
  const timings = new Timings(device, PASSES);
  const uploads = new UploadRing(device);
  let attachments: Attachments | undefined;

  return {
    timings: timings.latest,
    render(encoder, view) {
      checkCast();
      const scene = { ...DEFAULT_SCENE, ...view.scene };
      const { buffer } = frameUniforms(view, scene, shadowResolution);
      uploads.write(encoder, uniforms, 0, new Uint8Array(buffer));
      const retired: Attachments[] = [];
      if (attachments?.width !== view.width || attachments.height !== view.height) {
        if (attachments) retired.push(attachments);
        attachments = createAttachments(device, view, format, sampleCount);
      }
      drawShadows(encoder);
      drawPicture(encoder, view, attachments);
      const recycle = uploads.close();
      const readTimings = timings.resolve(encoder);
      return async () => {
        for (const unused of retired) unused.destroy();
        await Promise.all([recycle(), readTimings()]);
      };
    },
    destroy() {
      [uniforms, uploads, shadowMap, timings, ...characters.values()].forEach((owned) => owned.destroy());
      attachments?.destroy();
    },
  };

  function checkCast(): void {
    if (crowd.tables.types.every(({ character }) => characters.has(character))) return;
    fail('RENDER_FAILED', 'crowd', 'has taken on characters since this renderer was made.', 'Create it anew.');
  }

  function drawShadows(encoder: GPUCommandEncoder): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-shadows',
      colorAttachments: [],
      depthStencilAttachment: {
        view: shadowMap.createView(),
        depthClearValue: 1,
        depthLoadOp: 'clear',
        depthStoreOp: 'store',
      },
      ...timings.writes('draw-shadows'),
    });
    pass.setBindGroup(0, frameGroup);
    drawCharacters(pass, pipelines.shadow);
    pass.end();
  }

  function drawPicture(encoder: GPUCommandEncoder, { target }: ForwardView, { color, depth }: Attachments): void {
    const pass = encoder.beginRenderPass({
      label: 'draw-forward',
      colorAttachments: [
        {
          ...(color ? { view: color, resolveTarget: target } : { view: target }),
          clearValue: [0, 0, 0, 1],
          loadOp: 'clear',
          storeOp: color ? 'discard' : 'store',
        },
      ],
      depthStencilAttachment: { view: depth, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'discard' },
      ...timings.writes('draw-forward'),
    });
    pass.setBindGroup(0, viewGroup);
    pass.setPipeline(pipelines.sky);
    pass.draw(3);
    pass.setPipeline(pipelines.ground);
    pass.draw(4);
    drawContacts(pass);
    drawCharacters(pass, pipelines.draw);
    pass.end();
  }

  function drawContacts(pass: GPURenderPassEncoder): void {
    pass.setPipeline(pipelines.contact);
    const { draws, targets, crowd: columns } = crowd.backend.memory!;
    pass.setBindGroup(1, geometryGroup(columns.geometry));
    for (const draw of draws) {
      const first = characters.get(draw.type.character)!.primitives[0];
      if (!first) continue;
      pass.setBindGroup(2, runGroup(draw));
      pass.setBindGroup(3, first.material);
      pass.drawIndirect(targets, draw.quadByte);
    }
  }

  function drawCharacters(pass: GPURenderPassEncoder, pipelineFor: (doubleSided: boolean) => GPURenderPipeline): void {
    const { draws, targets, crowd: columns } = crowd.backend.memory!;
    pass.setBindGroup(1, geometryGroup(columns.geometry));
    pass.setIndexBuffer(columns.indices, 'uint32');
    for (const draw of draws) {
      pass.setBindGroup(2, runGroup(draw));
      characters.get(draw.type.character)!.primitives.forEach(({ material, doubleSided }, index) => {
        pass.setPipeline(pipelineFor(doubleSided));
        pass.setBindGroup(3, material);
        pass.drawIndexedIndirect(targets, draw.primitiveBytes[index]!);
      });
    }
  }

  function geometryGroup(geometry: GPUBuffer): GPUBindGroup {
    const buffers = { geometry4: geometry, geometry1: geometry };
    const group =
      geometryGroups.get(geometry) ?? createBindGroup(device, 'geometry', layouts.geometry, geometryBindings, buffers);
    geometryGroups.set(geometry, group);
    return group;
  }

  function runGroup(draw: PlacedDraws): GPUBindGroup {
    let group = runGroups.get(draw);
    if (!group) {
      const { crowd: columns, targets, page }: DrawMemory = crowd.backend.memory!;
      const { visible, transforms, residents } = columns;
      const run = { buffer: targets, offset: draw.recordByte, size: DrawnRun.size };
      const { skinned } = page(draw.pageIndex);
      group = createBindGroup(device, 'run', layouts.page, pageBindings, {
        run,
        residents,
        visible,
        transforms,
        skinned,
      });
      runGroups.set(draw, group);
    }
    return group;
  }
}

interface Attachments {
  readonly width: number;
  readonly height: number;
  /** The multisampled picture, when there are several samples. */
  readonly color: GPUTextureView | undefined;
  readonly depth: GPUTextureView;
  destroy(): void;
}

function createAttachments(
  device: GPUDevice,
  { width, height }: ForwardView,
  format: GPUTextureFormat,
  sampleCount: number,
): Attachments {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT;
  const size = [width, height];
  // SwiftShader resolves by the formats of the textures and not of the views. A canvas's texture is never an sRGB one,
  // so what goes there from one would come out in linear light: too dark. From a plain one it averages codes, which
  // darkens edges a little. GPUs go by the views (measured: NVIDIA), and there it makes no difference.
  const stored = format.replace('-srgb', '') as GPUTextureFormat;
  const color =
    sampleCount > 1
      ? device.createTexture({ label: 'samples', size, format: stored, viewFormats: [format], sampleCount, usage })
      : undefined;
  const depth = device.createTexture({ label: 'depth', size, format: DEPTH_FORMAT, sampleCount, usage });
  return {
    width,
    height,
    color: color?.createView({ format }),
    depth: depth.createView(),
    destroy: () => [color, depth].forEach((texture) => texture?.destroy()),
  };
}

function frameUniforms(
  { camera, width, height, bounds, views }: ForwardView,
  scene: Scene,
  shadowResolution: number,
): Uint32Array<ArrayBuffer> {
  const view = new View(FrameUniforms, 1);
  const { sunFromWorld, texel } = sunView(scene.sunDirection, bounds, shadowResolution);
  const forward = normalize(subtract(camera.target, camera.eye));
  const right = normalize(cross(forward, camera.up ?? [0, 1, 0]));
  const up = cross(right, forward);
  const slope = Math.tan((camera.fovY ?? Math.PI / 4) / 2);
  const scaled = (v: Vector, factor: number) => v.map((c) => c * factor);
  view.assign(0, {
    clipFromWorld: clipFromWorld(camera, width / height),
    sunFromWorld,
    eye: camera.eye,
    fadeDistance: scene.fadeDistance,
    sunDirection: normalize(scene.sunDirection),
    shadowTexel: texel,
    sunColor: scene.sunColor,
    exposure: scene.exposure,
    skyColor: scene.skyColor,
    groundHeight: scene.groundHeight,
    horizonColor: scene.horizonColor,
    shadowStep: 1 / shadowResolution,
    groundColor: scene.groundColor,
    pictureViews: views?.picture ?? 0xffffffff,
    shadowViews: views?.shadow ?? 0xffffffff,
    skyRight: scaled(right, (slope * width) / height),
    skyUp: scaled(up, slope),
    skyForward: forward,
  });
  return view.words;
}

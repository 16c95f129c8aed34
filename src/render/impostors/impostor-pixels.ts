import type { Crowd } from '../../crowd/crowd.ts';
import { createUniform } from '../../frame/tables/memory.ts';
import { createBindGroup, createBindGroupLayout } from '../../layout/index.ts';
import { createKernel, type Dispatch } from '../../stages/kernel.ts';
import { perDevice } from '../../stages/per-device.ts';
import { DrawnCrowd, type DrawnParts } from '../forward/drawn-crowd.ts';
import { DrawnProviders } from '../forward/drawn-providers.ts';
import { checkVertexStage } from '../forward/pipelines.ts';
import { viewBindings } from '../lighting/layout.ts';
import type { RasterVariant } from '../visibility/raster-triangles/stage.ts';
import { Impostors, type BoundImpostors, type ImpostorQuads } from './impostors.ts';
import { impostorBindings } from './layout.ts';
import type { ImpostorOptions } from './options.ts';
import { colorBindings, ImpostorLayer, rasterBindings, shadeBindings, wideRasterBindings } from './pixel-layout.ts';
import { kernels as rasterCode } from './raster.gen.ts';
import { impostorResources } from './resources.ts';
import { kernels as shadeCode } from './shade.gen.ts';

const [RASTER, SHADE] = ['raster-impostors', 'shade-impostors'] as const;
/** Pixels that a workgroup of shade-impostors lights, each way. */
const SHADE_GROUP = 8;

/** Impostors of the visibility renderer. */
export type PixelImpostors = Impostors<ImpostorKernels>;

/** Textures of a picture that has been shaded. */
interface ShadedTextures {
  readonly width: number;
  readonly height: number;
  readonly visibility: GPUTextureView;
  readonly color: GPUTextureView;
  readonly surfaces:
    | { readonly motion: GPUTextureView; readonly ids: GPUTexture; readonly normals: GPUTextureView }
    | undefined;
}

/** A layer of raster-triangles. */
interface RasterPass {
  readonly views: GPUBuffer;
  readonly raster: GPUBuffer;
  readonly visibility: GPUBuffer;
  readonly variant: RasterVariant;
  readonly isShadow: boolean;
  readonly groupCount: Dispatch['groupCount'];
}

/** Draws and lights impostors by compute, in the visibility buffer. Shadow maps and the picture are drawn at once, so both choices are kept. */
class ImpostorKernels implements ImpostorQuads {
  readonly choiceCount = 2;
  readonly #drawn: DrawnCrowd;
  readonly #frame: GPUBuffer;
  readonly #layout: GPUBindGroupLayout;
  #bound: { readonly group: GPUBindGroup; readonly lists: BoundImpostors['lists'] } | undefined;
  #layers: readonly GPUBuffer[] = [];

  /** @param frame The uniform of pictures. */
  constructor(drawn: DrawnCrowd, frame: GPUBuffer) {
    this.#drawn = drawn;
    this.#frame = frame;
    this.#layout = perDevice(drawn.device, 'impostor pixels', () =>
      createBindGroupLayout(drawn.device, 'impostors', impostorBindings),
    );
  }

  /** Changes where resources do, and what is bound to them has to be bound again. */
  get version(): unknown {
    return this.#bound;
  }

  /** By row of the crowd's list: choices of shadow maps, and then those of the picture. */
  get choices(): GPUBuffer {
    return this.#bound!.lists.choices;
  }

  bind(bound: BoundImpostors): void {
    const { device } = this.#drawn;
    const { lists } = bound;
    const resources = impostorResources(device, bound);
    this.#bound = { group: createBindGroup(device, 'impostors', this.#layout, impostorBindings, resources), lists };
    for (const layer of this.#layers) layer.destroy();
    this.#layers = [0, 1].map((choice) => {
      const values = { first: choice * lists.rowCapacity, countWord: lists.quadTargets(choice) + 1 };
      return createUniform(device, 'impostor layer', ImpostorLayer, { ...values, isParallel: Number(choice === 0) });
    });
  }

  bindRaster({ variant, isShadow, groupCount, ...buffers }: RasterPass): Dispatch {
    const { device } = this.#drawn;
    const bindings = (variant === 'wide' ? wideRasterBindings : rasterBindings) as typeof rasterBindings;
    const own = perDevice(device, `${RASTER} ${variant}`, () => createBindGroupLayout(device, RASTER, bindings));
    const kernel = createKernel(device, {
      label: RASTER,
      variant,
      code: rasterCode[variant],
      entryPoint: 'rasterImpostors',
      layout: device.createPipelineLayout({ label: RASTER, bindGroupLayouts: [own, this.#layout] }),
    });
    const { group, lists } = this.#bound!;
    const resources = {
      ...buffers,
      frame: this.#frame,
      layer: this.#layers[isShadow ? 0 : 1]!,
      listedTargets: lists.targets,
    };
    const groups = [createBindGroup(device, RASTER, own, bindings, resources), group];
    return { kernel, groups, groupCount };
  }

  /** @param light Group 0, of `viewBindings`. Returns what records the pass. */
  bindShade(views: GPUBuffer, light: GPUBindGroup, textures: ShadedTextures): (pass: GPUComputePassEncoder) => void {
    const { device } = this.#drawn;
    const { surfaces, visibility, color, width, height } = textures;
    const variant = surfaces ? 'surfaces' : 'base';
    const bindings = (surfaces ? shadeBindings : colorBindings) as typeof shadeBindings;
    const layouts = perDevice(device, `${SHADE} ${variant}`, () => ({
      light: createBindGroupLayout(device, 'light', viewBindings, GPUShaderStage.COMPUTE),
      own: createBindGroupLayout(device, SHADE, bindings),
    }));
    const kernel = createKernel(device, {
      label: SHADE,
      variant,
      code: shadeCode[variant],
      entryPoint: 'shadeImpostors',
      layout: device.createPipelineLayout({
        label: SHADE,
        bindGroupLayouts: [layouts.light, this.#layout, layouts.own],
      }),
    });
    const group = createBindGroup(device, SHADE, layouts.own, bindings, {
      views,
      layer: this.#layers[1]!,
      visibility,
      colorOut: color,
      ...(surfaces && { motionOut: surfaces.motion, idOut: surfaces.ids.createView(), normalOut: surfaces.normals }),
    } as never);
    const groups = [light, this.#bound!.group, group];
    return (pass) => {
      pass.setPipeline(kernel.pipeline);
      groups.forEach((each, index) => pass.setBindGroup(index, each));
      pass.dispatchWorkgroups(Math.ceil(width / SHADE_GROUP), Math.ceil(height / SHADE_GROUP));
    };
  }

  destroy(): void {
    for (const layer of this.#layers) layer.destroy();
    this.#drawn.destroy();
  }
}

type Parts = Pick<DrawnParts, 'materials'> & { readonly uniforms: GPUBuffer };

/**
 * @throws ManipleError CROWD_BAD_ARGUMENT: the crowd shares no poses; RENDER_FAILED: sizes; DEVICE_LIMIT: storage buffers that
 *   vertices of tiles read
 */
export function createPixelImpostors(
  device: GPUDevice,
  crowd: Crowd,
  options: ImpostorOptions,
  { materials, uniforms }: Parts,
): PixelImpostors {
  checkVertexStage(device);
  const parts = { materials, providers: new DrawnProviders(crowd), scenery: undefined, change: undefined };
  const drawn = new DrawnCrowd(device, crowd, { ...parts, rows: undefined });
  return new Impostors(drawn, options, new ImpostorKernels(drawn, uniforms));
}

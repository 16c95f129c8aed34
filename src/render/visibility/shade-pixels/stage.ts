import { createBindGroup, createBindGroupLayout, type Bindings } from '../../../layout/index.ts';
import { createKernel, type Dispatch } from '../../../stages/kernel.ts';
import { geometryBindings } from '../../../stages/layout.ts';
import { perDevice } from '../../../stages/per-device.ts';
import type { ChangedSurfaces } from '../../lighting/changed-surfaces.ts';
import { kernels } from './kernel.gen.ts';
import { colorBindings, SHADE_GROUP, shadeBindings } from './layout.ts';

const LABEL = 'shade-pixels';

type Resources<B extends Bindings> = {
  readonly [N in keyof B['entries']]: GPUBuffer | GPUBufferBinding | GPUTextureView;
};
export type ShadeResources = Resources<typeof colorBindings> & Partial<Resources<typeof shadeBindings>>;

export interface ShadePixelsOptions {
  /** Group 0: the frame and its light, visible to compute. */
  readonly light: GPUBindGroupLayout;
  /** Group 3, visible to compute, and constants of its shader. */
  readonly materials: { readonly layout: GPUBindGroupLayout; readonly constants: Readonly<Record<string, number>> };
  /** True if all static geometry is in the standard layout. */
  readonly standard: boolean;
  /** True if motion, ids and normals are also written. */
  readonly surfaces: boolean;
  readonly change?: ChangedSurfaces | undefined;
}

/** Workgroups in two dimensions, as pixels are. */
export interface ShadeDispatch extends Omit<Dispatch, 'groupCount'> {
  readonly groupCount: readonly [number, number];
}

/** Makes a kernel once per device and set of materials. */
export function createShadePixels(
  device: GPUDevice,
  { light, materials, standard, surfaces, change }: ShadePixelsOptions,
) {
  const own = perDevice(device, `${LABEL} layouts`, () => ({
    geometry: createBindGroupLayout(device, `${LABEL} geometry`, geometryBindings),
    color: createBindGroupLayout(device, `${LABEL} color`, colorBindings),
    surfaces: createBindGroupLayout(device, `${LABEL} surfaces`, shadeBindings),
  }));
  const flags = [standard ? 'standard' : '', surfaces ? 'surfaces' : ''];
  const variant = (flags.filter(Boolean).join('+') || 'base') as keyof typeof kernels;
  const group3 = change?.layout ?? materials.layout;
  const bindGroupLayouts = [light, own.geometry, surfaces ? own.surfaces : own.color, group3];
  const code = change?.shadePixels(variant) ?? kernels[variant];
  const kernel = createKernel(device, {
    label: LABEL,
    variant,
    code,
    ...(change && { key: code }),
    entryPoint: 'shadePixels',
    layout: device.createPipelineLayout({ label: LABEL, bindGroupLayouts }),
    constants: materials.constants,
  });
  return {
    /**
     * Shades the pixels that show triangles of one page; the first page's dispatch also draws ground and sky.
     * @param resources Includes motion, ids and normals if all four pictures are written.
     */
    bind(
      resources: ShadeResources,
      groups: { readonly light: GPUBindGroup; readonly geometry: GPUBuffer; readonly materials: GPUBindGroup },
      { width, height }: { readonly width: number; readonly height: number },
    ): ShadeDispatch {
      const tables = { geometry4: groups.geometry, geometry1: groups.geometry };
      const bound = surfaces
        ? createBindGroup(device, LABEL, own.surfaces, shadeBindings, resources as Resources<typeof shadeBindings>)
        : createBindGroup(device, LABEL, own.color, colorBindings, resources);
      return {
        kernel,
        groups: [
          groups.light,
          createBindGroup(device, `${LABEL} geometry`, own.geometry, geometryBindings, tables),
          bound,
          groups.materials,
        ],
        groupCount: [Math.ceil(width / SHADE_GROUP), Math.ceil(height / SHADE_GROUP)],
      };
    },
  };
}

/** Records it. @param materials Group 3, where surfaces are changed. */
export function encodeShade(
  pass: GPUComputePassEncoder,
  { kernel, groups, groupCount }: ShadeDispatch,
  materials: GPUBindGroup = groups[3]!,
): void {
  pass.setPipeline(kernel.pipeline);
  [...groups.slice(0, 3), materials].forEach((group, index) => pass.setBindGroup(index, group));
  pass.dispatchWorkgroups(...groupCount);
}

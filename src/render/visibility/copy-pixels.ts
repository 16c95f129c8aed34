import { createBindGroup } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Kernel } from '../../stages/kernel.ts';
import { kernels } from './copy-pixels.gen.ts';
import { copyFloatsBindings, copyIdsBindings } from './layout.ts';

/** Pixels that a workgroup copies, each way. */
const GROUP = 8;

/** A copy of a buffer's rows to a texture. */
export interface PixelCopy {
  readonly kernel: Kernel;
  readonly group: GPUBindGroup;
  readonly groupCount: readonly [x: number, y: number];
}

/**
 * @param pixels Rows of the texture's texels, each at a multiple of PITCH_PIXELS.
 * @param texture Of rg32uint or r32float, with STORAGE_BINDING. @param layer Of the texture.
 */
export function bindPixelCopy(device: GPUDevice, pixels: GPUBuffer, texture: GPUTexture, layer = 0): PixelCopy {
  const isIds = texture.format === 'rg32uint';
  const bindings = isIds ? copyIdsBindings : copyFloatsBindings;
  const variant = isIds ? 'ids' : 'base';
  const layout = createStageLayout(device, `copy-pixels ${variant}`, [bindings]);
  const copied = texture.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 });
  return {
    kernel: createKernel(device, {
      label: 'copy-pixels',
      variant,
      code: kernels[variant],
      entryPoint: 'copyPixels',
      layout: layout.pipeline,
    }),
    group: createBindGroup(device, 'copy-pixels', layout.groups[0]!, bindings, { pixels, copied }),
    groupCount: [Math.ceil(texture.width / GROUP), Math.ceil(texture.height / GROUP)],
  };
}

export function encodePixelCopy(pass: GPUComputePassEncoder, { kernel, group, groupCount }: PixelCopy): void {
  pass.setPipeline(kernel.pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(...groupCount);
}

import { createBindGroup } from '../../layout/index.ts';
import { shadowBindings, ShadowPass } from './layout.ts';
import { SHADOW_FORMAT } from './pipelines.ts';

/** The sun's depth, a layer per cascade. */
export interface ShadowMaps {
  /** All of them, for `viewBindings`. */
  readonly view: GPUTextureView;
  readonly passes: readonly { readonly group: GPUBindGroup; readonly target: GPUTextureView }[];
  destroy(): void;
}

/** Offsets of uniforms are multiples of this on every device. */
const STRIDE = 256;

/** @param layout Of `shadowBindings`. */
export function createShadowMaps(
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
  const indices = device.createBuffer({ label: 'cascades', size: STRIDE * count, usage });
  const passes = Array.from({ length: count }, (_, i) => {
    device.queue.writeBuffer(indices, STRIDE * i, Uint32Array.of(i, 0, 0, 0));
    const shadowPass = { buffer: indices, offset: STRIDE * i, size: ShadowPass.size };
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

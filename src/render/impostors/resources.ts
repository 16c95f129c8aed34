import type { BoundImpostors } from './impostors.ts';

/** Between texels and sizes of tiles. */
const SAMPLER = { magFilter: 'linear', minFilter: 'linear', mipmapFilter: 'linear' } as const;

/** Resources of `impostorBindings`. */
export function impostorResources(device: GPUDevice, { params, lists, memory, atlas }: BoundImpostors) {
  const { visible, transforms, previousTransforms, residents } = memory.crowd;
  return {
    params,
    plan: lists.plan,
    impostors: lists.impostors,
    visible,
    transforms,
    previousTransforms,
    residents,
    ...atlas.views,
    tileSampler: device.createSampler(SAMPLER),
  };
}

import type { SkinStage } from '../../frame/types.ts';
import { kernels } from './surface.gen.ts';

/** Shaders of characters without light, by where they are skinned. */
export function createSurfaceModules(
  device: GPUDevice,
  skins: ReadonlySet<SkinStage>,
): ReadonlyMap<SkinStage, GPUShaderModule> {
  const create = (skin: SkinStage) =>
    device.createShaderModule({ label: 'surface', code: skin === 'vertex' ? kernels.vertex : kernels.base });
  return new Map(Array.from(skins, (skin) => [skin, create(skin)]));
}

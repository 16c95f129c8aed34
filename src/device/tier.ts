/** Level of WebGPU that a device has. `'compatibility'` also runs on older graphics interfaces, with lower limits. */
export type DeviceTier = 'core' | 'compatibility';

/** The feature of devices of the core level. Implementations that lack the compatibility level may not know it. */
export const CORE_FEATURE = 'core-features-and-limits' as GPUFeatureName;

/** Level of a device, also of one that other code requested. */
export function deviceTier({ features, limits }: Pick<GPUDevice, 'features' | 'limits'>): DeviceTier {
  // implementations that have the compatibility level also have this limit
  const isKnown = (limits.maxStorageBuffersInVertexStage as number | undefined) !== undefined;
  return !isKnown || features.has(CORE_FEATURE) ? 'core' : 'compatibility';
}

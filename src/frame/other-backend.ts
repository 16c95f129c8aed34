import type { Backend } from './backend.ts';
import { createGpuBackend } from './gpu/backend.ts';
import { gpuEstate } from './gpu/hand-over.ts';
import { readRanges } from '../device/read-back.ts';
import type { CrowdLayout } from './tables/crowd-layout.ts';

/**
 * Reads the state of a backend for one of the other kind. The resolved function creates that one, which must take over at once.
 * Until then `from` is unchanged. @throws ManipleError DEVICE_LOST; the resolved function DEVICE_LIMIT
 */
export async function otherBackend(
  from: Backend,
  device: GPUDevice | undefined,
  shape: CrowdLayout,
): Promise<() => Backend> {
  const twins = from.kind === 'gpu' ? await import('./cpu/backend.ts') : undefined;
  await twins?.prepareCpuBackend();
  // a lost device is noticed only by waiting for it
  if (!twins) await readRanges(device!, []);
  const handOver = await from.handOver();
  return () => {
    const left = handOver();
    if (twins) return twins.createCpuBackend(device, shape, left);
    return createGpuBackend(device!, shape, gpuEstate(device!, shape, left));
  };
}

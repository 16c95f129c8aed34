import type { Backend } from './backend.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { gpuEstate } from './hand-over.ts';
import { readRanges } from './read-back.ts';
import type { CrowdShape } from './shape.ts';
import { loadedTwins, loadTwins } from './twins.ts';

/**
 * Reads what a backend has, for one of the other kind; what it resolves to makes that one, which has to take over at once. Until then
 * the other is as it was. @throws ManipleError DEVICE_LOST, and the making of it DEVICE_LIMIT
 */
export async function otherBackend(
  from: Backend,
  device: GPUDevice | undefined,
  shape: CrowdShape,
): Promise<() => Backend> {
  if (from.kind === 'gpu') await loadTwins();
  // nothing but waiting tells that a device is lost
  else await readRanges(device!, []);
  const handOver = await from.handOver();
  return () => {
    const left = handOver();
    if (from.kind === 'gpu') return loadedTwins().createCpuBackend(device, shape, left);
    return createGpuBackend(device!, shape, gpuEstate(device!, shape, left));
  };
}

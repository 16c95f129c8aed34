import type { Backend } from './backend.ts';
import { createGpuBackend } from './gpu-backend.ts';
import { gpuEstate } from './hand-over.ts';
import { readRanges } from './read-back.ts';
import type { CrowdShape } from './shape.ts';
import { loadedTwins, loadTwins } from './twins.ts';

/**
 * Reads the state of a backend for one of the other kind. The resolved function creates that one, which must take over at once.
 * Until then `from` is unchanged. @throws ManipleError DEVICE_LOST; the resolved function DEVICE_LIMIT
 */
export async function otherBackend(
  from: Backend,
  device: GPUDevice | undefined,
  shape: CrowdShape,
): Promise<() => Backend> {
  if (from.kind === 'gpu') await loadTwins();
  // a lost device is noticed only by waiting for it
  else await readRanges(device!, []);
  const handOver = await from.handOver();
  return () => {
    const left = handOver();
    if (from.kind === 'gpu') return loadedTwins().createCpuBackend(device, shape, left);
    return createGpuBackend(device!, shape, gpuEstate(device!, shape, left));
  };
}

import { createCrowd, type Crowd, type CrowdOptions, loadTwins } from '../../src/index.ts';

/** Creates every crowd of the page, on kernels or on their twins. Loads the twins on first use. */
export async function createFieldCrowd(device: GPUDevice, options: CrowdOptions): Promise<Crowd> {
  if (options.backend === 'cpu') await loadTwins();
  const crowd = createCrowd(device, options);
  await crowd.ready();
  return crowd;
}

import { createCrowd, type Crowd, type CrowdOptions, loadTwins } from '../../src/index.ts';

/** The one place where crowds of the page are made, on kernels or on their twins, which are loaded when they are first wanted. */
export async function createFieldCrowd(device: GPUDevice, options: CrowdOptions): Promise<Crowd> {
  if (options.backend === 'cpu') await loadTwins();
  const crowd = createCrowd(device, options);
  await crowd.ready();
  return crowd;
}

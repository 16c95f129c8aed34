import { createCrowd, type Crowd, type CrowdOptions } from '../../src/index.ts';

/** Creates every crowd of the page, on kernels or on their twins. */
export async function createFieldCrowd(device: GPUDevice, options: CrowdOptions): Promise<Crowd> {
  const crowd = await createCrowd(device, options);
  await crowd.ready();
  return crowd;
}

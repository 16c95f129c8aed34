import { createCrowd, type Crowd, type CrowdOptions } from '../../src/index.ts';

/** The one place where crowds of the page are made, on kernels or on their twins. */
export async function createFieldCrowd(device: GPUDevice, options: CrowdOptions): Promise<Crowd> {
  return createCrowd(device, options);
}

import { createCrowd, type Crowd, type CrowdOptions } from '../../src/index.ts';

/**
 * Creates every crowd of the page, on kernels or on their twins.
 * @param device Undefined with WebGL 2. Then vertex shaders skin.
 */
export async function createFieldCrowd(device: GPUDevice | undefined, options: CrowdOptions): Promise<Crowd> {
  const crowd = await createCrowd(device, device ? options : { ...options, skin: 'vertex', copies: 1 });
  await crowd.ready();
  return crowd;
}

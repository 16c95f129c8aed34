import { Crowd } from '../../src/crowd/crowd.ts';
import type { CrowdOptions } from '../../src/crowd/options.ts';
import { restoreSnapshot } from '../../src/state/restore.ts';
import { createCpuBackend } from '../../src/frame/cpu/backend.ts';

/** The library's `createCrowd`, at once: a test has loaded everything. */
export function createCrowd(device: GPUDevice | undefined, options: CrowdOptions): Crowd {
  return new Crowd(device, options, { createCpuBackend, restore: restoreSnapshot });
}

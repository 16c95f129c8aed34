import { afterEach } from 'vitest';
import { pollCalmly } from '../../src/cli/device.ts';
import { findGpu, takeGpuErrors } from './gpu.ts';

pollCalmly();
await findGpu();

// WebGPU reports an invalid call to the device, not to the caller: without this, invalid WGSL would pass a test
afterEach(async () => {
  const errors = await takeGpuErrors();
  if (errors.length > 0) throw new Error(`uncaught on the GPU device:\n${errors.join('\n')}`);
});

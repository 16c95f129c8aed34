import { Crowd } from '../../src/crowd/crowd.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import type { CrowdOptions } from '../../src/crowd/options.ts';
import { createCpuBackend, prepareCpuBackend } from '../../src/frame/cpu/backend.ts';
import { keepSnapshots, type CrowdSnapshot, type KeepOptions } from '../../src/state/index.ts';
import { restoreSnapshot } from '../../src/state/restore.ts';

// as the library's `createCrowd` does
await prepareCpuBackend();

/** Options of a test's crowd. */
export interface TestCrowdOptions extends CrowdOptions {
  /** What the crowd continues from, as `restoreCrowd` does. */
  readonly from?: CrowdSnapshot | undefined;
  /** How its snapshots are kept. */
  readonly keep?: KeepOptions | undefined;
}

/** The library's `createCrowd` and `restoreCrowd`, at once: a test has loaded everything. */
export function createCrowd(device: GPUDevice | undefined, options: TestCrowdOptions): Crowd {
  const { from, keep, ...rest } = options ?? {};
  const crowd = new Crowd(device, options ? rest : options, { createCpuBackend });
  try {
    if (from) restoreSnapshot(internalsOf(crowd).host, from);
  } catch (thrown) {
    crowd.destroy();
    throw thrown;
  }
  if (keep) void keepSnapshots(crowd, keep);
  return crowd;
}

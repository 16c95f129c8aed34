import type { FrameOptions } from '../../src/crowd/frame-options.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';

/** Runs a frame of a crowd, and waits until it is done; rejects with what `update` throws. */
export async function updateAndWait(crowd: Crowd, options: FrameOptions): Promise<void> {
  crowd.update(options);
  await crowd.workDone();
}

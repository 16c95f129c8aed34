import { pollCalmly } from './calm-polling.ts';
import { nodeDevice } from '../node/node-gpu.ts';
import type { RequestedDevice } from '../device/request-device.ts';
import { fail } from '../errors.ts';

/**
 * The device for a subcommand that needs results. The null device gives none, and would pass zeros off as a pose.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE, also for the null device; else as `nodeDevice`
 */
export async function openDevice(): Promise<RequestedDevice> {
  pollCalmly();
  const opened = await nodeDevice();
  if (opened.kind !== 'null') return opened;
  opened.device.destroy();
  const suggestion = 'Unset MANIPLE_GPU, or set it to auto.';
  return fail('DEVICE_UNAVAILABLE', 'MANIPLE_GPU', 'MANIPLE_GPU is null: that device runs nothing.', suggestion);
}

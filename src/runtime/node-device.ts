import { nodeDevice as deviceAlone } from '../device/node.ts';
import type { RequestedDevice } from '../device/request-device.ts';
import { withRuntime } from './request-device.ts';

/**
 * Requests a device in Node with `nodeGpu` and `requestDevice`, and loads the runtime meanwhile.
 *
 * @throws ManipleError DEVICE_UNAVAILABLE, DEVICE_LIMIT or USAGE, as those two
 * @example const { device, kind } = await nodeDevice(); // kind → 'software' where there is no GPU
 */
export function nodeDevice(options?: Parameters<typeof deviceAlone>[0]): Promise<RequestedDevice> {
  return withRuntime(deviceAlone(options));
}

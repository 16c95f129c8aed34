import {
  type DeviceOptions,
  gpuOf,
  requestDevice as requestAlone,
  type RequestedDevice,
} from '../device/request-device.ts';
import { loadRuntime } from './runtime.ts';

/**
 * Requests a device for Maniple, and loads the runtime meanwhile: `createCrowd` needs both.
 *
 * You need not use it: Maniple runs on any device that passes `checkLimits`. An application that already has a device
 * (from three.js, for instance) passes that instead, after `await loadRuntime()`.
 *
 * @throws ManipleError
 *  - DEVICE_UNAVAILABLE: no WebGPU here, an insecure page, no adapter, or an adapter that refuses
 *  - DEVICE_LIMIT: the adapter stays below what Maniple needs; one issue for each limit
 * @example const { device, lost } = await requestDevice();
 */
export async function requestDevice(options: DeviceOptions = {}): Promise<RequestedDevice> {
  const gpu = gpuOf(options); // without WebGPU there is nothing to load
  return withRuntime(requestAlone({ ...options, gpu }));
}

/** Waits for a requested device, and loads the runtime meanwhile. */
export async function withRuntime(asked: Promise<RequestedDevice>): Promise<RequestedDevice> {
  try {
    const [requested] = await Promise.all([asked, loadRuntime()]);
    return requested;
  } catch (thrown) {
    void asked.then(
      ({ device }) => device.destroy(), // no other code has a reference to it
      () => undefined,
    );
    throw thrown;
  }
}

import {
  type DeviceOptions,
  gpuOf,
  requestDevice as requestOnly,
  type RequestedDevice,
} from '../device/request-device.ts';

/**
 * Requests a device for Maniple. Starts the download of the code of crowds meanwhile, so that `createCrowd` need not wait for it.
 *
 * You need not use it: Maniple runs on any device that passes `checkLimits`. An application that already has a device
 * (from three.js, for instance) passes that instead.
 *
 * @throws ManipleError
 *  - DEVICE_UNAVAILABLE: no WebGPU here, an insecure page, no adapter, or an adapter that refuses
 *  - DEVICE_LIMIT: the adapter stays below what Maniple needs; one issue for each limit
 * @example const { device, lost } = await requestDevice();
 */
export async function requestDevice(options: DeviceOptions = {}): Promise<RequestedDevice> {
  const gpu = gpuOf(options); // without WebGPU nothing is downloaded
  import('./crowd.ts').catch(() => undefined); // createCrowd repeats the download, and its error
  return requestOnly({ ...options, gpu });
}

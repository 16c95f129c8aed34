// maniple/node: WebGPU without a browser.
export type { AdapterDescription, DeviceKind } from '../device/adapter-kind.ts';
export { nodeDevice, nodeGpu, type NodeGpu, type NodeGpuKind, type NodeGpuOptions } from './node-gpu.ts';
export type { DeviceOptions, RequestedDevice } from '../device/request-device.ts';
export { tuningCache, type TuningFiles } from './tuning-file.ts';

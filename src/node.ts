// maniple/node: WebGPU without a browser.
export type { AdapterDescription, DeviceKind } from './device/adapter-kind.ts';
export { nodeDevice, nodeGpu, type NodeGpu, type NodeGpuKind, type NodeGpuOptions } from './device/node.ts';
export type { DeviceOptions, RequestedDevice } from './device/request-device.ts';
export { tuningCache, type TuningFiles } from './device/tuning-file.ts';

// maniple/node: WebGPU where there is no browser.
export { nodeDevice, nodeGpu, type NodeGpu, type NodeGpuKind, type NodeGpuOptions } from './node.ts';
export { tuningCache, type TuningFiles } from './tuning-file.ts';
export type { AdapterDescription, DeviceKind } from './adapter-kind.ts';
export type { DeviceOptions, RequestedDevice } from './request-device.ts';

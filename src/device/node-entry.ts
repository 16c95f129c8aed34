// maniple/node: WebGPU where there is no browser.
export { nodeDevice, nodeGpu, type NodeGpu, type NodeGpuKind, type NodeGpuOptions } from './node.ts';
export type { AdapterDescription, DeviceKind, DeviceOptions, RequestedDevice } from './request-device.ts';

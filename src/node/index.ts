// maniple/node: WebGPU without a browser.
export { nodeDevice, nodeGpu, type NodeGpu, type NodeGpuKind, type NodeGpuOptions } from './node-gpu.ts';
export { tuningCache, type TuningFiles } from './tuning-file.ts';

import { keepPipelines } from '../../src/bench/keep-pipelines.ts';
import { nodeDevice } from '../../src/node/node-gpu.ts';
import type { RequestedDevice } from '../../src/device/request-device.ts';
import { missing } from './setup.ts';

/**
 * `'adapter'`: all that the adapter grants; `'default'`: exactly WebGPU's defaults; `'compatibility'`: a device of that level, with its
 * default limits, as the weakest device has them.
 */
export type TestLimits = 'adapter' | 'default' | 'compatibility';

interface TestGpu {
  readonly devices: Map<TestLimits, Promise<RequestedDevice>>;
  /** What went wrong on any of the devices since it was last asked for. */
  errors: string[];
  /** Why there is no device; undefined while nobody asked, and where there is one. */
  absence?: string;
}

/** One per worker process: test files that share a worker share its devices. */
const state = ((globalThis as { [key: symbol]: unknown })[Symbol.for('maniple.test-gpu')] ??= {
  devices: new Map(),
  errors: [],
}) as TestGpu;

/**
 * The device that tests share; do not destroy it. Kept for the life of the worker process.
 *
 * Without `limits`, the environment variable MANIPLE_LIMITS decides, else `'adapter'`.
 */
export function testDevice(options: { limits?: TestLimits } = {}): Promise<RequestedDevice> {
  const limits = options.limits ?? limitsOfRun();
  const known = state.devices.get(limits);
  if (known) return known;
  const opened = openDevice(limits);
  state.devices.set(limits, opened);
  return opened;
}

/** Limits of the run, by the environment variable MANIPLE_LIMITS. */
export function limitsOfRun(): TestLimits {
  const { MANIPLE_LIMITS: limits } = process.env;
  return limits === 'default' || limits === 'compatibility' ? limits : 'adapter';
}

/** Most threads of a workgroup that a seed's kernels have: those of small devices for every second one, and wherever a run has no others. */
export function groupThreadsFor(seed: number): 128 | 256 {
  return seed % 2 === 1 || limitsOfRun() === 'compatibility' ? 128 : 256;
}

async function openDevice(kind: TestLimits): Promise<RequestedDevice> {
  const isCompatible = kind === 'compatibility';
  const level = isCompatible ? ({ featureLevel: 'compatibility' } as const) : {};
  const limits = isCompatible ? 'default' : kind;
  const requested = await nodeDevice({ limits, ...level, label: `test (${kind} limits)` });
  keepPipelines(requested.device);
  requested.device.addEventListener('uncapturederror', (event) => {
    event.preventDefault(); // Dawn would print it as well
    state.errors.push(event.error.message);
  });
  void requested.lost.then(({ message }) => state.errors.push(message));
  return requested;
}

/**
 * Runs something while a device does not call itself a software adapter: crowds made meanwhile take the kernels that GPUs run.
 * They have barriers, and a software adapter takes seconds to compile some of them.
 */
export async function withShippedKernels<T>(device: GPUDevice, run: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(device, 'adapterInfo');
  Object.defineProperty(device, 'adapterInfo', { value: { vendor: 'a GPU' }, configurable: true });
  try {
    return await run();
  } finally {
    delete (device as { adapterInfo?: unknown }).adapterInfo;
    if (own) Object.defineProperty(device, 'adapterInfo', own);
  }
}

/** Opens the device once, so that {@link noGpu} can answer at once. Called by the set-up file. */
export async function findGpu(): Promise<void> {
  try {
    const { kind } = await testDevice();
    if (kind === 'null') state.absence = 'MANIPLE_GPU=null, and that device runs nothing';
  } catch (reason) {
    state.absence = reason instanceof Error ? reason.message : String(reason);
  }
}

/** True when tests on the GPU have to be skipped: `describe.skipIf(noGpu())`. */
export function noGpu(): boolean {
  return missing('gpu', state.absence === undefined, `there is no GPU device: ${state.absence}`);
}

/** True when tests have to be skipped that need the core level of WebGPU, as the visibility renderer does. */
export function noCore(): boolean {
  return limitsOfRun() === 'compatibility';
}

/** The errors that nobody caught since the last call, on any test device. Waits until the devices have reported them. */
export async function takeGpuErrors(): Promise<string[]> {
  const opened = await Promise.allSettled(state.devices.values());
  for (const result of opened) {
    if (result.status === 'fulfilled') await result.value.device.queue.onSubmittedWorkDone();
  }
  const { errors } = state;
  state.errors = [];
  return errors;
}

/** Copies a buffer (usage COPY_SRC), or `size` bytes of it from `offset`, to the CPU. Both are multiples of 4. */
export async function readBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  offset = 0,
  size: number = buffer.size - offset,
): Promise<ArrayBuffer> {
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const bytes = staging.getMappedRange().slice(0);
  staging.destroy();
  return bytes;
}

/** A buffer that holds `data`, padded with zeros to a multiple of 4 bytes; COPY_SRC and COPY_DST come with it. */
export function uploadBuffer(device: GPUDevice, data: ArrayBufferView, usage: number): GPUBuffer {
  const buffer = device.createBuffer({
    size: Math.max(4, Math.ceil(data.byteLength / 4) * 4),
    usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    mappedAtCreation: true,
  });
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  new Uint8Array(buffer.getMappedRange()).set(bytes);
  buffer.unmap();
  return buffer;
}

/** One binding of {@link runCompute}: what the buffer holds before, and how the shader declares it. */
export interface ComputeBinding {
  readonly data: ArrayBufferView;
  /** `'storage'` (read_write, default), `'read-only-storage'` or `'uniform'`. */
  readonly type?: GPUBufferBindingType;
}

/** One dispatch of one kernel. */
export interface ComputeRun {
  readonly code: string;
  /** Default: the module's only entry point. */
  readonly entryPoint?: string;
  readonly constants?: Readonly<Record<string, number>>;
  /** Bindings 0, 1, 2, … of group 0. */
  readonly bindings: readonly ComputeBinding[];
  /** Workgroups in x, y and z. Default: 1. */
  readonly workgroups?: readonly [number, number?, number?];
}

/** Runs a kernel once and returns what each binding holds afterwards, in the order of the bindings. */
export async function runCompute(device: GPUDevice, run: ComputeRun): Promise<ArrayBuffer[]> {
  const types = run.bindings.map(({ type = 'storage' }) => type);
  const groupLayout = device.createBindGroupLayout({
    entries: types.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  });
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [groupLayout] }),
    compute: {
      module: device.createShaderModule({ code: run.code }),
      ...(run.entryPoint !== undefined && { entryPoint: run.entryPoint }),
      ...(run.constants && { constants: { ...run.constants } }),
    },
  });
  const buffers = run.bindings.map(({ data, type }) =>
    uploadBuffer(device, data, type === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE),
  );
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: groupLayout, entries }));
  const [x, y = 1, z = 1] = run.workgroups ?? [1];
  pass.dispatchWorkgroups(x, y, z);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const results = await Promise.all(buffers.map((buffer) => readBuffer(device, buffer)));
  for (const buffer of buffers) buffer.destroy();
  return results;
}

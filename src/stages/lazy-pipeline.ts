import { perDevice } from './per-device.ts';

export interface LazyPipeline<P> {
  readonly label: string;
  /** Compiled when it is first read, or earlier by {@link compilePipelines}. */
  readonly pipeline: P;
}

type Labelled<D> = D & { readonly label: string };

export function lazyComputePipeline(
  device: GPUDevice,
  descriptor: Labelled<GPUComputePipelineDescriptor>,
): LazyPipeline<GPUComputePipeline> {
  const now = () => device.createComputePipeline(descriptor);
  return lazyPipeline(device, descriptor.label, now, () => device.createComputePipelineAsync(descriptor));
}

export function lazyRenderPipeline(
  device: GPUDevice,
  descriptor: Labelled<GPURenderPipelineDescriptor>,
): LazyPipeline<GPURenderPipeline> {
  const now = () => device.createRenderPipeline(descriptor);
  return lazyPipeline(device, descriptor.label, now, () => device.createRenderPipelineAsync(descriptor));
}

/** Compiles all pipelines of a device that nothing has read yet, on threads of WebGPU's. */
export async function compilePipelines(device: GPUDevice): Promise<void> {
  await Promise.all(Array.from(waitingPipelines(device), (compile) => compile()));
}

function lazyPipeline<P>(device: GPUDevice, label: string, now: () => P, ahead: () => Promise<P>): LazyPipeline<P> {
  let pipeline: P | undefined;
  let compiling: Promise<void> | undefined;
  const compile = () =>
    (compiling ??= ahead().then(
      (compiled) => {
        pipeline ??= compiled;
        waiting.delete(compile);
      },
      // it is compiled again when a frame runs it, and WebGPU reports the reason there
      () => void (compiling = undefined),
    ));
  const waiting = waitingPipelines(device).add(compile);
  return {
    label,
    get pipeline() {
      if (pipeline) return pipeline;
      waiting.delete(compile);
      return (pipeline = now());
    },
  };
}

const waitingPipelines = (device: GPUDevice) =>
  perDevice(device, 'waiting pipelines', () => new Set<() => Promise<void>>());

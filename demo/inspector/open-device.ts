import { requestDevice } from '../../src/index.ts';

/** Available device for drawing and posing. */
export interface Gpu {
  /** Undefined without WebGPU; three.js then draws with WebGL 2. */
  readonly device: GPUDevice | undefined;
  /** True if characters are posed on it. Software adapters are slower than the twins. */
  readonly poses: boolean;
}

let opened: Promise<Gpu> | undefined;

/** The page's one device. `?pose=gpu` and `?pose=cpu` in the address choose where to pose. */
export function openGpu(): Promise<Gpu> {
  opened ??= open();
  return opened;
}

async function open(): Promise<Gpu> {
  try {
    const { device, kind, lost } = await requestDevice();
    const wanted = new URLSearchParams(globalThis.location.search).get('pose');
    // the next character gets a new device
    void lost.then(() => (opened = undefined));
    return { device, poses: wanted === 'gpu' || (wanted !== 'cpu' && kind === 'hardware') };
  } catch {
    return { device: undefined, poses: false };
  }
}

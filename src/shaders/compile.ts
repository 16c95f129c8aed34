import type * as names from './readable.ts';

let readable: typeof names.readable | undefined;

/**
 * For those who look at kernels in a GPU debugger: loads the names of Maniple's sources, which the package ships
 * apart from the shortened texts. What is compiled from then on, on whatever device, has them, and a statement per line;
 * what a device has compiled before stays. Await it before the first crowd.
 */
export async function loadShaderNames(): Promise<void> {
  ({ readable } = await import('./readable.ts'));
}

/** A module of one of the shortened texts. */
export function compileShader(device: GPUDevice, label: string, code: string): GPUShaderModule {
  return device.createShaderModule({ label, code: readable?.(code) ?? code });
}

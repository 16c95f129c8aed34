import type * as names from './names.ts';

let readable: typeof names.readable | undefined;

/**
 * Makes kernels readable in a GPU debugger: loads the names of Maniple's sources, which the package ships
 * separately from the shortened texts. Kernels compiled afterwards, on any device, have these names and one statement per
 * line. Kernels compiled before do not change. Await it before the first crowd.
 */
export async function useReadableShaders(): Promise<void> {
  ({ readable } = await import('./names.ts'));
}

/**
 * Compiles the text of a kernel.
 * @param rewrite Changes the text that is compiled, for devices that need it.
 */
export function compileShader(
  device: GPUDevice,
  label: string,
  code: string,
  rewrite = (text: string): string => text,
): GPUShaderModule {
  return device.createShaderModule({ label, code: rewrite(readable?.(code) ?? code) });
}

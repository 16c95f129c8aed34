import { beforeAll, describe, test } from 'vitest';
import { some } from './setup.ts';

/** A device, or undefined for the CPU backend. */
export type Device = GPUDevice | undefined;

/** The backend that a test runs on. */
export interface TestBackend {
  readonly name: 'gpu' | 'cpu';
  /** Set while tests run. */
  device: Device;
}

/** Tests of one subject by title. */
export type BackendCases = Readonly<Record<string, (device: Device) => Promise<void>>>;

/** The project `gpu` says so in vitest.config.ts. Unit tests load no GPU. */
const gpu = process.env.MANIPLE_BACKEND === 'gpu' ? await import('./gpu.ts') : undefined;

/** Software adapters take a minute to compile kernels that step controllers with root motion. */
const OPTIONS = gpu ? { timeout: 300_000 } : {};

/**
 * Describes tests for both backends. Their file is called `….backends.test.ts`. The project `unit` runs them on the CPU backend,
 * and the project `gpu` on the device.
 */
export function describeBackends(title: string, define: (backend: TestBackend) => void): void {
  const backend: TestBackend = { name: gpu ? 'gpu' : 'cpu', device: undefined };
  describe.skipIf(gpu?.noGpu() ?? false)(`${title}, ${backend.name}`, OPTIONS, () => {
    beforeAll(async () => {
      if (gpu) backend.device = (await gpu.testDevice()).device;
    });
    define(backend);
  });
}

/** A test for each case. */
export function testCases(backend: TestBackend, cases: BackendCases): void {
  test.each(Object.entries(cases))('%s', (_, run) => run(backend.device));
}

/** A test for each of `count` cases, on the kernels that GPUs run. Software adapters choose others. */
export function testShipped(backend: TestBackend, cases: BackendCases, count: number): void {
  test.runIf(gpu).each(some(Object.entries(cases), count))('%s, on the kernels of GPUs', (_, run) =>
    gpu!.withShippedKernels(backend.device!, () => run(backend.device)),
  );
}

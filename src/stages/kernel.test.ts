import { describe, expect, test, vi } from 'vitest';
import { createKernel, grid } from './kernel.ts';
import { compilePipelines } from './lazy-pipeline.ts';

test.each([
  ['nothing', 0, [0, 1]],
  ['one row', 65_535, [65_535, 1]],
  ['the first that takes two', 65_536, [32_768, 2]],
  ['an odd number: one group too many', 65_537, [32_769, 2]],
  ['all that both dimensions hold', 65_535 ** 2, [65_535, 65_535]],
])('workgroups in two dimensions: %s', (_, groupCount, size) => {
  expect(grid(groupCount)).toEqual(size);
});

test.each([1, 2, 3, 7])('no row is longer than %i, none is left out, none is empty', (limit) => {
  for (let groupCount = 1; groupCount <= 200; groupCount++) {
    const [x, y] = grid(groupCount, limit);
    expect(x, `${groupCount}`).toBeLessThanOrEqual(limit);
    expect(y, `${groupCount}`).toBe(Math.ceil(groupCount / limit));
    expect(x * y, `${groupCount}`).toBeGreaterThanOrEqual(groupCount);
    expect(x * y - groupCount, `${groupCount}`).toBeLessThan(y);
  }
});

describe('kernels are compiled', () => {
  const LAYOUT = {} as GPUPipelineLayout;
  const describeKernel = (label: string) => ({ label, variant: 'base', code: '', entryPoint: 'main', layout: LAYOUT });
  const named = ({ label }: { label: string }) => ({ label }) as GPUComputePipeline;
  const fakeDevice = () => {
    const calls = {
      createShaderModule: vi.fn(() => ({})),
      createComputePipeline: vi.fn(named),
      createComputePipelineAsync: vi.fn((one: { label: string }) => Promise.resolve(named(one))),
    };
    return { ...calls, device: calls as unknown as GPUDevice };
  };

  test('when they are first read, once, and not before', () => {
    const { device, createComputePipeline } = fakeDevice();
    const kernel = createKernel(device, describeKernel('a'));
    expect(createKernel(device, describeKernel('a'))).toBe(kernel);
    expect(createComputePipeline).not.toHaveBeenCalled();
    const { pipeline } = kernel;
    expect(pipeline.label).toBe('a');
    expect(kernel.pipeline).toBe(pipeline);
    expect(createComputePipeline).toHaveBeenCalledTimes(1);
  });

  test('side by side, each once, and those that came later', async () => {
    const { device, createComputePipeline, createComputePipelineAsync } = fakeDevice();
    const kernels = ['a', 'b', 'c'].map((label) => createKernel(device, describeKernel(label)));
    expect(kernels[0]!.pipeline.label).toBe('a');
    await Promise.all([compilePipelines(device), compilePipelines(device)]);
    expect(createComputePipelineAsync.mock.calls.map(([{ label }]) => label)).toEqual(['b', 'c']);
    expect(kernels.map(({ pipeline }) => pipeline.label)).toEqual(['a', 'b', 'c']);
    expect(createComputePipeline).toHaveBeenCalledTimes(1);
    createKernel(device, describeKernel('d'));
    await compilePipelines(device);
    expect(createComputePipelineAsync).toHaveBeenCalledTimes(3);
  });

  test('again by the first frame, where that failed: WebGPU reports why there', async () => {
    const { device, createComputePipeline, createComputePipelineAsync } = fakeDevice();
    const kernel = createKernel(device, describeKernel('a'));
    createComputePipelineAsync.mockRejectedValueOnce(new Error('no'));
    await compilePipelines(device);
    expect(kernel.pipeline.label).toBe('a');
    expect(createComputePipeline).toHaveBeenCalledTimes(1);
  });
});

import { expect, test } from 'vitest';
import { chooseKernels, kernelLimitIssues } from './kernel-choice.ts';

const info = (fields: Partial<GPUAdapterInfo>) => ({ adapterInfo: fields as GPUAdapterInfo });

const limits = (threads: number) =>
  ({ maxComputeInvocationsPerWorkgroup: threads, maxComputeWorkgroupSizeX: 1024 }) as GPUSupportedLimits;

test('workgroups are wide where a GPU has so large ones', () => {
  const hardware = info({ vendor: 'nvidia', isFallbackAdapter: false });
  const wideWith = (threads: number) => chooseKernels({ ...hardware, limits: limits(threads) }).wideSkins;
  expect([256, 511, 512, 1024].map(wideWith)).toEqual([false, false, true, true]);
  expect(chooseKernels({ ...info({ isFallbackAdapter: true }), limits: limits(1024) }).wideSkins).toBe(false);
});

test.each([
  ['a GPU', info({ vendor: 'nvidia', isFallbackAdapter: false }), false],
  ['a fallback adapter', info({ isFallbackAdapter: true }), true],
  [
    'a software adapter that does not say so',
    info({ description: 'llvmpipe (LLVM 19)', isFallbackAdapter: false }),
    true,
  ],
  // browsers of before 2025 tell nothing about a device's adapter
  ['a device that says nothing', {} as Pick<GPUDevice, 'adapterInfo'>, false],
])('%s', (_, device, software) => {
  expect(chooseKernels(device)).toEqual({
    serialPoses: software,
    serialLists: software,
    cachedPalettes: !software,
    wideSkins: false,
    groupThreads: 256,
  });
});

test('workgroups have half as many threads where a device has no more', () => {
  const threadsWith = (threads: number) => chooseKernels({ ...info({}), limits: limits(threads) }).groupThreads;
  expect([128, 255, 256, 1024].map(threadsWith)).toEqual([128, 128, 256, 256]);
});

test('chosen kernels replace those for the device; undefined chooses nothing', () => {
  const device = { ...info({ vendor: 'nvidia', isFallbackAdapter: false }), limits: limits(128) };
  expect(chooseKernels(device, { groupThreads: undefined, serialPoses: true })).toMatchObject({
    groupThreads: 128,
    serialPoses: true,
    serialLists: false,
  });
});

test('a device that lacks the workgroups of chosen kernels gets an issue for each', () => {
  const pathsWith = (threads: number) =>
    kernelLimitIssues(limits(threads), { groupThreads: 256, wideSkins: true }).map(({ path }) => path);
  const [both, wide] = [['kernels.groupThreads', 'kernels.wideSkins'], ['kernels.wideSkins']];
  expect([128, 255, 256, 511, 512].map(pathsWith)).toEqual([both, both, wide, wide, []]);
  expect(kernelLimitIssues(limits(128), { groupThreads: 128, wideSkins: false })).toEqual([]);
  expect(kernelLimitIssues(limits(128), {})).toEqual([]);
});

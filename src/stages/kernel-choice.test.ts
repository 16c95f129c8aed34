import { expect, test } from 'vitest';
import { chooseKernels } from './kernel-choice.ts';

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

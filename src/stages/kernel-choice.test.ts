import { expect, test } from 'vitest';
import { chooseKernels } from './kernel-choice.ts';

const info = (fields: Partial<GPUAdapterInfo>) => ({ adapterInfo: fields as GPUAdapterInfo });

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
  expect(chooseKernels(device)).toEqual({ serialPoses: software, serialLists: software, cachedPalettes: !software });
});

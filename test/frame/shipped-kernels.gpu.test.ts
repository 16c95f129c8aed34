// Whole crowds on the kernels that GPUs run. Elsewhere software adapters run others: lists and poses by single threads.
import { beforeAll, describe, expect, test } from 'vitest';
import { chooseKernels } from '../../src/stages/kernel-choice.ts';
import { noGpu, testDevice, withShippedKernels } from '../support/gpu.ts';
import { checkChurn, checkHandOver, checkOverflow, checkRelease } from '../support/memory-cases.ts';
import { CONTROLLER_SHARING_CASES, SHARING_CASES } from '../support/sharing-cases.ts';
import { READ_CASES, SOCKET_CASES } from '../support/socket-cases.ts';

describe.skipIf(noGpu())('whole crowds on the kernels of GPUs', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test('are those that a software adapter does not choose', async () => {
    const shipped = await withShippedKernels(device, async () => chooseKernels(device));
    expect(shipped).toMatchObject({ serialLists: false, serialPoses: false, cachedPalettes: true });
  });

  test.each([
    ...Object.entries({ ...SHARING_CASES, ...CONTROLLER_SHARING_CASES }),
    ...Object.entries(SOCKET_CASES),
    ...Object.entries(READ_CASES),
  ])('%s', (_, run) => withShippedKernels(device, () => run(device)));
  test.each([checkOverflow, checkHandOver, checkRelease])('%s', (run) =>
    withShippedKernels(device, () => run(device) as Promise<void>),
  );
  test('churn', () => withShippedKernels(device, () => checkChurn(device, 3, 12)));
});

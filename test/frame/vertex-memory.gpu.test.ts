// Vertex memory that does not suffice for all, on the GPU.
import { beforeAll, describe, test } from 'vitest';
import { noGpu, testDevice } from '../support/gpu.ts';
import { someSeeds, testInTurn } from '../support/setup.ts';
import { checkChurn, checkHandOver, checkOverflow, checkRelease, checkTooSmall } from '../support/memory-cases.ts';

describe.skipIf(noGpu())('vertex memory on the GPU', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test('draws as many as it holds, and counts the others', () => checkOverflow(device));
  test('that holds not even one of a type is refused', () => checkTooSmall(device));
  test('of one type goes to another', () => checkHandOver(device));
  test('is released when no character is left', () => checkRelease(device));
  testInTurn(2).each(someSeeds(1, 20))('stays sound while characters come and go: seed %i', (seed) =>
    checkChurn(device, seed, 12),
  );
});

// Events of clips, on the GPU, against what is worked out by hand.
import { beforeAll, describe, test } from 'vitest';
import { checkEvents, checkLeavers, checkOverflow, checkRepeats } from '../support/event-cases.ts';
import { noGpu, testDevice } from '../support/gpu.ts';

describe.skipIf(noGpu())('events on the GPU', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  test('are reported once each, in order', () => checkEvents(device, 1));
  // more frames than there are staging buffers: what stays in the ring comes with a later one
  test.each([4, 10])('are reported in the order of frames, %i of them in flight at once', (count) =>
    checkEvents(device, count),
  );
  test('over the limit are counted', () => checkOverflow(device));
  test('that repeat too often in one step are counted', () => checkRepeats(device));
  test.each([[[0, 1, 2]], [[2, 0, 1]]])(
    'belong to the character that lived when they fired, frames in order %j',
    (order) => checkLeavers(device, order),
  );
});

// Who stands at the edges of views, on the kernels.
import { expect, test } from 'vitest';
import { lookFromNearby } from '../support/edge-cases.ts';
import { noGpu, testDevice } from '../support/gpu.ts';

test.skipIf(noGpu()).each([
  [5, {}],
  [6, { poseSharing: { belowPx: 1e9, phases: 2, minWeight: 0.51 } }],
])(
  'a character that boxes of clips take out of a view has no vertex in it, and twins agree: seed %i, %o',
  async (seed, options) => {
    const { device } = await testDevice();
    const met = await lookFromNearby([device, undefined], seed, process.env['MANIPLE_FULL'] ? 150 : 25, options);
    console.log(`seed ${seed}: characters in views`, met);
    expect(met.lost).toBeGreaterThan(50);
  },
);

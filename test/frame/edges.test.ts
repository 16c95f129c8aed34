// Who is in a view's edge, on the twins.
import { expect, test } from 'vitest';
import { lookFromNearby } from '../support/edge-cases.ts';

test.each([1, 2, 3])('whom clips’ boxes take out of a view has no vertex in it: seed %i', async (seed) => {
  const met = await lookFromNearby([undefined], seed, 60);
  console.log(`seed ${seed}: characters in views`, met);
  expect(met.lost).toBeGreaterThan(50);
  expect(met.kept).toBeGreaterThan(200);
});

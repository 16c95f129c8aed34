// What frames of the CPU backend allocate.
import { expect, test } from 'vitest';
import type { Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { soldier } from '../support/soldiers.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

const DT = 1 / 60;

/** Bytes that a frame allocates: the middle of many, without those in which memory was collected. */
async function allocated(crowd: Crowd): Promise<number> {
  const grown: number[] = [];
  for (let frame = 0; frame < 150; frame++) {
    const before = process.memoryUsage().heapUsed;
    crowd.update({ dt: DT });
    const bytes = process.memoryUsage().heapUsed - before;
    await crowd.workDone();
    if (frame >= 100 && bytes > 0) grown.push(bytes);
  }
  return grown.sort((a, b) => a - b)[grown.length >> 1]!;
}

test('what a frame allocates hardly grows with the number of characters', async () => {
  const character = soldier();
  const bytes: number[] = [];
  for (const count of [50, 450]) {
    const crowd = createCrowd(undefined, { characters: [character], capacity: count, backend: 'cpu', skin: 'vertex' });
    crowd.spawn(character, { count });
    for (let frame = 0; frame < 60; frame++) await updateAndWait(crowd, { dt: DT });
    bytes.push(await allocated(crowd));
  }
  console.log(`a frame of 50 and of 450 characters allocates ${bytes.join(' and ')} bytes`);
  // numbers that compilers put into boxes; a record or a list for each would be thousands
  expect((bytes[1]! - bytes[0]!) / 400).toBeLessThan(256);
});

// What frames of the CPU backend allocate.
import { expect, test } from 'vitest';
import type { Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { soldier } from '../support/soldiers.ts';

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

/**
 * Bytes for each character that compilers put into boxes. There are next to none where this test runs alone, and 350 in a process where
 * other tests have called the same functions with values of other shapes. A record for each joint would be thousands.
 */
const MOST_BYTES = 512;

test('what a frame allocates hardly grows with the number of characters', async () => {
  const character = soldier();
  const crowds = [50, 450].map((count) => {
    const crowd = createCrowd(undefined, { characters: [character], capacity: count, backend: 'cpu', skin: 'vertex' });
    crowd.spawn(character, { count });
    return crowd;
  });
  let least = Infinity;
  // code that is not compiled yet has more boxes, and other tests of this process keep the compiler busy
  for (let round = 0; round < 3 && least >= MOST_BYTES; round++) {
    const bytes: number[] = [];
    for (const crowd of crowds) bytes.push(await allocated(crowd));
    console.log(`a frame of 50 and of 450 characters allocates ${bytes.join(' and ')} bytes`);
    least = Math.min(least, (bytes[1]! - bytes[0]!) / 400);
  }
  expect(least).toBeLessThan(MOST_BYTES);
});

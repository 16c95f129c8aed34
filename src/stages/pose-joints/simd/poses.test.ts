import { expect, test } from 'vitest';
import { Random } from '../../../../test/support/random.ts';
import { expectSamePoses, posesScene } from '../../../../test/support/random-poses.ts';
import { describeCase, randomCharacters, recordedCharacter, SEEDS } from '../../../../test/support/random-rigs.ts';
import { some } from '../../../../test/support/setup.ts';
import type { Character } from '../../../character/character.ts';
import { createSimd, type Simd } from './memory.ts';
import { poseInGroups } from './poses.ts';

const MISSING = 'no WebAssembly with SIMD';

async function simdWith(limit?: number): Promise<Simd> {
  const simd = await createSimd(limit);
  if (!simd) throw new Error(MISSING);
  return simd;
}

function expectParity(simd: Simd, seed: number, made: readonly Character[]): void {
  const scene = posesScene(new Random(seed), made, seed, seed % 3 === 0);
  const twin = scene.onTwin('pose-joints');
  // twice: rows are made, then found
  for (const time of ['first', 'second']) {
    const actual = scene.onTwin('pose-joints', (views) => void poseInGroups(views, simd));
    expectSamePoses(scene, twin, actual, `${describeCase(seed, made)}, ${time} time`);
  }
}

test.each(some(SEEDS, 2))('poses are those of the twin: seed %i', async (seed) => {
  expectParity(await simdWith(), seed, randomCharacters(seed));
});

test.each(some([2, 3, 7], 1))('also clips in sampled form, beside others: seed %i', async (seed) => {
  expectParity(await simdWith(), seed, [recordedCharacter(seed), ...randomCharacters(seed).slice(0, 1)]);
});

test('poses stay right where memory is forgotten before each character', async () => {
  const [seed] = SEEDS;
  const simd = await simdWith(0);
  expectParity(simd, seed!, randomCharacters(seed!));
  expect(simd.memory.generation).toBeGreaterThan(5);
});

test('without WebAssembly nothing is posed, and the caller is told', async () => {
  const { WebAssembly } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'WebAssembly');
    expect(await createSimd()).toBeUndefined();
  } finally {
    globalThis.WebAssembly = WebAssembly;
  }
});

import { describe, expect, test } from 'vitest';
import type { Character } from '../../src/character/character.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import type { PlayedClip } from '../../src/crowd/rows/players.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { CLIPS, SEEDS, describeCase, randomCharacters } from '../support/random-rigs.ts';
import { full, some } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** Room for eight motions, and for twelve. */
const MOTIONS = [8, 12];
const PER_TYPE = 3;

const randomMotions = (random: Random): PlayedClip[] =>
  Array.from({ length: random.integer(1, 8) }, () => ({
    clip: random.integer(0, CLIPS - 1),
    phase: random.next(),
    speed: random.range(-2, 2),
    weight: random.range(0.05, 1),
    loops: random.chance(0.5),
  }));

/** Spawns, plays and updates the same on every crowd. */
function drive(
  crowd: Crowd,
  characters: readonly Character[],
  seed: number,
): { groups: CharacterGroup[]; step: () => Promise<void> } {
  const random = new Random(seed);
  const groups = characters.map((character) => crowd.spawn(character, { count: PER_TYPE }));
  for (const group of groups) {
    for (const id of group.ids) crowd.setClips(id, randomMotions(random));
  }
  return { groups, step: () => updateAndWait(crowd, { dt: random.range(0, 0.2) }) };
}

describe.skipIf(noGpu())('whole frames on random rigs: GPU against twins (metric 1e-5 of size)', () => {
  // each seed compiles kernels: short runs take one
  test.each(some(SEEDS, 1))('seed %i', async (seed) => {
    const characters = randomCharacters(seed);
    const { device } = await testDevice();
    const shape = { characters, capacity: PER_TYPE * characters.length, maxClips: MOTIONS[seed % 2]! };
    // barriers take a software adapter seconds to compile: short runs seldom have them
    const kernels = full
      ? { serialPoses: seed % 4 === 0, cachedPalettes: seed % 5 !== 0 }
      : { serialPoses: seed % 4 !== 0, cachedPalettes: seed % 5 === 0 };
    const gpu = createCrowd(device, { ...shape, kernels });
    const cpu = createCrowd(undefined, { ...shape, backend: 'cpu' });
    const [onGpu, onCpu] = [gpu, cpu].map((crowd) => drive(crowd, characters, seed)) as [
      ReturnType<typeof drive>,
      ReturnType<typeof drive>,
    ];
    for (let frame = 0; frame < 3; frame++) {
      await onGpu.step();
      await onCpu.step();
    }
    for (const [t, character] of characters.entries()) {
      for (let i = 0; i < PER_TYPE; i++) {
        const actual = await gpu.readVertices(onGpu.groups[t]!.ids[i]!);
        const expected = await cpu.readVertices(onCpu.groups[t]!.ids[i]!);
        const worst = actual.reduce((most, value, at) => Math.max(most, Math.abs(value - expected[at]!)), 0);
        const label = `${describeCase(seed, characters)}; type ${t}, character ${i}`;
        expect(actual.length, label).toBe(3 * character.vertexCount);
        expect(worst / character.size, label).toBeLessThan(1e-5);
      }
    }
    gpu.destroy();
    cpu.destroy();
  });
});

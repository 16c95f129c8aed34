import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { CLIPS, SEEDS, describeCase, randomCharacters, recordedCharacter } from '../../../test/support/random-rigs.ts';
import { sample } from '../../../test/support/setup.ts';
import { StageScene } from '../../../test/support/stage-scene.ts';
import type { Character } from '../../character/character.ts';
import { View } from '../../layout/index.ts';
import { fixedSeconds, splitSeconds } from '../../math/fixed.ts';
import { MOTION_END, MOTION_ROWS, Motion } from '../layout.ts';
import { PLAYER_LOOPS, PLAYER_NONE } from './layout.ts';

const MOTION_CAPACITY = 8;
const EXACT = ['value0', 'value1', 'rate0', 'rate1', 'trackPair', 'constantPair', 'bases', 'kind'] as const;
const UNITS = ['unitExponents', 'scaleRateExponent'] as const;

/** Every place of every player: empty, running either way, fading, at its end, looping or not. */
function writePlayers(scene: StageScene, random: Random): void {
  scene.time = fixedSeconds(random.range(0, 10) + random.pick([0, 3600, 1_000_000]));
  const now =
    Number((BigInt(scene.params.get(0, 'timeHigh')) << 32n) | BigInt(scene.params.get(0, 'timeLow'))) / 2 ** 32;
  for (let row = 0; row < scene.players.count; row++) {
    const started = fixedSeconds(Math.max(0, now - random.pick([0, 0.01, 0.4, 3, 50_000])));
    const [startTimeLow, startTimeHigh] = splitSeconds(started);
    const clip = random.integer(0, CLIPS - 1) | (random.chance(0.5) ? PLAYER_LOOPS : 0);
    scene.players.assign(row, {
      clip: random.chance(0.3) ? PLAYER_NONE : clip >>> 0,
      startPhase: random.pick([0, 0xffffffff, random.integer(0, 0xffffffff)]),
      rate: random.pick([0, 2 ** 24, -(2 ** 24), random.integer(-(2 ** 27), 2 ** 27)]),
      startTimeLow,
      startTimeHigh,
      weightFrom: random.pick([0, 1, random.next()]),
      weightTo: random.pick([0, 1, random.next()]),
      fadeSeconds: random.pick([0, 0.5, 10]),
    });
  }
}

describe.skipIf(noGpu())('gather-motions against its twin (words exact, weights and bases 2e-6)', () => {
  test.each(sample(SEEDS, 4))('random players: seed %i', async (seed) => {
    await expectParity(seed, randomCharacters(seed));
  });

  test('clips in sampled form', async () => {
    await expectParity(2, [recordedCharacter(2), recordedCharacter(5)]);
  });

  async function expectParity(seed: number, characters: readonly Character[]): Promise<void> {
    const random = new Random(seed);
    const kernels = { serialPoses: true, cachedPalettes: false };
    const scene = new StageScene(characters, { each: 20, unposed: 3, motionCapacity: MOTION_CAPACITY, kernels });
    writePlayers(scene, random);
    const { device } = await testDevice();
    const [twin, gpu] = [scene.onTwin('gather-motions'), await scene.onGpu(device, 'gather-motions')];
    const expected = new View(Motion, twin.motions.buffer);
    const actual = new View(Motion, gpu.motions.buffer);
    for (const [i, { posed, motionRow }] of scene.places.entries()) {
      if (!posed) continue;
      for (let m = 0; m < MOTION_CAPACITY; m++) {
        const at = motionRow / MOTION_ROWS + m;
        const label = `${describeCase(seed, characters)}, character ${i}, motion ${m}`;
        const fields = (view: typeof expected, names: readonly (keyof (typeof Motion)['fields'])[]) =>
          names.map((name) => view.get(at, name));
        expect(fields(actual, ['kind']), label).toEqual(fields(expected, ['kind']));
        if (expected.get(at, 'kind') === MOTION_END) break;
        expect(fields(actual, [...EXACT, ...UNITS]), label).toEqual(fields(expected, [...EXACT, ...UNITS]));
        const reals = (view: typeof expected) => [
          view.get(at, 'weight'),
          view.get(at, 'fraction'),
          ...view.get(at, 'basis'),
        ];
        const wanted = reals(expected);
        reals(actual).forEach((real, index) => {
          expect(Math.abs(real - wanted[index]!), `${label}, number ${index}: ${real}`).toBeLessThan(2e-6);
        });
      }
    }
  }
});

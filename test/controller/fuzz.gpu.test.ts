import { describe, expect, test } from 'vitest';
import { compileController, type CompiledController } from '../../src/asset/controller/compile.ts';
import { AnimatorScene } from '../support/animator-scene.ts';
import { compareStates } from '../support/compare-animators.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { randomController } from '../support/random-controller.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';

/** Controllers of one crowd, crowds, and steps of each. */
const [EACH, CROWDS, STEPS] = full ? [250, 8, 40] : [100, 2, 20];
const PER_CONTROLLER = 2;

describe.skipIf(noGpu())('step-controllers against its twin', () => {
  test.each(Array.from({ length: CROWDS }, (_, seed) => 1 + seed * EACH))(
    `random controllers from seed %i on`,
    async (firstSeed) => {
      const controllers = Array.from({ length: EACH }, (_, i): CompiledController => {
        return compileController(randomController(new Random(firstSeed + i)));
      });
      const of = controllers.flatMap((_, c) => Array<number>(PER_CONTROLLER).fill(c));
      const scene = new AnimatorScene(controllers, of);
      const { device } = await testDevice();
      const random = new Random(firstSeed);
      const totals = { machines: 0, events: 0, nearTies: 0, transitions: 0 };
      for (let step = 0; step < STEPS; step++) {
        const commands = randomCommands(scene, random, step === 0);
        writeParameters(scene, random);
        const dt = random.pick([0, 1 / 60, 1 / 30, 0.1, random.range(0, 0.3), random.chance(0.1) ? 20 : 0.5]);
        const twin = scene.onTwin(dt, commands);
        const gpu = await scene.onGpu(device, dt, commands);
        const { problems, counts } = compareStates(scene, twin, gpu);
        const label = `seed ${firstSeed}, step ${step}, dt ${dt}`;
        expect(problems.slice(0, 5), label).toEqual([]);
        for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += counts[key];
        scene.state = gpu;
      }
      console.log(`seeds ${firstSeed} … ${firstSeed + EACH - 1}: ${JSON.stringify(totals)}`);
      expect(totals.nearTies).toBeLessThan(totals.machines / 500);
    },
  );
});

import { describe, expect, test } from 'vitest';
import { compileController } from '../../src/asset/controller/compile.ts';
import { AnimatorScene } from '../support/animator-scene.ts';
import { compareLists, compareStates } from '../support/compare-animators.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { randomClips, randomController } from '../support/random-controller.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { Random } from '../support/random.ts';
import { full } from '../support/setup.ts';
import { countState, countTransition, noCoverage, sizesOf } from './fuzz-coverage.ts';

/** Controllers of one crowd, crowds, and steps of each. */
const [EACH, CROWDS, STEPS] = full ? [250, 8, 40] : [80, 1, 24];
const PER_CONTROLLER = 2;

describe.skipIf(noGpu())('step-controllers against its twin', () => {
  test.each(Array.from({ length: CROWDS }, (_, seed) => 1 + seed * EACH))(
    `random controllers from seed %i on`,
    async (firstSeed) => {
      const models = Array.from({ length: EACH }, (_, i) => randomController(new Random(firstSeed + i)));
      const controllers = models.map((model, i) =>
        compileController(model, { resolve: randomClips(new Random(firstSeed + i), model) }),
      );
      const of = controllers.flatMap((_, c) => Array<number>(PER_CONTROLLER).fill(c));
      const scene = new AnimatorScene(controllers, of, 1 << 18);
      const { device } = await testDevice();
      const random = new Random(firstSeed);
      const coverage = noCoverage();
      for (let step = 0; step < STEPS; step++) {
        const commands = randomCommands(scene, random, step === 0);
        writeParameters(scene, random);
        const long = random.chance(0.2) ? random.range(1, 50) : 0.5;
        const dt = Math.fround(random.pick([0, 1 / 60, 1 / 30, 0.1, random.range(0, 0.3), long]));
        const twin = scene.onTwin(dt, commands, (...taken) => countTransition(coverage, scene, ...taken));
        const gpu = await scene.onGpu(device, dt, commands);
        const label = `seed ${firstSeed}, step ${step}, dt ${dt}`;
        expect(twin.state.events[0], label).toBeLessThanOrEqual(scene.eventCapacity);
        const { problems, counts } = compareStates(scene, twin, gpu, dt);
        expect(problems.slice(0, 5), label).toEqual([]);
        for (const key of ['events', 'machines', 'nearTies'] as const) coverage[key] += counts[key];
        scene.state = gpu;
        const lists = compareLists(scene, await scene.listOnGpu(device));
        expect(lists.problems.slice(0, 5), `lists, ${label}`).toEqual([]);
        coverage.samples += lists.samples;
        countState(coverage, scene);
      }
      console.log(`seeds ${firstSeed} … ${firstSeed + EACH - 1}:`, sizesOf(models), coverage);
      expect(coverage.nearTies).toBeLessThan(coverage.machines / 500);
      // a run in which little happens proves little
      const { transitions, exits, any, interruptions, frozen, truncations, events, rootMoves } = coverage;
      const happened = { transitions, exits, any, interruptions, frozen, truncations, events, rootMoves };
      for (const [what, count] of Object.entries({ ...happened, ...coverage.interrupted, ...coverage.nested })) {
        expect(count, what).toBeGreaterThan(0);
      }
    },
  );
});

import { describe, expect } from 'vitest';
import { compileController, type CompiledController } from '../../src/controller/compile.ts';
import { COMMAND_CROSS_FADE } from '../../src/stages/step-controllers/layout.ts';
import { AnimatorScene, type SceneCommand } from '../support/animator-scene.ts';
import { compareLists, compareStates, expectSameDrops } from '../support/compare-animators.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { leafController, LEAF_MOTIONS } from '../support/leaf-motions.ts';
import { RANDOM_CONTROLLER, randomClips, randomController } from '../support/random-controller.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { Random } from '../support/random.ts';
import { full, testInTurn } from '../support/setup.ts';

const STEPS = full ? 120 : 20;
const EACH = 3;
/** Random controllers to choose from. */
const RANDOM = full ? 200 : 40;

/** Controllers of the motions of `leaf-motions`, and those random ones that the common kernels have no room for. */
function largeControllers(): CompiledController[] {
  const motions = Object.entries(LEAF_MOTIONS);
  const chosen = motions.map(([name, motion], m) =>
    compileController(
      {
        ...leafController(name, motion, motions[(m + 1) % motions.length]![1]),
        blendedEvents: m % 2 === 0 ? 'all' : 'heaviest',
      },
      { resolve: (clip) => ({ root: root(Number(clip.slice(5))) }) },
    ),
  );
  const random = Array.from({ length: RANDOM }, (_, i) => {
    const from = randomController(new Random(1 + i), RANDOM_CONTROLLER);
    return compileController(from, { resolve: randomClips(new Random(1 + i), from, RANDOM_CONTROLLER) });
  });
  return [...chosen, ...random].filter(({ hasLargeMotions }) => hasLargeMotions);
}

/** All characters blend to another state, in the middle of whatever they do: two states' samples are frozen. */
function crossFades(scene: AnimatorScene, step: number): Map<number, SceneCommand[]> {
  return new Map(
    Array.from(scene.of, (index, character): [number, SceneCommand[]] => {
      const target = (step + character) % scene.controllers[index]!.machines[0]!.states.length;
      return [character, [{ kind: COMMAND_CROSS_FADE, target, fixed: true, amount: 0.5 }]];
    }),
  );
}

function root(c: number) {
  const times = Float32Array.of(0, 0.4 + c / 16);
  const half = Math.fround(Math.sin(c / 80));
  const rotations = Float32Array.of(0, 0, 0, 1, 0, half, 0, Math.sqrt(1 - half * half));
  return { times, positions: Float32Array.of(0, 0, 0, c / 10, 0, 1), rotations };
}

describe.skipIf(noGpu())('controllers of large motions, on their kernels and on the twin', () => {
  testInTurn(1)('step and list the same', async () => {
    const { device } = await testDevice();
    const controllers = largeControllers();
    expect(controllers.length).toBeGreaterThan(Object.keys(LEAF_MOTIONS).length + 5);
    const of = controllers.flatMap((_, c) => Array<number>(EACH).fill(c));
    const scene = new AnimatorScene(controllers, of, 1 << 16);
    expect(scene.traits).toMatchObject({ large: true, trees: true, events: true, root: true });
    const random = new Random(31);
    const met = { events: 0, samples: 0, freezes: 0, dropped: 0 };
    for (let step = 0; step < STEPS; step++) {
      const commands = step % 4 < 2 ? randomCommands(scene, random, step === 0) : crossFades(scene, step);
      if (step > 0) writeParameters(scene, random);
      const dt = Math.fround(random.pick([1 / 60, 0.1, random.range(0, 0.3)]));
      const label = `step ${step}, dt ${dt}`;
      const twin = scene.onTwin(dt, commands);
      const gpu = await scene.onGpu(device, dt, commands);
      const { problems, counts } = compareStates(scene, twin, gpu, dt);
      expect(problems.slice(0, 3), label).toEqual([]);
      if (counts.nearTies === 0) expectSameDrops(gpu, twin, label);
      scene.state = gpu;
      const lists = compareLists(scene, await scene.listOnGpu(device));
      expect(lists.problems.slice(0, 3), `lists, ${label}`).toEqual([]);
      met.events += counts.events;
      met.samples = Math.max(met.samples, lists.samples / scene.count);
      met.freezes += gpu.dropped.freezes;
      met.dropped += gpu.dropped.samples;
    }
    console.log(met);
    // a run in which little happens proves little
    expect(met.events).toBeGreaterThan(20);
    expect(met.samples, 'samples of a character, of all of them').toBeGreaterThan(14);
    expect(met.freezes).toBeGreaterThan(20);
    expect(met.dropped).toBeGreaterThan(met.freezes * 2);
  });
});

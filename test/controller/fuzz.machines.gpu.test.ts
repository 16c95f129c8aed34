import { describe, expect, test } from 'vitest';
import { defineController, param, blend1d, blend2d } from '../../src/controller/builder.ts';
import { COMMAND_START } from '../../src/stages/step-controllers/layout.ts';
import { compileController, type CompiledController } from '../../src/controller/compile.ts';
import { COMMON_LIMIT } from '../../src/controller/tables.ts';
import { AnimatorScene, sceneEvents, type SceneCommand } from '../support/animator-scene.ts';
import { compareLists, compareStates, expectSameDrops } from '../support/compare-animators.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { leafController, LEAF_MOTIONS } from '../support/leaf-motions.ts';
import type { ControllerModel } from '../../src/controller/model.ts';
import {
  CALM_CONTROLLER,
  RANDOM_CONTROLLER,
  randomClips,
  randomController,
  type RandomControllerShape,
} from '../support/random-controller.ts';
import { randomCommands, writeParameters } from '../support/random-script.ts';
import { Random } from '../support/random.ts';
import { full, hasTurn, someSeeds } from '../support/setup.ts';
import { countConditions, countState, countTransition, noCoverage, sizesOf, type Coverage } from './fuzz-coverage.ts';

/** Controllers of one crowd, crowds, and steps of each. */
const [EACH, CROWDS, STEPS] = full ? [250, 8, 40] : [40, 1, 16];
/** The same of calm ones: after a few steps like the others, short ones with nothing from outside. */
const [CALM_CROWDS, CALM_STEPS] = full ? [4, 60] : [1, 12];
const RESTLESS = 4;
const PER_CONTROLLER = 2;

/** Of a short run another crowd's each time, among those of full runs. */
const seeds = (crowds: number) => someSeeds(crowds, full ? crowds : 50, 0).map((crowd) => 1 + crowd * EACH);

describe.skipIf(noGpu() || !hasTurn(1))('step-controllers against its twin', () => {
  test.each(seeds(CROWDS))(`random controllers from seed %i on`, async (firstSeed) => {
    const { controllers, models } = controllersOf(firstSeed, RANDOM_CONTROLLER);
    // those with large motions run kernels of their own: leaves.machines.gpu.test.ts
    const equal = LEAF_MOTIONS['12 equal ones'];
    // two states of twelve clips: as much as the common kernels have room for
    const widest = compileController(leafController('full', equal, equal), { resolve: () => ({}) });
    const scene = sceneOf([...controllers.filter(({ hasLargeMotions }) => !hasLargeMotions), widest]);
    expect(scene.traits).toMatchObject({ trees: true, root: true, large: false });
    const coverage = await run(scene, firstSeed, STEPS, STEPS);
    console.log(`seeds ${firstSeed} … ${firstSeed + EACH - 1}:`, sizesOf(models), coverage);
    expect(coverage.nearTies).toBeLessThan(coverage.machines / 500);
    // a run in which little happens proves little
    const { transitions, exits, any, interruptions, frozen, truncations, events, rootMoves } = coverage;
    const happened = { transitions, exits, any, interruptions, frozen, truncations, events, rootMoves };
    for (const [what, count] of Object.entries({ ...happened, ...coverage.interrupted, ...coverage.nested })) {
      expect(count, what).toBeGreaterThan(0);
    }
  });

  test('of more workgroups than a dispatch dimension holds do what those of one row do', async () => {
    const { device } = await testDevice();
    const { controllers } = controllersOf(1, RANDOM_CONTROLLER);
    const scene = sceneOf(
      controllers.filter(({ hasLargeMotions }) => !hasLargeMotions),
      6,
    );
    const random = new Random(1);
    // more than 128 characters are three workgroups, two of them in a row
    expect(scene.count).toBeGreaterThan(2 * 64);
    for (let step = 0; step < 4; step++) {
      const commands = randomCommands(scene, random, step === 0);
      if (step === 0) expect(commands.size).toBeGreaterThan(2 * 64);
      writeParameters(scene, random);
      const dt = Math.fround(random.range(0.1, 0.5));
      const [rows, row] = [await scene.onGpu(device, dt, commands, 2), await scene.onGpu(device, dt, commands)];
      expect(rows.animators, `step ${step}`).toEqual(row.animators);
      expect(rows.transforms.words, `step ${step}`).toEqual(row.transforms.words);
      expect([rows.listed, rows.events[0]], `step ${step}`).toEqual([row.listed, row.events[0]]);
      scene.state = row;
      expect(await scene.listOnGpu(device, 2), `lists, step ${step}`).toEqual(await scene.listOnGpu(device));
    }
  });

  test.each(seeds(CALM_CROWDS))(`calm controllers from seed %i on`, async (firstSeed) => {
    // every other crowd's kernels are built without what only latched exits need
    const latched = Math.floor(firstSeed / EACH) % 2 === 0;
    const { controllers, models } = controllersOf(firstSeed, { ...CALM_CONTROLLER, latched });
    const scene = sceneOf(controllers);
    expect(scene.traits).toMatchObject({ trees: false, root: false, latched, large: false });
    expect(Math.max(...models.map(countConditions))).toBeGreaterThan(COMMON_LIMIT);
    const coverage = await run(scene, firstSeed, CALM_STEPS, RESTLESS);
    const { steps, busy, late, passing, transitions, exits, events, nearTies } = coverage;
    console.log(`seeds ${firstSeed} …, calm:`, { steps, busy, late, passing, transitions, exits, events, nearTies });
    expect(nearTies).toBeLessThan(coverage.machines / 500);
    for (const [what, count] of Object.entries({ late, passing, exits, events, between: busy - late })) {
      expect(count, what).toBeGreaterThan(0);
    }
    // few controllers differ more from the mean
    expect(busy, 'steps that decide something').toBeLessThan((full ? 1 / 2 : 2 / 3) * steps);
  });

  test('of synchronised clips with an event of one name, the heaviest fires it', async () => {
    const { device } = await testDevice();
    const places = [0, 0.2, 0.5, 0.55, 1, 1.2, 1.5, 1.8, 2];
    const heaviest = [0, 0, 0, 1, 1, 1, 1, 2, 2]; // of equal ones the first
    const at = [0.25, 0.3125, 0.1875];
    const trees = [
      blend1d('x', [0, 'a'], [1, 'b'], [2, 'c']),
      blend2d('freeformCartesian', ['x', 'y'], [[0, 0], 'a'], [[1, 0], 'b'], [[2, 0], 'c']),
    ];
    const controllers = trees.map((motion) =>
      compileController(
        defineController({
          name: 'walker',
          parameters: { x: param.float(), y: param.float() },
          layers: [{ name: 'Base', machine: { default: 'Move', states: { Move: { motion } } } }],
          clips: Object.fromEntries(['a', 'b', 'c'].map((clip, c) => [clip, { length: 1, events: [{ name: 'step', time: at[c]! }] }])), // prettier-ignore
          blendedEvents: 'heaviest',
        }),
      ),
    );
    const scene = sceneOf(controllers, places.length);
    expect(scene.traits).toMatchObject({ trees: false, large: false });
    const x = scene.memory.columnWord(1, 0);
    const start = new Map(
      Array.from(scene.of, (of, c): [number, SceneCommand[]] => [
        c,
        [{ kind: COMMAND_START, target: scene.rows[of]! }],
      ]),
    );
    scene.of.forEach((_, c) => (scene.memory.floats[x + c] = places[c % places.length]!));
    const fired = sceneEvents(await scene.onGpu(device, 0.5, start)).map(({ character, time }) => [character, time]);
    expect(fired).toEqual(Array.from(scene.of, (_, c) => [c, at[heaviest[c % places.length]!]]));
  });
});

function controllersOf(
  firstSeed: number,
  shape: RandomControllerShape,
): { controllers: CompiledController[]; models: ControllerModel[] } {
  const models = Array.from({ length: EACH }, (_, i) => randomController(new Random(firstSeed + i), shape));
  const controllers = models.map((model, i) =>
    compileController(model, { resolve: randomClips(new Random(firstSeed + i), model, shape) }),
  );
  return { controllers, models };
}

function sceneOf(controllers: readonly CompiledController[], each = PER_CONTROLLER): AnimatorScene {
  const of = controllers.flatMap((_, c) => Array<number>(each).fill(c));
  return new AnimatorScene(controllers, of, 1 << 18);
}

/** Steps on both, the twin from where the GPU stands; after some of them without commands, all of a sixtieth. */
async function run(scene: AnimatorScene, seed: number, steps: number, restless: number): Promise<Coverage> {
  const { device } = await testDevice();
  const random = new Random(seed);
  const coverage = noCoverage();
  for (let step = 0; step < steps; step++) {
    const isCalm = step >= restless;
    const commands = isCalm ? new Map() : randomCommands(scene, random, step === 0);
    if (!isCalm) writeParameters(scene, random);
    const long = random.chance(0.2) ? random.range(1, 50) : 0.5;
    const dt = Math.fround(isCalm ? 1 / 60 : random.pick([0, 1 / 60, 1 / 30, 0.1, random.range(0, 0.3), long]));
    const twin = scene.onTwin(dt, commands, (...taken) => countTransition(coverage, scene, ...taken));
    const gpu = await scene.onGpu(device, dt, commands);
    const label = `seed ${seed}, step ${step}, dt ${dt}`;
    expect(twin.state.events[0], label).toBeLessThanOrEqual(scene.eventCapacity);
    const { problems, counts } = compareStates(scene, twin, gpu, dt);
    expect(problems.slice(0, 5), label).toEqual([]);
    // what is dropped follows from choices that a near-tie may turn
    if (counts.nearTies === 0) expectSameDrops(gpu, twin, label);
    for (const key of ['events', 'machines', 'nearTies'] as const) coverage[key] += counts[key];
    (['busy', 'late', 'passing'] as const).forEach((list, i) => (coverage[list] += gpu.listed[i]!));
    scene.state = gpu;
    const lists = compareLists(scene, await scene.listOnGpu(device));
    expect(lists.problems.slice(0, 5), `lists, ${label}`).toEqual([]);
    coverage.samples += lists.samples;
    countState(coverage, scene);
  }
  return coverage;
}

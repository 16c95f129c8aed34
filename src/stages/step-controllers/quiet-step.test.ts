import { afterEach, expect, test, vi } from 'vitest';
import { AnimatorScene } from '../../../test/support/animator-scene.ts';
import {
  CALM_CONTROLLER,
  RANDOM_CONTROLLER,
  randomController,
  type RandomControllerShape,
} from '../../../test/support/random-controller.ts';
import { randomCommands, writeParameters } from '../../../test/support/random-script.ts';
import { Random } from '../../../test/support/random.ts';
import { full, runSeed } from '../../../test/support/setup.ts';
import { compileController } from '../../controller/compile.ts';
import { QuietStep } from './quiet-step.ts';

const CONTROLLERS = full ? 200 : 16;
const STEPS = full ? 200 : 40;

afterEach(() => void vi.restoreAllMocks());

function sceneOf(shape: RandomControllerShape): AnimatorScene {
  const controllers = Array.from({ length: CONTROLLERS }, (_, i) =>
    compileController(randomController(new Random(runSeed + i), shape)),
  );
  return new AnimatorScene(
    controllers,
    controllers.map((_, i) => i),
    1 << 10,
  );
}

test.each([
  ['many decisions', RANDOM_CONTROLLER, 0.2],
  ['few decisions', CALM_CONTROLLER, 0.02],
] as const)('machines that decide nothing end as the whole update leaves them: %s', (_, shape, chance) => {
  const run = vi.spyOn(QuietStep.prototype, 'run');
  const needsPart = vi.spyOn(QuietStep.prototype, 'needsPart');
  const [scene, random] = [sceneOf(shape), new Random(runSeed)];
  for (let step = 0; step < STEPS; step++) {
    const isTold = step === 0 || random.chance(chance);
    const commands = isTold ? randomCommands(scene, random, step === 0) : new Map<number, never>();
    if (random.chance(0.3)) writeParameters(scene, random);
    const dt = Math.fround(random.pick([0, 1 / 60, 1 / 60, 1 / 30, 0.3, random.range(0, 2)]));
    const whole = scene.onTwin(dt, commands).state;
    const quick = scene.onQuickTwin(dt, commands);
    const label = `step ${step}, dt ${dt}`;
    expect(quick.animators, label).toEqual(whole.animators);
    expect(quick.events, label).toEqual(whole.events);
    expect(quick.transforms.words, label).toEqual(whole.transforms.words);
    scene.state = whole;
  }
  const [quiet, parts] = [run, needsPart].map(({ mock }) => mock.results.filter(({ value }) => value).length);
  const all = run.mock.calls.length;
  console.log(`${quiet} of ${all} updates decided nothing, ${parts} of them passed something`);
  expect(quiet).toBeGreaterThan(all / 4);
  expect(parts).toBeGreaterThan(0);
});

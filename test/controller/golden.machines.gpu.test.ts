import { describe, expect, test } from 'vitest';
import { controllerView } from '../../src/controller/eval/controller-view.ts';
import { treeWeights } from '../../src/controller/eval/tree-weights.ts';
import { compileController } from '../../src/controller/compile.ts';
import type { TreeModel } from '../../src/controller/model.ts';
import { AnimatorScene } from '../support/animator-scene.ts';
import { runOnScene, treeWeightsOnGpu } from '../support/controller-shader.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { runSeed } from '../support/setup.ts';
import { GOLDEN_EXITS, GOLDEN_TREES, goldenController, type GoldenTree } from './golden-cases.ts';

describe.skipIf(noGpu())('golden values on the GPU', () => {
  const controllers = GOLDEN_TREES.map((golden) => compileController(goldenController(golden)));
  const scene = new AnimatorScene(
    controllers,
    controllers.map((_, i) => i),
  );

  test('weights of trees', async () => {
    const { device } = await testDevice();
    const weights = await treeWeightsOnGpu(device, scene);
    GOLDEN_TREES.forEach((golden, i) => {
      golden.weights.forEach((weight, c) => {
        expect(weights[16 * i + c], `${golden.name}, child ${c}`).toBeCloseTo(weight, 4.7);
      });
    });
  });

  test('weights of random trees are the twin’s', async () => {
    const random = new Random(runSeed);
    const { device } = await testDevice();
    const coordinate = (): number => random.pick([-1, 0, 1, random.range(-2, 2)]);
    const trees = Array.from({ length: 1000 }, (_, n): GoldenTree => {
      const blend = random.pick(['1d', 'directional', 'freeformDirectional', 'freeformCartesian'] as const);
      const count = random.integer(1, 16);
      const tree: TreeModel =
        blend === '1d'
          ? {
              blend,
              parameter: 'x',
              children: Array.from({ length: count }, () => ({ at: coordinate(), motion: 'c' })),
            }
          : {
              blend,
              parameters: ['x', 'y'],
              children: Array.from({ length: count }, () => ({ at: [coordinate(), coordinate()], motion: 'c' })),
            };
      return { name: `${blend} ${n}`, tree, x: coordinate(), y: coordinate(), weights: [] };
    });
    const compiled = trees.map((tree) => compileController(goldenController(tree)));
    const all = new AnimatorScene(
      compiled,
      compiled.map((_, i) => i),
      1,
    );
    const weights = await treeWeightsOnGpu(device, all);
    compiled.forEach((_, i) => {
      const view = controllerView(all.rig, all.rows[i]!);
      const motion = view.motion(view.machines[0]!.state(0).motionRow)!;
      const { type, children } = motion.trees[0]!;
      const { x, y, tree, name } = trees[i]!;
      treeWeights(type, children, Math.fround(x), Math.fround(y), [], false).forEach((weight, c) => {
        const label = `${name}: ${JSON.stringify({ tree, x, y })}, child ${c}`;
        expect(Math.abs(weights[16 * i + c]! - weight), label).toBeLessThan(1e-5);
      });
    });
  });

  test('exit times', async () => {
    const { device } = await testDevice();
    const input = new Float32Array(GOLDEN_EXITS.flatMap(({ from, to, exit }) => [from, to, exit, 0]));
    const output = await runOnScene(
      device,
      scene,
      {
        imports: `
import package::math::cycles::{Cycles, subtractCycles, toCycles};
import package::stages::step_controllers::crossings::{Movement, distanceToPhase, isPositive, playedTime, reaches, shareOf};
import package::layout::rig::rig4;
import package::layout::animator::{animators, regions};`,
        main: `
  let way = bitcast<vec4f>(input[i]);
  let start = toCycles(way.x);
  let end = toCycles(way.y);
  let backward = way.y < way.x;
  var travel = subtractCycles(end, start);
  if (backward) { travel = subtractCycles(start, end); }
  let movement = Movement(start, travel, backward);
  let exit = toCycles(way.z);
  let played = playedTime(movement);
  var distance = subtractCycles(exit, played);
  if (way.z <= 1.0) { distance = distanceToPhase(played.phase, exit.phase); }
  output[i] = vec4u(0u);
  if (isPositive(distance) && reaches(movement, distance)) { output[i] = vec4u(1u, bitcast<u32>(shareOf(distance, travel)), 0u, 0u); }`,
      },
      new Uint32Array(input.buffer),
      GOLDEN_EXITS.length,
    );
    const [words, floats] = [new Uint32Array(output), new Float32Array(output)];
    GOLDEN_EXITS.forEach(({ from, to, exit, share }, i) => {
      const label = `exit time ${exit} of a clock from ${from} to ${to}`;
      expect(words[4 * i], label).toBe(share === undefined ? 0 : 1);
      if (share !== undefined) expect(floats[4 * i + 1], label).toBeCloseTo(share, 5);
    });
  });
});

import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../test/support/gpu.ts';
import { randomModel } from '../../test/support/random-model.ts';
import { Random } from '../../test/support/random.ts';
import { full } from '../../test/support/setup.ts';
import { StageScene, type SceneArrays, vertexIn } from '../../test/support/stage-scene.ts';
import { packCharacter } from '../character/pack/index.ts';
import { View } from '../layout/index.ts';
import { PLAYER_LOOPS } from './gather-motions/layout.ts';
import { Motion } from './layout.ts';

const SHAPE = { depth: 6, influences: 4, morphs: 1, clips: 2, vertices: 30, scales: false, meshes: 1, keys: 4 };
const WIDTH = 3;
const MOTIONS = 2;

function sceneOf(joints: number, each: number, serialPoses: boolean): StageScene {
  const random = new Random(7);
  const character = packCharacter(randomModel(random, { ...SHAPE, joints, interpolations: ['LINEAR'] }));
  const kernels = { serialPoses, cachedPalettes: !serialPoses };
  const scene = new StageScene([character], { each, motionCapacity: MOTIONS, kernels });
  scene.params.assign(0, { frame: 1, timeHigh: 3 });
  for (let row = 0; row < scene.players.count; row++) {
    const clip = (random.integer(0, SHAPE.clips - 1) | PLAYER_LOOPS) >>> 0;
    const weight = random.range(0.1, 1);
    const startPhase = random.integer(0, 0xffffffff);
    scene.players.assign(row, { clip, startPhase, rate: 2 ** 22, weightFrom: weight, weightTo: weight });
  }
  return scene;
}

/** Those that read the visible list; cull-characters, which makes it, has a parity test of its own. */
const STAGES = ['gather-motions', 'pose-joints', 'skin-vertices'] as const;
const ARRAYS = ['visible', 'motions', 'palettes', 'skinned'] as const;

/** Which arrays differ. */
function differing(a: SceneArrays, b: SceneArrays): string[] {
  return ARRAYS.filter((name) => Buffer.compare(Buffer.from(a[name].buffer), Buffer.from(b[name].buffer)) !== 0);
}

/** The kinds of all motions, and the largest difference between matrices and between positions. */
function compare({ places }: StageScene, twin: SceneArrays, gpu: SceneArrays): { kinds: boolean; worst: number } {
  const [expected, actual] = [twin, gpu].map(({ motions }) => new View(Motion, motions.buffer)) as [
    View<(typeof Motion)['fields']>,
    View<(typeof Motion)['fields']>,
  ];
  let kinds = true;
  for (let row = 0; row < expected.count; row++) kinds &&= expected.get(row, 'kind') === actual.get(row, 'kind');
  let worst = 0;
  const measure = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    for (let i = 0; i < a.length; i++) worst = Math.max(worst, Math.abs(a[i]! - b[i]!));
  };
  const rows = ({ palettes }: SceneArrays, first: number, count: number) =>
    new Float32Array(palettes.buffer, 16 * first, 4 * count);
  for (const place of places) {
    const { type, paletteRow } = place;
    measure(rows(twin, paletteRow, 3 * type.paletteCount), rows(gpu, paletteRow, 3 * type.paletteCount));
    for (let v = 0; v < type.character.vertexCount; v++)
      measure(vertexIn(twin.skinned, place, v).position, vertexIn(gpu.skinned, place, v).position);
  }
  return { kinds, worst };
}

describe.skipIf(noGpu())('rows of workgroups (the same words as in one row; metric 1e-4 m from the twin)', () => {
  // Workgroups, and those that rows of 3 have beyond them: 290 characters are 5 (1) of 64 threads, 58 (2) of five
  // skeletons, 73 (2) of four meshes; 11 characters in storage are 11 (1), their meshes 3 (0).
  const cases = [
    // skins as the next case, whose kernel software adapters compile for seconds
    ['a workgroup per character', 260, 11, false, full ? STAGES : STAGES.slice(0, 2)],
    ['a thread per joint', 24, 290, false, STAGES],
    ['a thread per character', 24, 290, true, STAGES],
  ] as const;
  test.each(cases)(`all stages in rows of ${WIDTH}, poses with %s`, async (_, joints, each, serialPoses, stages) => {
    const scene = sceneOf(joints, each, serialPoses);
    const { device } = await testDevice();
    for (const stage of stages) {
      const twin = scene.onTwin(stage);
      const rows = await scene.onGpu(device, stage, WIDTH);
      expect(differing(rows, await scene.onGpu(device, stage)), stage).toEqual([]);
      expect(differing(rows, scene.arrays), stage).not.toEqual([]);
      const { kinds, worst } = compare(scene, twin, rows);
      expect(kinds, stage).toBe(true);
      expect(worst, stage).toBeLessThan(1e-4);
      // what the next stage reads
      for (const name of ARRAYS) scene.arrays[name].set(twin[name]);
    }
  });
});

// The GPU's pictures, of crowds that kernels ran, against the reference's, of the same crowds on twins.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { compareWithReference, type ReferenceDifference } from '../../../test/support/compare-with-reference.ts';
import { full, hasTurn, noShared, shared } from '../../../test/support/setup.ts';
import { gridOf } from '../../../test/support/random-triangles.ts';
import { loadCast, loadScenery } from '../../cli/actions/render/stage.ts';
import { Progress } from '../../cli/output.ts';
import { openFile, packOpened } from '../../cli/load.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { fight, stageBattle, type Battle } from '../../battle/battle.ts';
import { sceneryOf } from '../../battle/scenery.ts';
import { stageParade } from '../../battle/parade.ts';
import { stageView } from '../../../test/support/stage-view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const SIZE = { width: 160, height: 90 };
/** Codes of 255 on the average; shares of pixels that are farther off, and whose ids differ: at edges. */
const LIMITS = { mean: 0.5, far: 0.01, others: 0.01 };
/** Pixels, shares, and parts of a unit, on the average. */
const SURFACES = { motion: 0.02, depth: 1e-3, normal: 0.01 };

const FILES = [
  'characters/cesium-man.glb',
  'creatures/khronos-fox.glb',
  'characters/kaykit-knight.glb',
  'basics/MorphStressTest.glb',
];

describe.skipIf(noVisibility() || !hasTurn(2))('the reference and the visibility renderer draw the same', () => {
  const differences: Record<string, ReferenceDifference> = {};
  let device: GPUDevice;
  let gridSteps: number;
  beforeAll(async () => {
    const opened = await testDevice();
    ({ device } = opened);
    gridSteps = gridOf(opened.kind);
  });
  afterAll(() => console.table(differences));

  const agree = (name: string, found: ReferenceDifference) => {
    differences[name] = found;
    expect(found.shown, name).toBeGreaterThan(300);
    for (const [key, limit] of Object.entries({ ...LIMITS, ...SURFACES })) {
      expect(found[key as keyof ReferenceDifference], `${name}: ${key}`).toBeLessThan(limit);
    }
  };

  // by name: the first two in short runs, one textured and one with vertex colours
  test.skipIf(noShared()).each(full ? FILES : FILES.slice(0, 2))('of %s', async (file) => {
    const character = await packOpened(await openFile(path.join(shared, 'assets', file)), { errorBudget: undefined });
    const staged = await onBoth(async (backend) => {
      const crowd = createCrowd(device, { characters: [character], capacity: 3, maxClips: 2, backend });
      const stage = stageParade(crowd, [character], { count: 3, seed: 1 });
      for (let frame = 0; frame < 2; frame++) await updateAndWait(crowd, { dt: 1 / 30 });
      return { crowd, stage };
    });
    const name = path.basename(file);
    agree(
      name,
      await compareWithReference(
        device,
        crowdsOf(staged),
        { ...stageView(staged.cpu.stage), ...SIZE },
        { name, gridSteps },
      ),
    );
    destroy(staged);
  });

  // kernels of controllers take software adapters long to compile
  test.runIf(full)('of a battle, with scenery', async () => {
    const cast = { isBattle: true, count: 6, sources: ['characters/legionary.glb', 'characters/raider.glb'] };
    const characters = (await loadCast(cast, {}, new Progress())).map(({ character }) => character);
    const staged = await onBoth(async (backend) => {
      const crowd = createCrowd(device, { characters, capacity: 6, backend });
      const stage: Battle = stageBattle(crowd, characters[0]!, characters[1]!, { count: 6, seed: 7 });
      await fight(crowd, stage, 2);
      for (let frame = 0; frame < 2; frame++) await updateAndWait(crowd, { dt: 1 / 60 });
      return { crowd, stage };
    });
    const { camera } = staged.cpu.stage;
    const place = sceneryOf({ count: 6, seed: 7, eye: camera.eye });
    const scenery = await loadScenery(place);
    const view = { ...stageView(staged.cpu.stage), bounds: place.bounds, ...SIZE };
    agree('battle', await compareWithReference(device, crowdsOf(staged), view, { name: 'battle', gridSteps, scenery }));
    destroy(staged);
  });
});

type Both<T> = Readonly<Record<'gpu' | 'cpu', T>>;

async function onBoth<T>(make: (backend: 'gpu' | 'cpu') => Promise<T>): Promise<Both<T>> {
  return { gpu: await make('gpu'), cpu: await make('cpu') };
}

function crowdsOf({ gpu, cpu }: Both<{ readonly crowd: Crowd }>): Both<Crowd> {
  return { gpu: gpu.crowd, cpu: cpu.crowd };
}

function destroy({ gpu, cpu }: Both<{ readonly crowd: Crowd }>): void {
  for (const { crowd } of [gpu, cpu]) crowd.destroy();
}

// The visibility renderer's pictures against the forward renderer's, of the same crowds: colours, ids and motion.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { comparedRenderers, type RendererDifference } from '../../../test/support/compare-renderers.ts';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { full, noShared, shared, testInTurn } from '../../../test/support/setup.ts';
import { maskedModel } from '../../../test/support/masked-model.ts';
import { packCharacter, type Character } from '../../character/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import { openFile, packOpened } from '../../cli/load.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { importGltf } from '../../import/index.ts';
import { stageParade } from '../../battle/parade.ts';
import { createScenery } from '../scenery/scenery.ts';
import { stageView } from '../../../test/support/stage-view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { internalsOf } from '../../crowd/internals.ts';

/** Codes of 255 that colours may differ by, on the average. */
const LIMIT = 1;
const BY_COMPUTE = { hardwareSize: Infinity, triangleSize: 126 };
const BY_HARDWARE = { hardwareSize: 0 };
/** A metre above the ground, along −z. */
const CAMERA = { eye: [0.4, 1.2, 5], target: [0, 0.8, 0], fovY: 0.7 } as const;
const VIEW = { camera: CAMERA, bounds: { min: [-4, 0, -5], max: [4, 3, 4] } } as const;

describe.skipIf(noVisibility())('the visibility renderer', () => {
  const differences: Record<string, RendererDifference> = {};
  let device: GPUDevice;
  /** Of pixels with somebody: outlines of thin parts that turn fast lie elsewhere where corners are rounded to 1/16 pixel. */
  let motionShare = 0;
  beforeAll(async () => {
    const opened = await testDevice();
    ({ device } = opened);
    if (opened.kind === 'software') motionShare = 1e-3;
  });
  afterAll(() => console.table(differences));

  const look = (name: string, difference: RendererDifference) => {
    differences[name] = difference;
    expect(difference.mean, name).toBeLessThanOrEqual(LIMIT);
    expect(difference.strangers, name).toBe(0);
  };
  /** Pictures of one crowd, taken together: a thousandth of what one of them shows may be less than a pixel. */
  const move = (name: string, differences: readonly RendererDifference[]) => {
    const sum = (key: 'otherMotion' | 'shown') => differences.reduce((total, each) => total + each[key], 0);
    expect(sum('otherMotion'), name).toBeLessThanOrEqual(motionShare * sum('shown'));
  };
  const agree = (name: string, difference: RendererDifference) => {
    look(name, difference);
    move(name, [difference]);
  };

  /** In full runs alone: each has shaders of its own, which software adapters compile for seconds. */
  const FILES = [
    'characters/cesium-man.glb',
    'creatures/khronos-fox.glb',
    'characters/robot-expressive.glb',
    'basics/MorphStressTest.glb',
    'characters/kaykit-knight.glb',
    'characters/cyberpunk-character.glb',
  ];
  test.skipIf(noShared()).each(full ? FILES : [])('draws what the forward renderer draws: %s', async (file) => {
    const character: Character = await packOpened(await openFile(path.join(shared, 'assets', file)), {
      errorBudget: undefined,
    });
    const crowd = createCrowd(device, { characters: [character], capacity: 12, maxClips: 2 });
    const stage = stageParade(crowd, [character], { count: 12, seed: 1 });
    const renderers = await comparedRenderers(device, crowd);
    const differences: RendererDifference[] = [];
    for (const frame of [0, 1, 2]) {
      await updateAndWait(crowd, { dt: 1 / 30 });
      const difference = await renderers.compare(`${path.basename(file)}-${frame}`, stageView(stage));
      look(`${path.basename(file)} ${frame}`, difference);
      differences.push(difference);
    }
    move(file, differences);
    renderers.destroy();
    crowd.destroy();
  });

  const byBoth = [
    ['compute', BY_COMPUTE],
    ['the hardware', BY_HARDWARE],
  ] as const;
  test.each(full ? byBoth : byBoth.slice(0, 1))(
    'leaves the holes of masked materials open: by %s',
    async (name, sizes) => {
      const character = packCharacter(await maskedModel());
      const crowd = createCrowd(device, { characters: [character], capacity: 3 });
      crowd.spawn(character, {
        count: 3,
        place: (i, at) => {
          at.position.set(i - 1, 0.9, -0.8 * i);
          at.rotation.setYaw(0.5 * i - 0.4);
        },
      });
      await updateAndWait(crowd, { dt: 0 });
      const renderers = await comparedRenderers(device, crowd, { hardwareRaster: sizes });
      const difference = await renderers.compare(`masked-${name}`, VIEW);
      agree(`masked, by ${name}`, difference);
      // without holes the three squares would cover some 1,300 pixels
      expect(difference.shown).toBeGreaterThan(400);
      expect(difference.shown).toBeLessThan(900);
      const kept = (await renderers.visibility.readStats())!.kept[0]!;
      expect(name === 'compute' ? kept.hardware : kept.compute).toBe(0);
      renderers.destroy();
      crowd.destroy();
    },
  );

  testInTurn(0)(
    'follows a crowd that changes: no characters, some, tints, hidden parts, more pages, a larger capacity, scenery',
    async () => {
      const mote = packCharacter({ ...moteModel(), materials: [], images: [] });
      const size = Math.max(...mote.bounds.max.map((high, c) => high - mote.bounds.min[c]!));
      const stand = (count: number, z: number) => ({
        count,
        place: (i: number, at: { scale: number; position: { set(x: number, y: number, z: number): void } }) => {
          at.scale = 1.2 / size;
          at.position.set((i % 5) - 2, -at.scale * mote.bounds.min[1]!, z - 0.7 * Math.floor(i / 5));
        },
      });
      const bytes = new Uint8Array(await readFile('props/boulder.glb'));
      const resolve = () => Promise.reject(new Error('one file holds it all'));
      const boulder = packScenery(await importGltf({ name: 'boulder', bytes, resolve }));
      const places = [{ position: [1.2, 0, 1], rotation: [0, 0, 0, 1], scale: 0.5 }] as const;
      const crowd = createCrowd(device, { characters: [mote], capacity: 8 });
      const [scenery, none] = [createScenery(device, [{ character: boulder, places }]), createScenery(device, [])];
      const renderers = await comparedRenderers(device, crowd, { scenery, hardwareRaster: { triangleSize: 6 } });
      const step = async (name: string, shown: boolean) => {
        await updateAndWait(crowd, { dt: 1 / 30 });
        const difference = await renderers.compare(name.replaceAll(' ', '-'), VIEW);
        agree(name, difference);
        expect(difference.shown > 0, name).toBe(shown);
      };
      const pages = () => new Set(internalsOf(crowd).host.backend.memory!.draws.map(({ pageIndex }) => pageIndex)).size;
      await step('empty', false);
      const group = crowd.spawn(mote, stand(5, 0));
      await step('some', true);
      group.setTint([1, 0.2, 0.1, 1], [0, 2]);
      group.hideParts(mote.parts[0]!, [1, 2]);
      await step('tints and hidden parts', true);
      crowd.grow(60);
      crowd.spawn(mote, stand(40, -1));
      await step('more', true);
      expect(pages()).toBeGreaterThan(1);
      group.despawn();
      await step('fewer', true);
      crowd.despawn(crowd.ids);
      await step('no characters again', false);
      renderers.destroy();
      const bare = await comparedRenderers(device, crowd, { scenery: none });
      agree('no scenery', await bare.compare('no-scenery', VIEW));
      bare.destroy();
      for (const owned of [scenery, none, crowd]) owned.destroy();
    },
  );
});

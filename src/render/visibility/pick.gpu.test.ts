// Whom a pixel shows: the same as by the forward renderer.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../test/support/gpu.ts';
import { packCharacter } from '../../character/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { importGltf } from '../../import/gltf/import-gltf.ts';
import { createForwardRenderer } from '../forward/forward.ts';
import type { PickHit, PickView } from '../forward/view.ts';
import { createScenery, type Scenery } from '../scenery/scenery.ts';
import { createVisibilityRenderer } from './visibility.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const [WIDTH, HEIGHT] = [60, 40];
const VIEW: PickView = { camera: { eye: [0, 1.6, 4.5], target: [0, 0.8, 0] }, width: WIDTH, height: HEIGHT };
const STEP = 9;

describe.skipIf(noVisibility())('picking in visibility buffers', () => {
  let device: GPUDevice;
  let crowd: Crowd;
  let scenery: Scenery;

  beforeAll(async () => {
    ({ device } = await testDevice());
    const load = (file: string) => {
      const bytes = new Uint8Array(readFileSync(path.resolve(file)));
      const resolve = () => Promise.reject(new Error('one file holds it all'));
      return importGltf({ name: file, bytes, resolve });
    };
    const model = await load('characters/legionary.glb');
    const legionary = packCharacter({ ...model, clips: [] });
    crowd = createCrowd(device, { characters: [legionary], capacity: 4 });
    crowd.spawn(legionary, {
      count: 4,
      place: (i, at) => at.position.set(i * 1.2 - 1.8, 0, -(i % 2)),
    });
    await updateAndWait(crowd, { dt: 0 });
    const boulder = packScenery(await load('props/boulder.glb'));
    const place = { rotation: [0, 0, 0, 1], scale: 1, position: [0.6, 0, 1.5] } as const;
    scenery = createScenery(device, [{ character: boulder, places: [place] }]);
  });
  afterAll(() => {
    crowd?.destroy();
    scenery?.destroy();
  });

  test('finds the characters that the forward renderer finds, at every pixel', async () => {
    const forward = await createForwardRenderer(device, crowd, { scenery, shadowResolution: 16, cascadeCount: 1 });
    const renderer = await createVisibilityRenderer(device, crowd, { scenery, shadowResolution: 16, cascadeCount: 1 });
    const points: { x: number; y: number; picked: PickHit | undefined }[] = [];
    for (let y = 4; y < HEIGHT; y += STEP) {
      for (let x = 2; x < WIDTH; x += STEP) {
        const picked = await renderer.pick(VIEW, x + 0.3, y);
        expect(picked, `${x}, ${y}`).toEqual(await forward.pick(VIEW, x + 0.3, y));
        points.push({ x, y, picked });
      }
    }
    // ground, sky and boulder are nobody
    expect(points.some(({ picked }) => !picked)).toBe(true);
    expect(new Set(points.map(({ picked }) => picked?.id)).size).toBeGreaterThan(3);
    expect(new Set(points.map(({ picked }) => picked?.part)).size).toBeGreaterThan(1);
    for (const [x, y] of [
      [-1, 3],
      [3, -0.5],
      [WIDTH, 3],
      [3, HEIGHT],
      [NaN, 3],
    ] as const)
      // prettier-ignore
      expect(await renderer.pick(VIEW, x, y)).toBeUndefined();
    const nobody = { ...VIEW, views: { picture: 0, shadow: 0 } };
    const shown = points.find(({ picked }) => picked)!;
    expect(await renderer.pick(nobody, shown.x, shown.y)).toBeUndefined();
    // and neither draws with what is no encoder, or no view
    const encoder = device.createCommandEncoder();
    for (const drawing of [forward, renderer]) {
      expect(() => drawing.render(device as never, VIEW as never)).toThrow(
        /CROWD_BAD_ARGUMENT at encoder: .*GPUCommandEncoder/,
      );
      expect(() => drawing.render(encoder, 'near' as never)).toThrow(/CROWD_BAD_ARGUMENT at view/);
    }
    for (const owned of [forward, renderer]) owned.destroy();
  });
});

// What stands still: drawn with the crowd's own pipelines, as nobody.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { packCharacter, type Character } from '../../character/index.ts';
import { packScenery } from '../../character/pack-scenery.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { importGltf } from '../../import/gltf/import-gltf.ts';
import type { Camera } from '../camera.ts';
import { DEFAULT_LIGHTING } from '../lighting/scene.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../target.ts';
import { createScenery, type Scenery } from '../scenery/scenery.ts';
import { createForwardRenderer } from './forward.ts';
import type { ForwardView } from './view.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

const SIZE = 48;
/** Along −z, a metre above the ground; the middle of the picture is at x = 0. */
const CAMERA: Camera = { eye: [0, 1, 6], target: [0, 1, 0] };
const BOUNDS = { min: [-4, 0, -4], max: [4, 3, 4] } as const;
const still = { rotation: [0, 0, 0, 1], scale: 1 } as const;

describe.skipIf(noGpu())('scenery', () => {
  const mote = packCharacter({ ...moteModel(), materials: [], images: [] });
  let device: GPUDevice;
  let crowd: Crowd;
  let boulder: Character;
  let bush: Character;

  beforeAll(async () => {
    ({ device } = await testDevice());
    crowd = createCrowd(device, { characters: [mote], capacity: 1, backend: 'cpu' });
    const size = Math.max(...mote.bounds.max.map((high, c) => high - mote.bounds.min[c]!));
    crowd.spawn(mote, {
      place: (_, at) => {
        at.scale = 2 / size;
        at.position.set(0, 1 - (at.scale * (mote.bounds.min[1]! + mote.bounds.max[1]!)) / 2, 0);
      },
    });
    await updateAndWait(crowd, { dt: 0 });
    const load = async (name: string) => {
      const bytes = new Uint8Array(readFileSync(path.resolve(`props/${name}.glb`)));
      const resolve = () => Promise.reject(new Error('one file holds it all'));
      return packScenery(await importGltf({ name, bytes, resolve }));
    };
    [boulder, bush] = [await load('boulder'), await load('bush')];
  });
  afterAll(() => crowd?.destroy());

  /** Ids, motion vectors and the picture, and whom a click in the middle finds. */
  async function look(scenery: Scenery | undefined, camera = CAMERA) {
    const renderer = await createForwardRenderer(device, crowd, {
      sampleCount: 1,
      shadowResolution: 512,
      ...(scenery ? { scenery } : {}),
    });
    const [picture, ids, velocity] = [
      createReadableTarget(device, SIZE, SIZE),
      createIdTarget(device, SIZE, SIZE),
      createVelocityTarget(device, SIZE, SIZE),
    ];
    const encoder = device.createCommandEncoder();
    const view: ForwardView = {
      camera,
      bounds: BOUNDS,
      target: picture.view,
      width: SIZE,
      height: SIZE,
      ids: ids.view,
      velocity: velocity.view,
      // a camera that has moved: what stands still has moved in the picture, each by its distance
      previousCamera: { eye: [0.5, 1, 6], target: [0.5, 1, 0] },
    };
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const shown = { color: (await picture.read()).data, ids: await ids.read(), velocity: await velocity.read() };
    const picked = await renderer.pick(view, SIZE / 2, SIZE / 2);
    for (const owned of [renderer, picture, ids, velocity]) owned.destroy();
    return { ...shown, picked };
  }

  test('hides the characters that it covers, and has no id; the rest stays as it was', async () => {
    const bare = await look(undefined);
    expect(bare.picked).toMatchObject({ part: expect.any(String) });
    const scenery = createScenery(device, [
      { character: boulder, places: [{ ...still, position: [0, 0.2, 3] }] },
      { character: bush, places: [{ ...still, position: [-1.6, 0, 2] }] },
    ]);
    const { color, ids, velocity, picked } = await look(scenery);
    expect(picked).toBeUndefined();
    const middle = (SIZE / 2) * SIZE + SIZE / 2;
    expect([bare.ids[2 * middle], ids[2 * middle]]).toEqual([1, 0]);
    // the nearest of the boulder is some 2.2 m from the eye: 0.5 m at that distance
    const focal = SIZE / 2 / Math.tan(Math.PI / 8);
    expect(velocity[2 * middle]! / focal).toBeGreaterThan(0.5 / 3);
    expect(velocity[2 * middle]! / focal).toBeLessThan(0.5 / 2);
    expect(bare.velocity[2 * middle]! / focal).toBeLessThan(0.5 / 4.5);

    const pixels = Array.from({ length: SIZE * SIZE }, (_, pixel) => pixel);
    const differs = (pixel: number) => [0, 1, 2].some((c) => color[4 * pixel + c] !== bare.color[4 * pixel + c]);
    const changed = pixels.filter(differs).length / pixels.length;
    expect(changed).toBeGreaterThan(0.1);
    expect(changed).toBeLessThan(0.7);
    // nobody comes to the fore
    for (const pixel of pixels) expect([0, bare.ids[2 * pixel]]).toContain(ids[2 * pixel]);
    expect(scenery.byteLength).toBeLessThan(200_000);
    scenery.destroy();
  });

  test('casts shadows', async () => {
    const [x, y, z] = DEFAULT_LIGHTING.sunDirection;
    // what hangs two metres high, and the ground where its shadow falls, seen from below it
    const [shadowX, shadowZ] = [(-2 * x) / y, (-2 * z) / y];
    const camera: Camera = { eye: [shadowX, 1, shadowZ], target: [shadowX, 0, shadowZ], up: [0, 0, 1] };
    const hanging = createScenery(device, [
      { character: boulder, places: [{ ...still, position: [0, 2, 0], scale: 0.6 }] },
    ]);
    const [bare, shaded] = [await look(undefined, camera), await look(hanging, camera)];
    const green = 4 * ((SIZE / 2) * SIZE + SIZE / 2) + 1;
    expect(shaded.color[green]).toBeLessThan(0.85 * bare.color[green]!);
    hanging.destroy();
  });
});

// Far soldiers as impostors beside the same soldiers as meshes.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import type { Character } from '../../character/character.ts';
import { packCharacter } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import { importGltf } from '../../import/index.ts';
import type { Camera } from '../camera.ts';
import { createForwardRenderer, type ForwardRenderer } from '../forward/forward.ts';
import type { ForwardView } from '../forward/view.ts';
import { createIdTarget, createReadableTarget, createVelocityTarget } from '../target.ts';
import type { ImpostorOptions } from './options.ts';

const [WIDTH, HEIGHT] = [192, 108];
const COUNT = 9;
/** A part of a picture of 1,080 rows with the usual lens. */
const FOV = 2 * Math.atan((Math.tan(Math.PI / 8) * HEIGHT) / 1080);
/** Pixels of a soldier's height where the last of its mesh is gone. */
const CHANGE = 24;
/** Of a soldier, metres. */
const TALL = 2.007;
const BOUNDS = { min: [-4, 0, -4], max: [4, 3, 4] } as const;

describe.skipIf(noGpu())('impostors', () => {
  let device: GPUDevice;
  let character: Character;
  let crowd: Crowd;
  let army: CharacterGroup;
  const renderers: ForwardRenderer[] = [];

  beforeAll(async () => {
    ({ device } = await testDevice());
    const bytes = new Uint8Array(await readFile('characters/legionary.glb'));
    character = packCharacter(await importGltf({ name: 'legionary', bytes }));
    crowd = createCrowd(device, { characters: [character], capacity: COUNT, poseSharing: { belowPx: 1e4, phases: 8 } });
    army = crowd.spawn(character, { count: COUNT });
    army.setClips((i) => [{ clip: i % 4, phase: (0.37 * i) % 1, speed: 0 }]);
    placeArmy(0);
  });
  afterAll(() => {
    for (const renderer of renderers) renderer.destroy();
    crowd?.destroy();
  });

  function placeArmy(step: number): void {
    army.setTransform((i, at) => {
      at.position.set(1.7 * ((i % 3) - 1) + 0.3 * step, 0, 1.7 * (Math.floor(i / 3) - 1));
      at.rotation.setYaw(2.4 * i + 0.1 * step);
    });
  }

  /** @param pixels Height of the soldiers in the middle. */
  function cameraFor(pixels: number): Camera {
    const distance = (TALL * HEIGHT) / 2 / Math.tan(FOV / 2) / pixels;
    return { eye: [0.3 * distance, 0.9 + 0.2 * distance, 0.93 * distance], target: [0, 0.9, 0], fovY: FOV };
  }

  async function rendererOf(impostors?: ImpostorOptions): Promise<ForwardRenderer> {
    const renderer = await createForwardRenderer(device, crowd, {
      shadowResolution: 512,
      cascadeCount: 1,
      ...(impostors && { impostors }),
    });
    renderers.push(renderer);
    return renderer;
  }

  async function draw(renderer: ForwardRenderer, camera: Camera) {
    const picture = createReadableTarget(device, WIDTH, HEIGHT);
    const [ids, velocity] = [createIdTarget(device, WIDTH, HEIGHT), createVelocityTarget(device, WIDTH, HEIGHT)];
    const view: ForwardView = {
      camera,
      bounds: BOUNDS,
      target: picture.view,
      ids: ids.view,
      velocity: velocity.view,
      width: WIDTH,
      height: HEIGHT,
    };
    const encoder = device.createCommandEncoder();
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const pixels = { color: (await picture.read()).data, ids: await ids.read(), velocity: await velocity.read() };
    for (const target of [picture, ids, velocity]) target.destroy();
    return pixels;
  }

  /** Records a frame, and draws until all tiles are there. */
  async function settled(renderer: ForwardRenderer, camera: Camera) {
    await updateAndWait(crowd, {
      dt: 1 / 60,
      views: renderer.crowdViews({ camera, width: WIDTH, height: HEIGHT, bounds: BOUNDS }),
    });
    for (let picture = 0; picture < 3; picture++) await draw(renderer, camera);
    return draw(renderer, camera);
  }

  /** Mean difference of colours, over the pixels that show a soldier in either picture. */
  function compare(a: Awaited<ReturnType<typeof draw>>, b: Awaited<ReturnType<typeof draw>>) {
    let [covered, same, sum, outside] = [0, 0, 0, 0];
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      const difference = [0, 1, 2].reduce(
        (d, c) => d + Math.abs(a.color[4 * pixel + c]! - b.color[4 * pixel + c]!) / 3,
        0,
      );
      const [first, second] = [a.ids[2 * pixel]!, b.ids[2 * pixel]!];
      if (first === 0 && second === 0) {
        outside += difference;
        continue;
      }
      covered++;
      same += Number(first === second);
      sum += difference;
    }
    return { covered, same: same / covered, average: sum / covered, outside: outside / (WIDTH * HEIGHT - covered) };
  }

  test('differ from meshes by 4/255 on average where they change over, and show the same characters', async () => {
    const [meshes, far] = [await rendererOf(), await rendererOf({ belowPx: CHANGE / 0.75 })];
    const camera = cameraFor(CHANGE);
    const impostors = await settled(far, camera);
    expect(await far.impostors!.readStats()).toMatchObject({ drawn: COUNT, waiting: 0, tilesRefused: 0 });
    const found = compare(await draw(meshes, camera), impostors);
    expect(found.covered).toBeGreaterThan(COUNT * 100);
    expect(found.average).toBeLessThanOrEqual(4);
    expect(found.same).toBeGreaterThan(0.9);
    // shadows on the ground
    expect(found.outside).toBeLessThan(0.2);
  });

  test('take a share of the pixels, and leave no holes, while they cross over', async () => {
    const [meshes, far] = [await rendererOf(), await rendererOf({ belowPx: CHANGE / 0.9 })];
    const camera = cameraFor(CHANGE);
    const both = await settled(far, camera);
    const found = compare(await draw(meshes, camera), both);
    const coveredBy = (ids: Uint32Array) => ids.reduce((sum, id, at) => sum + Number(at % 2 === 0 && id > 0), 0);
    expect(found.average).toBeLessThanOrEqual(4);
    expect(coveredBy(both.ids)).toBeGreaterThan(0.95 * found.covered);
    expect((await far.impostors!.readStats()).drawn).toBe(COUNT);
  });

  test('move as their transforms do', async () => {
    const [meshes, far] = [await rendererOf(), await rendererOf({ belowPx: 2 * CHANGE })];
    const [before, now] = [cameraFor(CHANGE), cameraFor(0.98 * CHANGE)];
    await settled(far, before);
    await draw(meshes, before);
    placeArmy(1);
    await updateAndWait(crowd, {
      dt: 1 / 60,
      views: far.crowdViews({ camera: now, width: WIDTH, height: HEIGHT, bounds: BOUNDS }),
    });
    const [a, b] = [await draw(meshes, now), await draw(far, now)];
    let [same, sum, largest] = [0, 0, 0];
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      if (a.ids[2 * pixel] === 0 || a.ids[2 * pixel] !== b.ids[2 * pixel]) continue;
      const off = Math.hypot(...[0, 1].map((c) => a.velocity[2 * pixel + c]! - b.velocity[2 * pixel + c]!));
      same++;
      sum += off;
      largest = Math.max(largest, Math.hypot(a.velocity[2 * pixel]!, a.velocity[2 * pixel + 1]!));
    }
    expect(same).toBeGreaterThan(COUNT * 80);
    expect(largest).toBeGreaterThan(2);
    expect(sum / same).toBeLessThan(0.1);
    placeArmy(0);
  });

  test('stay meshes where the atlas has no more tiles, and say how many', async () => {
    const [meshes, far] = [
      await rendererOf(),
      await rendererOf({ belowPx: 2 * CHANGE, tilePx: 16, atlasBytes: 40_000 }),
    ];
    expect(far.impostors!.tileCount).toBe(8);
    const camera = cameraFor(CHANGE);
    // one set of tiles: a picture draws one for the sun, and one for the eye
    await settled(far, camera);
    const drawn = await draw(far, camera);
    const stats = await far.impostors!.readStats();
    expect(stats.drawn + stats.waiting).toBeGreaterThanOrEqual(COUNT);
    expect(stats.tilesRefused).toBeGreaterThan(0);
    expect(compare(await draw(meshes, camera), drawn).same).toBeGreaterThan(0.9);
  });

  test('name types that they cannot hold, and refuse crowds and options that they cannot serve', async () => {
    const glowing = {
      ...character,
      materials: character.materials.map((material) => ({ ...material, emissive: [1, 0, 0] as const })),
    };
    const options = { capacity: 1, poseSharing: { belowPx: 10 } };
    const bright = createCrowd(device, { characters: [glowing], ...options });
    const renderer = await createForwardRenderer(device, bright, { impostors: {} });
    expect(renderer.impostors!.refused).toMatchObject([
      { code: 'IMPOSTOR_REFUSED', severity: 'warning', path: 'legionary' },
    ]);
    renderer.destroy();
    bright.destroy();
    const alone = createCrowd(device, { characters: [character], capacity: 1 });
    await expect(createForwardRenderer(device, alone, { impostors: {} })).rejects.toThrow(/poseSharing/);
    alone.destroy();
    await expect(createForwardRenderer(device, crowd, { impostors: { tilePx: 20 } })).rejects.toThrow(/multiple of 16/);
    const surface = {
      code: 'fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface { return surface; }',
    };
    await expect(createForwardRenderer(device, crowd, { impostors: {}, surface })).rejects.toThrow(
      /impostors or surface/,
    );
  });
});

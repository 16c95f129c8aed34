// Far soldiers as impostors beside the same soldiers as meshes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { cameraFor, compareFar, COUNT, FarSoldiers, type FarRenderer } from '../../../test/support/far-soldiers.ts';
import { noCore, noGpu, testDevice } from '../../../test/support/gpu.ts';
import { some, testInTurn } from '../../../test/support/setup.ts';
import { createForwardRenderer } from '../forward/forward.ts';

/** Default of `belowPx`: pixels of a soldier's height where it begins to be an impostor. At 19.2 it is one. */
const BELOW = 24;
/** Heights of a soldier in a zoom, before, while and after it crosses over. */
const ZOOM = [25, 23, 21.6, 20, 18.9, 16, 12];
const KINDS = some(['forward', 'visibility'] as const, 1);

describe.skipIf(noGpu() || noCore()).each(KINDS)('impostors of the %s renderer', (kind) => {
  let soldiers: FarSoldiers;
  let meshes: FarRenderer;
  let far: FarRenderer;

  beforeAll(async () => {
    const { device } = await testDevice();
    soldiers = await FarSoldiers.create(device);
    [meshes, far] = [await soldiers.renderer(undefined, kind), await soldiers.renderer({}, kind)];
  });
  afterAll(() => soldiers?.destroy());

  test.each(some(ZOOM, 1))('differ from meshes by 4/255 on average where soldiers have %d pixels', async (pixels) => {
    const camera = cameraFor(pixels);
    const impostors = await soldiers.settle(far, camera);
    const stats = await far.impostors!.readStats();
    expect(stats).toMatchObject({ drawn: pixels < BELOW ? COUNT : 0, waiting: 0, tilesRefused: 0 });
    const found = compareFar(await soldiers.draw(meshes, camera), impostors);
    expect(found.covered).toBeGreaterThan(COUNT * 0.17 * pixels ** 2);
    expect(found.average).toBeLessThanOrEqual(4);
    // no holes, and the same characters
    expect(found.same).toBeGreaterThan(0.9);
    // shadows on the ground
    expect(found.outside).toBeLessThan(0.2);
    if (pixels > BELOW) expect(found.average).toBe(0);
  });

  test('move as their transforms do', async () => {
    const [before, now] = [cameraFor(19), cameraFor(18.6)];
    await soldiers.settle(far, before);
    await soldiers.draw(meshes, before);
    soldiers.place(1);
    await soldiers.update(far, now);
    const [a, b] = [await soldiers.draw(meshes, now), await soldiers.draw(far, now)];
    soldiers.place(0);
    let [same, sum, largest] = [0, 0, 0];
    for (let pixel = 0; pixel < a.ids.length / 2; pixel++) {
      if (a.ids[2 * pixel] === 0 || a.ids[2 * pixel] !== b.ids[2 * pixel]) continue;
      const off = Math.hypot(...[0, 1].map((c) => a.velocity[2 * pixel + c]! - b.velocity[2 * pixel + c]!));
      same++;
      sum += off;
      largest = Math.max(largest, Math.hypot(a.velocity[2 * pixel]!, a.velocity[2 * pixel + 1]!));
    }
    expect(same).toBeGreaterThan(COUNT * 60);
    expect(largest).toBeGreaterThan(2);
    expect(sum / same).toBeLessThan(0.1);
  });
});

describe.skipIf(noGpu() || noCore())('impostors', () => {
  let soldiers: FarSoldiers;

  beforeAll(async () => {
    const { device } = await testDevice();
    soldiers = await FarSoldiers.create(device);
  });
  afterAll(() => soldiers?.destroy());

  // compute draws the small triangles of meshes, and the hardware all others
  testInTurn(2)('cross over alike by compute and by the hardware', async () => {
    const camera = cameraFor(21.6);
    const [compute, hardware] = [await soldiers.renderer({}, 'visibility'), await soldiers.renderer({}, 'hardware')];
    const [a, b] = [await soldiers.settle(compute, camera), await soldiers.settle(hardware, camera)];
    const found = compareFar(a, b);
    expect(found.same).toBeGreaterThan(0.99);
    expect(found.average).toBeLessThan(0.5);
  });

  testInTurn(2)('stay meshes where the atlas has no more tiles, and say how many', async () => {
    const small = await soldiers.renderer({ tilePx: 16, atlasBytes: 40_000 });
    expect(small.impostors!.tileCount).toBe(8);
    const meshes = await soldiers.renderer();
    const camera = cameraFor(18);
    // one set of tiles: a picture draws one for the sun, and one for the eye
    for (let picture = 0; picture < 4; picture++) await soldiers.settle(small, camera);
    const drawn = await soldiers.draw(small, camera);
    const stats = await small.impostors!.readStats();
    expect(stats.drawn + stats.waiting).toBeGreaterThanOrEqual(COUNT);
    expect(stats.tilesRefused).toBeGreaterThan(0);
    expect(compareFar(await soldiers.draw(meshes, camera), drawn).same).toBeGreaterThan(0.9);
  });

  test('name types that they cannot hold, and refuse crowds and options that they cannot serve', async () => {
    const { device, character, crowd } = soldiers;
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

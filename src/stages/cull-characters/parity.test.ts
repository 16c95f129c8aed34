import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { View } from '../../layout/index.ts';
import { clipFromWorld, multiply, orthographic, viewFromWorld, type Matrix4 } from '../../render/camera.ts';
import { encodeDispatch } from '../kernel.ts';
import { Transform, VisibleCharacter } from '../layout.ts';
import { BIN_LIMIT, BinRange, cullGroups, CullBin, CullParams, VIEW_LIMIT, VIEW_PLANES } from './layout.ts';
import { viewPlanes } from './planes.ts';
import { cullHomes, listHomes, type CullCharactersViews } from './reference.ts';
import { createCullCharacters } from './stage.ts';

/** Decisions nearer than this, over the numbers that went in, may fall either way. */
const MARGIN = 1e-5;

const copy = (words: Uint32Array<ArrayBuffer>) => new Uint32Array(words);

function randomScene(random: Random): CullCharactersViews {
  const homeCount = random.pick([0, 1, 255, 256, 257, random.integer(2, 3000)]);
  const binCount = random.pick([1, 2, 7, BIN_LIMIT]);
  const viewCount = random.pick([0, 1, 3, VIEW_LIMIT]);
  const params = new View(CullParams, 1);
  params.assign(0, { homeCount, binCount, viewCount, motionRows: 24 });
  const planes = new Float32Array(params.words.buffer, CullParams.offsets.planes);
  for (let view = 0; view < viewCount; view++) planes.set(viewPlanes(randomView(random)), 4 * VIEW_PLANES * view);
  const characters = homeCount + 10;
  const homes = new View(VisibleCharacter, Math.max(1, homeCount));
  const rows = Array.from({ length: characters }, (_, c) => c).sort(() => random.next() - 0.5);
  for (let i = 0; i < homeCount; i++) {
    homes.assign(i, { character: rows[i]!, bin: random.integer(0, binCount - 1), typeRow: i, parts: [i, ~i >>> 0] });
  }
  const transforms = new View(Transform, characters);
  for (let c = 0; c < characters; c++) {
    transforms.assign(c, {
      position: [random.range(-60, 60), random.range(-3, 3), random.range(-60, 60)],
      rotation: random.quaternion(Math.PI),
      scale: random.pick([1, 0.01, -2, random.range(0.5, 3)]),
    });
  }
  const bins = new View(CullBin, binCount);
  for (let bin = 0; bin < binCount; bin++) {
    bins.assign(bin, {
      center: [random.range(-1, 1), random.range(0, 2), random.range(-1, 1)],
      radius: random.pick([-1, 0, random.range(0.2, 4)]),
    });
  }
  return {
    params,
    homes,
    transforms,
    bins,
    masks: new Uint32Array(Math.max(1, homeCount)),
    ranges: new View(BinRange, binCount + 1),
    visible: new View(VisibleCharacter, Math.max(1, homeCount)),
  };
}

function randomView(random: Random): Matrix4 {
  const eye = [random.range(-30, 30), random.range(0, 20), random.range(-30, 30)] as const;
  const target = [random.range(-30, 30), 0, random.range(-30, 30)] as const;
  if (random.chance(0.5)) return clipFromWorld({ eye, target, fovY: random.range(0.2, 2) }, random.range(0.5, 2));
  const [width, height] = [random.range(1, 30), random.range(1, 30)];
  const box = { left: -width, right: width, bottom: -height, top: height, near: 0, far: random.range(10, 100) };
  return multiply(orthographic(box), viewFromWorld({ eye, target }));
}

async function onGpu(device: GPUDevice, scene: CullCharactersViews): Promise<Record<string, Uint32Array<ArrayBuffer>>> {
  const { params, homes, transforms, bins } = scene;
  const [homeCount, binCount] = [params.get(0, 'homeCount'), params.get(0, 'binCount')];
  const storage = (words: Uint32Array<ArrayBuffer>) => uploadBuffer(device, copy(words), GPUBufferUsage.STORAGE);
  const buffers = {
    params: uploadBuffer(device, copy(params.words), GPUBufferUsage.UNIFORM),
    homes: storage(homes.words),
    transforms: storage(transforms.words),
    bins: storage(bins.words),
    masks: storage(new Uint32Array(scene.masks.length)),
    counts: storage(new Uint32Array(Math.max(1, binCount * cullGroups(homeCount)))),
    ranges: storage(new Uint32Array(2 * (binCount + 1))),
    visible: storage(new Uint32Array(scene.visible.words.length)),
  };
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const dispatch of createCullCharacters(device).bind(buffers, homeCount, binCount))
    encodeDispatch(pass, dispatch, 2);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const read = async (name: 'masks' | 'ranges' | 'visible') => new Uint32Array(await readBuffer(device, buffers[name]));
  return { masks: await read('masks'), ranges: await read('ranges'), visible: await read('visible') };
}

describe.skipIf(noGpu())('cull-characters against its twin', () => {
  test.each(Array.from({ length: 24 }, (_, i) => i + 1))('views, bins and lists: seed %i', async (seed) => {
    const scene = randomScene(new Random(seed));
    const { device } = await testDevice();
    const gpu = await onGpu(device, scene);
    let ties = 0;
    const near = new Map<number, number>();
    cullHomes(scene, (home, view, margin) => {
      if (Math.abs(margin) >= MARGIN) return;
      ties++;
      near.set(home, (near.get(home) ?? 0) | (1 << view));
    });
    const homeCount = scene.params.get(0, 'homeCount');
    for (let i = 0; i < homeCount; i++) {
      const unclear = near.get(i) ?? 0;
      expect((gpu.masks![i]! & ~unclear) >>> 0, `seed ${seed}, home ${i}`).toBe((scene.masks[i]! & ~unclear) >>> 0);
    }
    expect(ties).toBeLessThanOrEqual(2 + homeCount / 500);
    // lists of what the GPU found, exactly
    scene.masks.set(gpu.masks!);
    listHomes(scene);
    expect(gpu.ranges).toEqual(scene.ranges.words);
    expect(gpu.visible).toEqual(scene.visible.words);
  });
});

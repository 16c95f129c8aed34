// Pictures on a device of the compatibility level, where draws read textures, against those of the core level.
import { afterAll, describe, expect, test } from 'vitest';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import { coded, largeActor } from '../../../test/support/crowd-truth.ts';
import { noGpu, readBuffer, testDevice, type TestLimits } from '../../../test/support/gpu.ts';
import { comparePictures } from '../../../test/support/pictures.ts';
import { testInTurn } from '../../../test/support/setup.ts';
import { smallModel } from '../../../test/support/small-model.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { packCharacter } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import type { SkinStage } from '../../crowd/options.ts';
import { DEFAULT_MATERIAL } from '../materials/material-table.ts';
import { createIdTarget, createVelocityTarget } from '../target.ts';
import { createVisibilityRenderer } from '../visibility/visibility.ts';
import { createForwardRenderer } from './forward.ts';

/** A row of texels has 256 bytes, as copies to buffers need. */
const SIZE = [64, 64] as const;
const VIEW = {
  camera: { eye: [2, 2, 4], target: [0, 1, 0] },
  bounds: { min: [-2, 0, -2], max: [2, 2, 2] },
  width: SIZE[0],
  height: SIZE[1],
} as const;
const { character } = largeActor();

interface Stage {
  readonly device: GPUDevice;
  readonly crowd: Crowd;
}

async function stageOf(limits: TestLimits, skin?: SkinStage): Promise<Stage> {
  const { device } = await testDevice({ limits });
  const crowd = createCrowd(device, { characters: [character], capacity: 4, ...(skin && { skin }) });
  const group = crowd.spawn(character, { count: 3, place: (i, at) => at.position.set(i - 1, 0, -i) });
  group.play(0, {}, [0]);
  group.setTint([1, 0.4, 0.4, 1], [1]);
  for (const dt of [0.1, 0.1]) await updateAndWait(crowd, { dt });
  return { device, crowd };
}

/** A picture, ids and motion vectors of a crowd. */
async function draw({ device, crowd }: Stage, more: object = {}, format: GPUTextureFormat = 'rgba8unorm-srgb') {
  const options = { shadowResolution: 256, cascadeCount: 1, sampleCount: 1 } as const;
  const renderer = await createForwardRenderer(device, crowd, { ...options, format });
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const picture = device.createTexture({ size: [...SIZE], format, usage });
  const [ids, velocity] = [createIdTarget(device, ...SIZE), createVelocityTarget(device, ...SIZE)];
  const view = { ...VIEW, target: picture.createView() };
  const codes = device.createBuffer({
    size: 4 * SIZE[0] * SIZE[1],
    usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  const encoder = device.createCommandEncoder();
  const drawn = renderer.render(encoder, { ...view, ...more, ids: ids.view, velocity: velocity.view });
  encoder.copyTextureToBuffer({ texture: picture }, { buffer: codes, bytesPerRow: 4 * SIZE[0] }, SIZE);
  device.queue.submit([encoder.finish()]);
  await drawn.submitted();
  const data = new Uint8Array(await readBuffer(device, codes));
  const image = { width: SIZE[0], height: SIZE[1], data };
  const results = { picture: image, ids: await ids.read(), velocity: await velocity.read() };
  for (const each of [picture, codes, ids, velocity, renderer]) each.destroy();
  return results;
}

describe.skipIf(noGpu())('the forward renderer at the compatibility level', () => {
  const stages: Stage[] = [];
  const stage = async (...of: Parameters<typeof stageOf>) => stages[stages.push(await stageOf(...of)) - 1]!;
  afterAll(() => stages.forEach(({ crowd }) => crowd.destroy()));

  // a software adapter takes long for draws that skin
  const compared = async (skin: SkinStage) => {
    const normals = { debugView: 'normals' } as const;
    const core = await draw(await stage('core', skin), normals);
    const small = await draw(await stage('compatibility', skin), normals);
    expect(comparePictures(small.picture, core.picture).max).toBeLessThanOrEqual(1);
    expect(small.ids).toEqual(core.ids);
    expect(new Set(small.ids).size).toBeGreaterThan(3);
    expect(small.velocity).toEqual(core.velocity);
  };
  test('finds the same surfaces as at the core level', { timeout: 300_000 }, () => compared('compute'));
  testInTurn(1)('finds them where draws skin, too', { timeout: 300_000 }, () => compared('vertex'));

  test('keeps palettes in slots by default, and is the only renderer', async () => {
    const { device, crowd } = await stage('compatibility');
    const { memory } = (await import('../../crowd/internals.ts')).internalsOf(crowd).host.backend;
    expect(memory!.draws.every(({ type }) => type.skin === 'vertex')).toBe(true);
    const refused = createVisibilityRenderer(device, crowd);
    await expect(refused).rejects.toThrow(/compatibility level.*createForwardRenderer/s);
    const impostors = createForwardRenderer(device, crowd, { impostors: {} });
    await expect(impostors).rejects.toThrow(/^DEVICE_LIMIT at impostors: .*core level/);
  });

  test('has one sample where surfaces are blended, and four elsewhere', async () => {
    const { device } = await testDevice({ limits: 'compatibility' });
    const opaque = smallModel();
    const meshes = opaque.meshes.map((mesh) => ({ ...mesh, materialIndex: 0 }));
    const materials = [{ ...DEFAULT_MATERIAL, alphaMode: 'BLEND' as const }];
    const crowds = [opaque, { ...opaque, meshes, materials }].map((model) =>
      createCrowd(device, { characters: [packCharacter(model)], capacity: 1 }),
    ) as [Crowd, Crowd];
    const options = { sampleCount: 4, shadowResolution: 16 } as const;
    (await createForwardRenderer(device, crowds[0], options)).destroy();
    await expect(createForwardRenderer(device, crowds[1], options)).rejects.toThrow(coded('DEVICE_LIMIT'));
    for (const crowd of crowds) crowd.destroy();
  });

  testInTurn(0)(
    'draws the same light, also where pictures are encoded for canvases',
    { timeout: 300_000 },
    async () => {
      const core = await draw(await stage('core', 'vertex'));
      const small = await stage('compatibility');
      expect(comparePictures((await draw(small)).picture, core.picture).max).toBeLessThanOrEqual(1);
      expect(comparePictures((await draw(small, {}, 'rgba8unorm')).picture, core.picture).max).toBeLessThanOrEqual(1);
    },
  );
});

// Buffers, textures and samplers of the application in provider code, bound and replaced between frames.
import { afterEach, describe, expect, test } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import {
  checkProviders,
  ManipleError,
  type Crowd,
  type ProviderResource,
  type VertexProvider,
} from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { coded, smallActor } from '../support/crowd-truth.ts';
import { shownBy } from '../support/flight.ts';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../support/gpu.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** Moves vertices by an entry of a buffer, a texel, a filtered texel and a uniform; counts updates in a buffer of the application. */
const drift: VertexProvider = {
  name: 'drift',
  space: 'model',
  resources: {
    pushes: { kind: 'storage', type: 'array<vec4f>', minBytes: 32 },
    sway: { kind: 'texture', type: 'texture_2d<f32>' },
    smooth_: { kind: 'sampler' },
    wave: { kind: 'uniform', type: 'vec4f', minBytes: 16 },
    tally: { kind: 'storage', type: 'array<u32>', writable: true },
  },
  code: `
fn drift(site: VertexSite, surface: Surface) -> Surface {
  let texel = textureLoad(sway, vec2u(0u, 0u), 0).x + textureSampleLevel(sway, smooth_, vec2f(0.5), 0.0).y;
  let by = vec3f(pushes[site.character].x, texel, wave.z);
  return Surface(surface.position + by, surface.normal, surface.tangent);
}`,
  update: { code: 'fn driftUpdate(site: CharacterSite) { tally[site.character] += 1u; }' },
};

const { model } = smallActor();
const character = packCharacter(model, { errorBudget: 0, providers: () => 0b1 });

const open: { destroy(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.destroy()));
const own = <T extends { destroy(): void }>(each: T): T => (open.push(each), each);

function texel(device: GPUDevice, x: number, y: number): GPUTextureView {
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
  const texture = own(device.createTexture({ size: [1, 1], format: 'rgba8unorm', usage }));
  device.queue.writeTexture({ texture }, Uint8Array.of(255 * x, 255 * y, 0, 0), {}, [1, 1]);
  return texture.createView();
}

function bound(device: GPUDevice) {
  const { STORAGE, UNIFORM, COPY_SRC } = GPUBufferUsage;
  return {
    pushes: own(uploadBuffer(device, Float32Array.of(1, 0, 0, 0, 2, 0, 0, 0), STORAGE)),
    sway: texel(device, 1, 0),
    smooth_: device.createSampler({ magFilter: 'linear' }),
    wave: own(uploadBuffer(device, Float32Array.of(0, 0, 3, 0), UNIFORM)),
    tally: own(uploadBuffer(device, new Uint32Array(4), STORAGE | COPY_SRC)),
  };
}

async function placesOf(device: GPUDevice, crowd: Crowd): Promise<number[][]> {
  await updateAndWait(crowd, { dt: 0.1 });
  const shown = await shownBy(device, crowd, [0, 1]);
  return [0, 1].map((i) => Array.from(shown.get(i)!.current.subarray(0, 3)));
}

const apart = (a: readonly number[][], b: readonly number[][]) =>
  a.map((place, i) => place.map((value, axis) => Math.round(1e4 * (value - b[i]![axis]!)) / 1e4));

describe.skipIf(noGpu())('resources of providers', () => {
  test('are read and written by their names, and replaced between frames', async () => {
    const { device } = await testDevice();
    await checkProviders(device, [drift]);
    const resources = bound(device);
    const options = { characters: [character], capacity: 2, providers: [drift] };
    const crowd = own(createCrowd(device, { ...options, providerResources: { drift: resources } }));
    crowd.spawn(character, { count: 2 });
    crowd.setProviderViews('drift', 0);
    const rest = await placesOf(device, crowd);
    crowd.setProviderViews('drift', 1);
    expect(apart(await placesOf(device, crowd), rest)).toEqual([
      [1, 1, 3],
      [2, 1, 3],
    ]);
    const pushes = own(uploadBuffer(device, new Float32Array(8).fill(5), GPUBufferUsage.STORAGE));
    crowd.setProviderResources('drift', { pushes, sway: texel(device, 0, 1) });
    expect(apart(await placesOf(device, crowd), rest)).toEqual([
      [5, 1, 3],
      [5, 1, 3],
    ]);
    crowd.grow(4);
    expect(apart(await placesOf(device, crowd), rest)).toEqual([
      [5, 1, 3],
      [5, 1, 3],
    ]);
    // three frames with the provider wanted, for each of both
    expect([...new Uint32Array(await readBuffer(device, resources.tally))]).toEqual([3, 3, 0, 0]);
  });

  test('are refused where they are missing, of another kind, too small or destroyed', async () => {
    const { device } = await testDevice();
    const refused = coded('PROVIDER_RESOURCE') as Error;
    const crowd = own(createCrowd(device, { characters: [character], capacity: 2, providers: [drift] }));
    crowd.spawn(character, { count: 2 });
    await updateAndWait(crowd, { dt: 0, views: [] }); // nothing runs them
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow(refused);
    const { pushes, sway, smooth_, wave, tally } = bound(device);
    const small = own(uploadBuffer(device, new Float32Array(4), GPUBufferUsage.STORAGE));
    expect(() => crowd.setProviderResources('drift', { breeze: pushes })).toThrow(refused);
    expect(() => crowd.setProviderResources('drift', { sway, pushes: small })).toThrow('16 bytes; 32 are needed');
    expect(() => crowd.setProviderResources('drift', { pushes: sway as never })).toThrow(refused);
    expect(() => crowd.setProviderResources('drift', { pushes: wave })).toThrow(refused);
    expect(() => crowd.setProviderResources('drift', { sway: pushes as never })).toThrow(refused);
    expect(() => crowd.setProviderResources('drift', { smooth_: undefined as never })).toThrow(refused);
    // none of what was refused is bound
    crowd.setProviderResources('drift', { pushes, smooth_, wave, tally });
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow('drift/sway');
    crowd.setProviderResources('drift', { sway });
    await updateAndWait(crowd, { dt: 0 });
    pushes.destroy();
    await expect(updateAndWait(crowd, { dt: 0 })).rejects.toThrow(refused);
    crowd.setProviderResources('drift', { pushes: bound(device).pushes });
    await updateAndWait(crowd, { dt: 0 });
    const thrown = (await updateAndWait(crowd, { dt: 0 }).catch((reason: unknown) => reason)) as
      | ManipleError
      | undefined;
    expect(thrown).toBeUndefined();
  });

  test('count against the limits of the device, and no other', async () => {
    const { device } = await testDevice({ limits: 'default' });
    const storage = (count: number): Record<string, ProviderResource> =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`s${i}`, { kind: 'storage', type: 'array<f32>' } as const]),
      );
    const reading = (resources: Record<string, ProviderResource>): VertexProvider => ({
      name: 'many',
      space: 'model',
      resources,
      code: `fn many(site: VertexSite, surface: Surface) -> Surface {
  return Surface(surface.position * (${Object.keys(resources)
    .map((name) => `${name}[0]`)
    .join(' + ')}), surface.normal, surface.tangent);
}`,
    });
    const create = (provider: VertexProvider) =>
      own(createCrowd(device, { characters: [character], capacity: 1, providers: [provider] }));
    await checkProviders(device, [reading(storage(1))]);
    create(reading(storage(1)));
    expect(() => create(reading(storage(2)))).toThrow(coded('DEVICE_LIMIT') as Error);
    // what code does not name is not bound: an update reads them, of which four have room beside its own
    const { resources: _, ...rest } = reading(storage(1));
    const names = ['s0', 's1', 's2', 's3'];
    const update = {
      code: `fn manyUpdate(site: CharacterSite) { let x = ${names.map((n) => `${n}[0]`).join(' + ')}; }`,
    };
    create({ ...rest, resources: storage(4), code: rest.code.replaceAll('s0[0]', '1.0'), update });
  });

  test('with mistakes are refused with the line of the code that reads them', async () => {
    const { device } = await testDevice();
    const issuesOf = async (provider: VertexProvider) => {
      const thrown: unknown = await checkProviders(device, [provider]).catch((reason: unknown) => reason);
      expect(thrown).toBeInstanceOf(ManipleError);
      return (thrown as ManipleError).issues;
    };
    const wrongType = { ...drift, resources: { ...drift.resources, sway: { kind: 'texture', type: 'texture_2d' } } } as const;
    expect(await issuesOf(wrongType)).toMatchObject([{ code: 'PROVIDER_INVALID', path: 'provider drift/sway' }]);
    const taken = { ...drift, resources: { ...drift.resources, loadPosition: drift.resources!.wave! } };
    expect((await issuesOf(taken))[0]!.message).toContain('"loadPosition" is taken');
    const { tally: _, ...fewer } = drift.resources!;
    const [unknown] = await issuesOf({ ...drift, resources: fewer });
    expect(unknown).toMatchObject({ code: 'PROVIDER_INVALID', path: expect.stringMatching(/^provider drift update:1:\d+$/) as string });
    const code = 'fn driftUpdate(site: CharacterSite) {\n  let x: u32 = site.time;\n}';
    const [mistake] = await issuesOf({ ...drift, update: { code } });
    expect(mistake).toMatchObject({ path: expect.stringMatching(/^provider drift update:2:\d+$/) as string });
    expect(mistake!.message).toContain(': let x: u32 = site.time;');
  }); // prettier-ignore
});

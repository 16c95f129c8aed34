// Providers in draws that skin: the same pictures, ids and motion vectors as from vertices that compute has made.
import { afterEach, describe, expect, test } from 'vitest';
import { coded, smallActor } from '../../../test/support/crowd-truth.ts';
import { noCore, noGpu, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { testInTurn } from '../../../test/support/setup.ts';
import { comparePictures } from '../../../test/support/pictures.ts';
import { packCharacter } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import type { ProviderResource, VertexProvider } from '../../stages/providers.ts';
import { clipFromWorld, type Camera } from '../camera.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../target.ts';
import { createForwardRenderer, type ForwardRenderer } from './forward.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';

/** Draws of the compatibility level have no storage buffers, but uniforms. */
const SIZES: ProviderResource = noCore()
  ? { kind: 'uniform', type: 'vec4f', minBytes: 16 }
  : { kind: 'storage', type: 'array<vec4f>', minBytes: 16 };

/** Grows what is stored, by a vertex that it loads itself, a channel by name, and a buffer of the application. */
const swell: VertexProvider = {
  name: 'swell',
  space: 'mesh',
  channels: ['_WIND'],
  resources: { sizes: SIZES },
  code: `
fn swell(site: VertexSite, surface: Surface) -> Surface {
  let loader = openVertices(site.geometryRow, site.vertex);
  let stored = loadPosition(loader, site.vertex, 0u);
  let size = ${noCore() ? 'sizes' : 'sizes[0]'}.x * (1.0 + 0.3 * loadChannel(loader, channel_WIND, site.vertex).x);
  skinnedChannel.y = 1.0 - skinnedChannel.x;
  return Surface(mix(stored, surface.position, 0.5) * size, surface.normal, surface.tangent);
}`,
  twin: ({ channel }, { position, normal, tangent, skinnedChannel }) => {
    const size = 1.25 * (1 + 0.3 * channel('_WIND')[0]!);
    const [wind] = skinnedChannel!;
    return { position: position.map((c) => c * size), normal, tangent, skinnedChannel: [wind!, 1 - wind!, 0, 0] };
  },
};

/** Swings by a state that each frame moves on, by the clock, by rows, and by what the crowd's channel holds. */
const swing: VertexProvider = {
  name: 'swing',
  space: 'model',
  rowCount: 1,
  characterRowCount: 1,
  stateRowCount: 1,
  code: `
fn swing(site: VertexSite, surface: Surface) -> Surface {
  let far = swingState(0u).x + 0.2 * abs(fract(site.time) - 0.5) + 0.01 * f32(site.character);
  let by = swingRow(0u).xyz * far * (1.0 + swingCharacterRow(0u).x + 0.5 * skinnedChannel.y);
  return Surface(surface.position + by, surface.normal, surface.tangent);
}`,
  twin: ({ character, time, row, characterRow, state }, surface) => {
    const { position, normal, tangent, skinnedChannel } = surface;
    const far = state(0)[0]! + 0.2 * Math.abs(time - Math.floor(time) - 0.5) + 0.01 * character;
    const by = far * (1 + characterRow(0)[0]! + 0.5 * skinnedChannel![1]!);
    return { position: position.map((c, axis) => c + row(0)[axis]! * by), normal, tangent };
  },
  update: {
    code: `
fn swingUpdate(site: CharacterSite, state: array<vec4f, 1>) -> array<vec4f, 1> {
  return array(vec4f(fract(state[0].x + 0.06 + 0.02 * f32(site.character & 3u)), 0.0, 0.0, 0.0));
}`,
    twin: ({ character }, state) => {
      const x = state[0]![0] + 0.06 + 0.02 * (character & 3);
      return [[x - Math.floor(x), 0, 0, 0]];
    },
  },
};

const { model } = smallActor();
/** How much of the wind reaches a vertex: any, but not none. */
const meshes = model.meshes.map((mesh) => ({
  ...mesh,
  channels: [{ name: '_WIND', width: 1, values: Float32Array.from({ length: mesh.vertexCount }, (_, v) => ((v % 5) + 1) / 5) }],
})); // prettier-ignore
const character = packCharacter({ ...model, meshes }, { errorBudget: 0, providers: () => 0b11 });
const [WIDTH, HEIGHT] = [160, 90];
const span = character.size;
const camera: Camera = { eye: [0, span, 4.2 * span], target: [0, 0, 0], fovY: 1 };
const views = [{ clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), height: HEIGHT }];
const COUNT = 6;
const FRAMES = 7;

const open: { destroy(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.destroy()));
const own = <T extends { destroy(): void }>(each: T): T => (open.push(each), each);

const uploadSize = (device: GPUDevice, size: number) =>
  own(uploadBuffer(device, Float32Array.of(size, 0, 0, 0), GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM));

interface Scene {
  readonly crowd: Crowd;
  readonly group: CharacterGroup;
  readonly renderer: ForwardRenderer;
}

async function scene(device: GPUDevice, skin: 'compute' | 'vertex'): Promise<Scene> {
  const sizes = uploadSize(device, 1.25);
  const size = (character.reach!.radius * HEIGHT) / Math.tan(0.5) / (4.2 * span);
  const crowd = own(
    createCrowd(device, {
      characters: [character],
      capacity: COUNT + 1,
      skin,
      // those at the back are posed every second frame
      updateRates: { halfBelowPx: size, quarterBelowPx: 0, eighthBelowPx: 0 },
      providers: [swell, swing],
      skinnedChannel: '_WIND',
      providerResources: { swell: { sizes } },
    }),
  );
  crowd.setProviderRows('swing', Float32Array.of(0.3 * span, 0.2 * span, 0, 0));
  const place = (i: number) => [span * ((i % 3) - 1), 0, -span * Math.floor(i / 3)] as const;
  const group = crowd.spawn(character, { count: COUNT, place: (i, at) => at.position.set(...place(i)) });
  group.setProviderRows('swing', 1, (i, rows) => rows.set([0.2 * i, 0, 0, 0]));
  group.setClips((i) => [{ clip: 0, phase: i / COUNT }]);
  crowd.setPoseSource(group.id(5), group.id(0));
  return { crowd, group, renderer: own(await createForwardRenderer(device, crowd, { sampleCount: 1, shadowResolution: 64 })) };
} // prettier-ignore

/** What happens before a frame. */
function direct({ crowd, group }: Scene, frame: number): void {
  if (frame === 2) group.setProvider('swing', false, [1]);
  if (frame === 3) crowd.setProviderViews('swell', 0);
  if (frame === 4) group.setProvider('swing', true, [1]);
  if (frame === 4) crowd.setProviderRows('swing', Float32Array.of(0, 0.4 * span, 0, 0));
  if (frame === 5) crowd.setProviderViews('swell', 0xffffffff);
  if (frame === 5) group.setTransform((i, at) => i === 4 && at.position.set(span, 0, -span));
  if (frame === 6) crowd.spawn(character, { place: (_, at) => at.position.set(0, 0, -2 * span) });
}

async function take(device: GPUDevice, { crowd, renderer }: Scene) {
  await updateAndWait(crowd, { dt: 1 / 16, views });
  const picture = own(createReadableTarget(device, WIDTH, HEIGHT));
  const ids = own(createIdTarget(device, WIDTH, HEIGHT));
  const velocity = own(createVelocityTarget(device, WIDTH, HEIGHT));
  const encoder = device.createCommandEncoder();
  const drawn = renderer.render(encoder, {
    camera,
    bounds: { min: [-3 * span, -span, -4 * span], max: [3 * span, span, span] },
    target: picture.view,
    ids: ids.view,
    velocity: velocity.view,
    width: WIDTH,
    height: HEIGHT,
  });
  device.queue.submit([encoder.finish()]);
  await drawn.submitted();
  return { image: await picture.read(), ids: await ids.read(), vectors: await velocity.read() };
}

describe.skipIf(noGpu())('draws that skin, with providers', () => {
  testInTurn(1)('show what compute shows, with the same motion vectors, at default limits', async () => {
    const { device } = await testDevice({ limits: 'default' });
    const scenes = [await scene(device, 'compute'), await scene(device, 'vertex')];
    let [pixels, moving] = [0, 0];
    for (let frame = 1; frame <= FRAMES; frame++) {
      for (const each of scenes) direct(each, frame);
      const [compute, vertex] = [await take(device, scenes[0]!), await take(device, scenes[1]!)];
      expect(comparePictures(compute.image, vertex.image).mean, `frame ${frame}`).toBeLessThan(0.5);
      let others = 0;
      for (let i = 0; i < WIDTH * HEIGHT; i++) {
        if (compute.ids[2 * i] !== vertex.ids[2 * i]) others++;
        if (compute.ids[2 * i] === 0 || compute.ids[2 * i] !== vertex.ids[2 * i]) continue;
        pixels++;
        const [a, b] = [compute.vectors, vertex.vectors].map((all) => [all[2 * i]!, all[2 * i + 1]!]);
        if (Math.hypot(...a!) > 0.5) moving++;
        expect(Math.hypot(a![0]! - b![0]!, a![1]! - b![1]!), `frame ${frame}, pixel ${i}`).toBeLessThan(1e-2);
      }
      expect(others, `frame ${frame}`).toBeLessThan(0.002 * WIDTH * HEIGHT);
    }
    expect(pixels).toBeGreaterThan(1000);
    expect(moving).toBeGreaterThan(0.2 * pixels);
    // and what is read back, made of the slot by the twins
    for (const index of [0, 1, 2]) {
      const [compute, vertex] = await Promise.all(
        scenes.map(({ crowd, group }) => crowd.readVertices(group.id(index))),
      );
      compute!.forEach((value, at) => expect(Math.abs(value - vertex![at]!)).toBeLessThan(1e-4 * span));
    }
  });

  testInTurn(1)('bind what the application replaces, and say what they cannot run', async () => {
    const { device } = await testDevice();
    const drawn = await scene(device, 'vertex');
    const before = await take(device, drawn);
    const sizes = uploadSize(device, 0);
    drawn.crowd.setProviderResources('swell', { sizes });
    const after = await take(device, drawn);
    const shown = (ids: Uint32Array) => ids.filter((id, i) => i % 2 === 0 && id > 0).length;
    expect(shown(after.ids)).toBeLessThan(0.5 * shown(before.ids));
    // a name that only shaders of draws have
    const taken = { ...swell, code: `${swell.code}\nfn drawVertex() {}`, resources: swell.resources! };
    const options = { characters: [character], capacity: 1, skin: 'vertex', providers: [taken, swing] } as const;
    const crowd = own(createCrowd(device, options));
    await expect(createForwardRenderer(device, crowd)).rejects.toThrow(coded('PROVIDER_INVALID') as Error);
  });

  test('read no storage buffers at the compatibility level', async () => {
    const { device } = await testDevice({ limits: 'compatibility' });
    const resources = { sizes: { kind: 'storage', type: 'array<vec4f>' } } as const;
    const still: VertexProvider = {
      name: 'still',
      space: 'mesh',
      resources,
      code: 'fn still(site: VertexSite, surface: Surface) -> Surface { return Surface(surface.position * sizes[0].x, surface.normal, surface.tangent); }',
    };
    const shape = { characters: [packCharacter(model, { providers: () => 1 })], capacity: 1, providers: [still] };
    const crowds = (['vertex', 'compute'] as const).map((skin) => own(createCrowd(device, { ...shape, skin })));
    const options = { sampleCount: 1, shadowResolution: 16 } as const;
    await expect(createForwardRenderer(device, crowds[0]!, options)).rejects.toThrow(coded('DEVICE_LIMIT') as Error);
    own(await createForwardRenderer(device, crowds[1]!, options));
  });
});

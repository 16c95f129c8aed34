// Crowds that draws skin: they show what the others show, from far less memory.
import { beforeAll, describe, expect, test } from 'vitest';
import { addSockets, type CharacterId, type Crowd, type CrowdOptions } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { sizeClass } from '../../src/frame/tables/cull-tables.ts';
import { clipFromWorld, type Camera } from '../../src/render/camera.ts';
import { createForwardRenderer, createIdTarget, createReadableTarget } from '../../src/render/index.ts';
import type { RgbaImage } from '../../src/render/images/index.ts';
import { ROW_NONE } from '../../src/stages/layout.ts';
import { coded, farthest, largeActor, smallActor, type Actor } from '../support/crowd-truth.ts';
import { noGpu, takeGpuErrors, testDevice } from '../support/gpu.ts';
import { comparePictures } from '../support/pictures.ts';
import { testInTurn } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { slotBytes } from '../support/slot-bytes.ts';

const METRIC = 1e-5;
const small = smallActor();
const large = largeActor();
const actors = [small, large];
const characters = actors.map(({ character }) => character);
const actorOf = (crowd: Crowd, id: CharacterId): Actor =>
  actors.find(({ character }) => character === internalsOf(crowd).host.typeAt(id % 2 ** 24)!.character)!;

const [WIDTH, HEIGHT] = [96, 64];
const span = Math.max(small.character.size, large.character.size);
const camera: Camera = { eye: [0, 2 * span, 5 * span], target: [0, 0, 0], fovY: 1 };
const views = [{ clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), height: HEIGHT }];

/** Both types, side by side, in motions that go on. */
function armies(crowd: Crowd, each: number): CharacterId[] {
  return characters.flatMap((character, type) => {
    const place = (i: number) => [span * (i - (each - 1) / 2), 0, span * (0.5 - type)] as const;
    const group = crowd.spawn(character, { count: each, place: (i, at) => at.position.set(...place(i)) });
    group.setClips((i) => [
      { clip: 0, phase: i / each, weight: 0.7 },
      { clip: 1, phase: 0.4, weight: 0.3 },
    ]);
    return [...group.ids];
  });
}

describe.skipIf(noGpu())('a crowd that draws skin', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice());
  });

  const newCrowd = (options: Partial<CrowdOptions> = {}) =>
    createCrowd(device, { characters, capacity: 32, updateRates: false, skin: 'vertex', ...options });

  /** A picture in light, and whose pixels there are. */
  async function take(crowd: Crowd): Promise<{ image: RgbaImage; shown: ReadonlySet<number> }> {
    const renderer = await createForwardRenderer(device, crowd, { sampleCount: 1, shadowResolution: 128 });
    const [picture, ids] = [createReadableTarget(device, WIDTH, HEIGHT), createIdTarget(device, WIDTH, HEIGHT)];
    const encoder = device.createCommandEncoder();
    const bounds = { min: [-3 * span, -span, -span], max: [3 * span, span, span] } as const;
    const size = { width: WIDTH, height: HEIGHT };
    const drawn = renderer.render(encoder, { camera, bounds, target: picture.view, ids: ids.view, ...size });
    device.queue.submit([encoder.finish()]);
    await drawn.submitted();
    const image = await picture.read();
    const shown = new Set([...(await ids.read())].filter((place, i) => i % 2 === 0 && place > 0));
    for (const owned of [renderer, picture, ids]) owned.destroy();
    return { image, shown };
  }

  testInTurn(2)(
    'looks as one that compute skins: on either backend, whole or one type of it',
    { timeout: 120_000 },
    async () => {
      const run = async (options: Partial<CrowdOptions>) => {
        const crowd = newCrowd(options);
        const ids = armies(crowd, 3);
        crowd.hideParts(ids[0]!, 'node 1');
        crowd.setPoseSource(ids[1]!, ids[2]!);
        for (let frame = 0; frame < 3; frame++) await updateAndWait(crowd, { dt: 0.07, views });
        // what the first one hides is skinned for nobody in compute
        const whole = ids.slice(1);
        const vertices = await Promise.all(whole.map((id) => crowd.readVertices(id)));
        const taken = { ...(await take(crowd)), vertices, actors: whole.map((id) => actorOf(crowd, id)) };
        crowd.destroy();
        return taken;
      };
      const expected = await run({ skin: 'compute' });
      expect(expected.shown.size).toBe(6);
      const others: Partial<CrowdOptions>[] = [
        { skin: 'vertex' },
        { skin: (character) => (character === small.character ? 'vertex' : 'compute') },
        { skin: 'vertex', backend: 'cpu' },
      ];
      for (const options of others) {
        const actual = await run(options);
        actual.vertices.forEach((vertices, i) => {
          expect(farthest(expected.actors[i]!, vertices, expected.vertices[i]!), `${i}`).toBeLessThan(METRIC);
        });
        const { mean } = comparePictures(actual.image, expected.image);
        expect(mean).toBeLessThan(1);
        expect(actual.shown).toEqual(expected.shown);
      }
      expect(await takeGpuErrors()).toEqual([]);
    },
  );

  test('takes two palettes for each visible character, whatever its mesh', () => {
    for (const actor of actors) {
      const taken = (['vertex', 'compute'] as const).map((skin) => {
        const crowd = newCrowd({ skin });
        const before = crowd.byteLength;
        crowd.spawn(actor.character, { count: 32 });
        const { paletteCount, keptRows } = internalsOf(crowd).host.tables.types.find(
          ({ character }) => character === actor.character,
        )!;
        const bytes = crowd.byteLength - before;
        crowd.destroy();
        return { bytes, paletteCount, keptRows };
      });
      const [vertex, compute] = taken as [(typeof taken)[0], (typeof taken)[0]];
      const morphRows = actor === small ? 1 : 0;
      expect(vertex.keptRows).toBe(3 * vertex.paletteCount + morphRows);
      // a page is rounded up to 256 bytes
      for (const [{ bytes }, slot] of [
        // two copies, and a row of a palette takes two of 8 bytes
        [vertex, 2 * 8 * sizeClass(2 * vertex.keptRows)],
        [compute, slotBytes([actor.character], actor.character.vertexCount)],
      ] as const) {
        const slots = 32 * slot;
        expect(bytes).toBeGreaterThanOrEqual(slots);
        expect(bytes).toBeLessThan(slots + 512);
      }
    }
  });

  test('pools ten times too small: as many as fit are drawn, and none wrongly', async () => {
    const each = 30;
    const roomy = newCrowd({ capacity: 2 * each });
    const rows = internalsOf(roomy).host.tables.types.map(({ keptRows }) => keptRows);
    const slots = rows.reduce((sum, count) => sum + 2 * 8 * sizeClass(2 * count), 0);
    const tight = newCrowd({ capacity: 2 * each, maxVertexBytes: (slots * each) / 10 });
    const ids = armies(tight, each);
    armies(roomy, each);
    for (let frame = 0; frame < 4; frame++) {
      // the view turns round: others are large now
      const eye = frame < 2 ? camera.eye : ([0, 2 * span, -5 * span] as const);
      const turned = [{ clipFromWorld: clipFromWorld({ ...camera, eye }, WIDTH / HEIGHT), height: HEIGHT }];
      await Promise.all([tight, roomy].map((crowd) => updateAndWait(crowd, { dt: 0.1, views: turned })));
      const [stats, whole] = [await tight.readStats(), await roomy.readStats()];
      expect(stats.listed + stats.undrawn).toBe(whole.listed);
      expect(stats.listed).toBeGreaterThan(1);
      expect(stats.undrawn).toBeGreaterThan(0);
      let shown = 0;
      for (const id of ids) {
        if (!(await internalsOf(tight).host.backend.read(id % 2 ** 24))) continue;
        const off = farthest(actorOf(tight, id), await tight.readVertices(id), await roomy.readVertices(id));
        expect(off, `character ${id}`).toBeLessThan(METRIC);
        shown++;
      }
      expect(shown).toBe(stats.listed);
    }
    for (const crowd of [tight, roomy]) crowd.destroy();
    expect(await takeGpuErrors()).toEqual([]);
  });

  test('grows, and lets sockets and poses be read as ever', async () => {
    const carrier = addSockets(large.character, ['joint 30']);
    const poses = async (skin: 'compute' | 'vertex') => {
      const crowd = newCrowd({ characters: [carrier], capacity: 2, skin });
      const group = crowd.spawn(carrier, { count: 2 });
      group.play(0);
      const carried = group.attach('joint 30');
      await updateAndWait(crowd, { dt: 0.1 });
      crowd.grow(4);
      crowd.spawn(carrier, { count: 2 }).play(1);
      await updateAndWait(crowd, { dt: 0.1 });
      const { modelFromJoint } = await crowd.readPose(group.id(0));
      const sockets = await crowd.readSockets(carried);
      const vertices = await crowd.readVertices(group.id(1));
      crowd.destroy();
      return { joints: [...modelFromJoint[0]!], sockets: JSON.stringify(sockets), vertices };
    };
    const [expected, actual] = [await poses('compute'), await poses('vertex')];
    expect(actual.joints).toEqual(expected.joints);
    expect(actual.sockets).toBe(expected.sockets);
    expect(farthest(large, actual.vertices, expected.vertices)).toBeLessThan(METRIC);
  });

  test('poses few at once: a character that waits keeps its palette', async () => {
    const crowd = newCrowd({ maxPoses: 2 });
    const whole = newCrowd();
    const [ids, others] = [armies(crowd, 3), armies(whole, 3)];
    /** Of each character, as it was when it was posed last. */
    const posed = new Map<CharacterId, Float32Array>();
    const shown: number[] = [];
    for (let frame = 0; frame < 8; frame++) {
      await Promise.all([crowd, whole].map((each) => updateAndWait(each, { dt: 0.1 })));
      let [listed, fresh] = [0, 0];
      for (const [i, id] of ids.entries()) {
        const read = await internalsOf(crowd).host.backend.read(id % 2 ** 24);
        if (!read) continue;
        listed++;
        const [vertices, now] = [await crowd.readVertices(id), await whole.readVertices(others[i]!)];
        if (read.row.get(0, 'motionRow') !== ROW_NONE) {
          posed.set(id, now);
          fresh++;
        } else
          expect(farthest(actorOf(crowd, id), vertices, now), `frame ${frame}, character ${i}`).toBeGreaterThan(0.01);
        const off = farthest(actorOf(crowd, id), vertices, posed.get(id)!);
        expect(off, `frame ${frame}, character ${i}`).toBeLessThan(METRIC);
      }
      expect(fresh).toBe(2);
      shown.push(listed);
    }
    // who has never been posed is not shown; then they take turns
    expect(shown[0]).toBe(2);
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(shown.at(-1)).toBe(6);
    for (const one of [crowd, whole]) one.destroy();
  });

  test('says which device cannot draw it', async () => {
    // at the compatibility level draws read textures, and no such limit
    const { device } = await testDevice({ limits: 'core' });
    const crowd = createCrowd(device, { characters, capacity: 1, skin: 'vertex' });
    const with4 = (limits: GPUSupportedLimits): GPUSupportedLimits =>
      new Proxy(limits, {
        get: (of, key) => (key === 'maxStorageBuffersInVertexStage' ? 4 : Reflect.get(of, key, of)),
      });
    const poor = new Proxy(device, {
      get: (of, key) => (key === 'limits' ? with4(of.limits) : (Reflect.get(of, key, of) as unknown)),
    });
    await expect(createForwardRenderer(poor, crowd)).rejects.toThrow(coded('DEVICE_LIMIT'));
    crowd.destroy();
  });
});

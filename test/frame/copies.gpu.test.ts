// With three copies a frame can be drawn after the next one has been encoded, bit for bit as before.
import { describe, expect, test } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter, type Character } from '../../src/character/index.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { EncodedFrame } from '../../src/crowd/frame-options.ts';
import { placeOf } from '../../src/frame/tables/cull-results.ts';
import { readRanges } from '../../src/device/read-back.ts';
import { slotRows } from '../../src/frame/tables/crowd-types.ts';
import { View } from '../../src/layout/index.ts';
import { clipFromWorld, type Camera } from '../../src/render/camera.ts';
import { createForwardRenderer } from '../../src/render/forward/forward.ts';
import type { ForwardView } from '../../src/render/forward/view.ts';
import { createReadableTarget, createIdTarget, createVelocityTarget } from '../../src/render/target.ts';
import { createVisibilityRenderer } from '../../src/render/visibility/visibility.ts';
import { VERTEX_ROW_BYTES, VisibleCharacter } from '../../src/stages/layout.ts';
import { coded } from '../support/crowd-truth.ts';
import { noCore, noGpu, readBuffer, testDevice } from '../support/gpu.ts';
import { Random } from '../support/random.ts';
import { hasTurn, some, testInTurn } from '../support/setup.ts';
import { soldierModel } from '../support/soldiers.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const SIZE = { width: 96, height: 54 };
const ASPECT = SIZE.width / SIZE.height;
const BOUNDS = { min: [-6, 0, -30], max: [6, 2, 4] } as const;
const CAMERA: Camera = { eye: [0, 4, 12], target: [0, 0, 0], fovY: 0.7 };

/** Two levels of detail: the coarser one is a little smaller. */
function soldier(): Character {
  const model = soldierModel();
  const smaller = model.meshes.map((mesh) => ({ ...mesh, positions: mesh.positions.map((c) => 0.9 * c) }));
  return addSockets(packCharacter({ ...model, lods: [{ meshes: smaller }] }, { errorBudget: 0 }), [1]);
}

/** A crowd in which everything changes from frame to frame. */
class Scene {
  readonly crowd: Crowd;
  readonly #random = new Random(26);
  readonly #type = soldier();

  constructor(
    readonly device: GPUDevice,
    readonly copies: 1 | 2 | 3,
    options: {
      readonly backend?: 'gpu' | 'cpu';
      readonly skin?: 'compute' | 'vertex';
      readonly maxVertexBytes?: number;
    },
  ) {
    // half of those far away are posed every second frame, and memory does not hold all at their finest level
    const common = {
      capacity: 48,
      lodTolerancePx: 4,
      maxVertexBytes: 12 * 64 * copies * 30,
    } as const;
    this.crowd = createCrowd(device, { characters: [this.#type], copies, ...common, ...options });
    this.spawn(24);
    this.crowd.attach(internalsOf(this.crowd).host.living().slice(0, 8), 1);
  }

  spawn(count: number): void {
    const group = this.crowd.spawn(this.#type, { count, place: (_, at) => at.position.set(...this.#place()) });
    group.ids.forEach((id, i) => this.crowd.play(id, i % 3));
  }

  #place(): [number, number, number] {
    return [this.#random.range(-7, 7), 0, this.#random.range(-40, 9)];
  }

  /** What happens between two frames. */
  change(): void {
    const { crowd } = this;
    const ids = internalsOf(crowd).host.living();
    for (const id of ids) {
      const choice = this.#random.integer(0, 9);
      if (choice === 0) crowd.teleport(id, (at) => at.position.set(...this.#place()));
      else if (choice === 1) crowd.setTint(id, [this.#random.range(0, 1), 1, 0, 1]);
      else if (choice === 2) crowd.setPoseSource(id, ids[0]);
      else if (choice === 3) crowd.despawn(id);
      else crowd.setTransform(id, (at) => (at.position.z += this.#random.range(-1, 1)));
    }
    this.spawn(Math.max(0, 24 - crowd.count + this.#random.integer(-2, 6)));
    crowd.moveOrigin([this.#random.range(-50, 50), 0, 0]);
  }

  get camera(): Camera {
    return relative(this.crowd.origin);
  }

  /** Encodes a frame, submits it, and says so at once: whatever is drawn of it comes later. */
  async step(): Promise<EncodedFrame> {
    const encoder = this.device.createCommandEncoder();
    const views = [{ clipFromWorld: clipFromWorld(this.camera, ASPECT), height: SIZE.height }];
    const frame = this.crowd.encode(encoder, { dt: 1 / 30, views });
    this.device.queue.submit([encoder.finish()]);
    await frame.submitted();
    return frame;
  }
}

function relative([x, y, z]: readonly [number, number, number]): Camera {
  const from = ([a, b, c]: readonly [number, number, number]) => [a - x, b - y, c - z] as const;
  return { ...CAMERA, eye: from(CAMERA.eye), target: from(CAMERA.target) };
}

/** Where the vertices are that draws of the last frame read, this frame's and the last one's. */
async function drawnRanges({ device, crowd }: Scene) {
  const memory = internalsOf(crowd).host.backend.memory!;
  const { listed } = await crowd.readStats();
  const visible = new View(VisibleCharacter, (await readRanges(device, [[memory.crowd.visible, 0, 48 * listed]]))[0]!);
  return Array.from({ length: listed }, (_, row) => row)
    .filter((row) => visible.get(row, 'views') !== 0)
    .flatMap((row) => {
      const { type, level, pageIndex } = placeOf(internalsOf(crowd).host.tables.types, visible, row);
      return (['currentVertexOffset', 'previousVertexOffset'] as const).map((key) => {
        const { vertices } = memory.page(pageIndex);
        const bytes = VERTEX_ROW_BYTES * slotRows(type, level);
        return [vertices, VERTEX_ROW_BYTES * visible.get(row, key), bytes] as const;
      });
    });
}

const RENDERERS = { forward: createForwardRenderer, visibility: createVisibilityRenderer } as const;

describe.skipIf(noGpu() || noCore() || !hasTurn(1))('a frame that is drawn after the next one has been encoded', () => {
  const cases = [
    { backend: 'gpu', skin: 'compute', kind: 'forward' },
    { backend: 'gpu', skin: 'compute', kind: 'visibility' },
    { backend: 'gpu', skin: 'vertex', kind: 'forward' },
    { backend: 'cpu', skin: 'compute', kind: 'forward' },
  ] as const;
  test.each(some(cases, 2))(
    'looks as before, bit for bit: $backend, skinned in $skin, $kind',
    { timeout: 120_000 },
    async (how) => {
      const { backend, skin, kind } = how;
      const { device } = await testDevice();
      const scene = new Scene(device, 3, { backend, skin });
      const { crowd } = scene;
      const options = { cascadeCount: 1, shadowResolution: 32, ...(kind === 'forward' && { sampleCount: 1 as const }) };
      // one draws at once, the other one frame later
      const [atOnce, later] = [
        await RENDERERS[kind](device, crowd, options),
        await RENDERERS[kind](device, crowd, options),
      ];
      const targets = {
        picture: createReadableTarget(device, SIZE.width, SIZE.height),
        ids: createIdTarget(device, SIZE.width, SIZE.height),
        velocity: createVelocityTarget(device, SIZE.width, SIZE.height),
      };
      const look = async (renderer: typeof atOnce, view: Pick<ForwardView, 'camera' | 'previousCamera' | 'frame'>) => {
        const { picture, ids, velocity } = targets;
        const encoder = device.createCommandEncoder();
        const into = { target: picture.view, ids: ids.view, velocity: velocity.view };
        const drawn = renderer.render(encoder, { bounds: BOUNDS, ...into, ...SIZE, ...view });
        device.queue.submit([encoder.finish()]);
        await drawn.submitted();
        return { color: (await picture.read()).data, ids: await ids.read(), velocity: await velocity.read() };
      };
      let frame = await scene.step();
      let [moved, shown] = [0, 0];
      for (let index = 0; index < 6; index++) {
        const view = { camera: scene.camera, previousCamera: { ...scene.camera, fovY: 0.69 } };
        const expected = await look(atOnce, view);
        const sockets = new Float32Array(await readBuffer(device, frame.previousSocketMatrices!));
        const ranges = await drawnRanges(scene);
        const vertices = await readRanges(device, ranges);
        scene.change();
        if (index === 3) crowd.grow(64);
        const next = await scene.step();
        if (backend === 'gpu') {
          const after = await readRanges(device, ranges);
          after.forEach((bytes, i) =>
            expect(new Uint32Array(bytes), `frame ${index}`).toEqual(new Uint32Array(vertices[i]!)),
          );
        }
        expect(await look(later, { ...view, frame }), `frame ${index}`).toEqual(expected);
        expect(new Float32Array(await readBuffer(device, frame.previousSocketMatrices!))).toEqual(sockets);
        shown += expected.ids.filter((id) => id !== 0).length;
        moved += expected.velocity.filter((c) => c !== 0).length;
        frame = next;
      }
      expect(shown).toBeGreaterThan(500);
      expect(moved).toBeGreaterThan(500);
      for (const owned of [atOnce, later, ...Object.values(targets), crowd]) owned.destroy();
    },
  );

  test('is overwritten where slots keep two copies, and refused', async () => {
    const { device } = await testDevice();
    const scene = new Scene(device, 2, {});
    const renderer = await createForwardRenderer(device, scene.crowd, { cascadeCount: 1, shadowResolution: 32 });
    const first = await scene.step();
    const second = await scene.step();
    const ranges = await drawnRanges(scene);
    const vertices = await readRanges(device, ranges);
    const third = await scene.step();
    const after = await readRanges(device, ranges);
    const changed = after.filter((bytes, i) => Buffer.compare(Buffer.from(bytes), Buffer.from(vertices[i]!)) !== 0);
    expect(changed.length).toBeGreaterThan(0);
    const target = createReadableTarget(device, SIZE.width, SIZE.height);
    const view = { camera: scene.camera, bounds: BOUNDS, target: target.view, ...SIZE };
    const draw = (frame: EncodedFrame) => renderer.render(device.createCommandEncoder(), { ...view, frame });
    for (const frame of [first, second]) expect(() => draw(frame)).toThrow(coded('RENDER_FAILED'));
    expect([second.socketMatrices, third.socketMatrices]).toEqual([undefined, scene.crowd.socketMatrices]);
    draw(third);
    for (const owned of [renderer, target, scene.crowd]) owned.destroy();
  });

  test('two frames on is overwritten with three copies as well', async () => {
    const { device } = await testDevice();
    const scene = new Scene(device, 3, {});
    const renderer = await createForwardRenderer(device, scene.crowd, { cascadeCount: 1, shadowResolution: 32 });
    const frames = [await scene.step(), await scene.step(), await scene.step()];
    const target = createReadableTarget(device, SIZE.width, SIZE.height);
    const view = { camera: scene.camera, bounds: BOUNDS, target: target.view, ...SIZE };
    const draw = (frame: EncodedFrame, show: ForwardView['debugView'] = 'color') =>
      renderer.render(device.createCommandEncoder(), { ...view, frame, debugView: show });
    expect(() => draw(frames[0]!)).toThrow(coded('RENDER_FAILED'));
    expect(() => draw(frames[1]!, 'joints')).toThrow(coded('RENDER_FAILED'));
    draw(frames[1]!);
    draw(frames[2]!, 'joints');
    for (const owned of [renderer, target, scene.crowd]) owned.destroy();
  });

  testInTurn(1).each(['compute', 'vertex'] as const)(
    'one copy draws the same, skinned in %s, in less memory',
    async (skin) => {
      const { device } = await testDevice();
      const scenes = ([1, 2] as const).map((copies) => new Scene(device, copies, { skin, maxVertexBytes: 2 ** 24 }));
      const target = createReadableTarget(device, SIZE.width, SIZE.height);
      const renderers = await Promise.all(
        scenes.map(({ crowd }) => createForwardRenderer(device, crowd, { cascadeCount: 1, shadowResolution: 32 })),
      );
      const bytes: number[] = [];
      for (let frame = 0; frame < 4; frame++) {
        const pictures: Uint8Array[] = [];
        for (const [i, scene] of scenes.entries()) {
          if (frame > 0) scene.change();
          await scene.step();
          const encoder = device.createCommandEncoder();
          const view = { camera: scene.camera, bounds: BOUNDS, target: target.view, ...SIZE };
          renderers[i]!.render(encoder, view);
          device.queue.submit([encoder.finish()]);
          pictures.push((await target.read()).data as Uint8Array);
          bytes[i] = scene.crowd.byteLength;
        }
        expect(pictures[0]).toEqual(pictures[1]);
        expect(new Set(pictures[0]).size).toBeGreaterThan(50);
      }
      expect(bytes[0]).toBeLessThan(bytes[1]!);
      const [{ crowd, camera }] = scenes as [Scene];
      const velocity = createVelocityTarget(device, SIZE.width, SIZE.height).view;
      const view = { camera, bounds: BOUNDS, target: target.view, velocity, ...SIZE };
      expect(() => renderers[0]!.render(device.createCommandEncoder(), view)).toThrow(coded('RENDER_FAILED'));
      if (skin === 'compute') {
        const temporal = createVisibilityRenderer(device, crowd, { antialiasing: 'temporal', cascadeCount: 0 });
        await expect(temporal).rejects.toThrow(coded('RENDER_FAILED'));
        const visibility = await createVisibilityRenderer(device, crowd, { cascadeCount: 0 });
        expect(() => visibility.render(device.createCommandEncoder(), view)).toThrow(coded('RENDER_FAILED'));
        visibility.destroy();
      }
      for (const owned of [...renderers, target, ...scenes.map(({ crowd: each }) => each)]) owned.destroy();
    },
  );

  test('takes one copy, two or three', () => {
    const options = { characters: [soldier()], capacity: 1, backend: 'cpu' } as const;
    expect(() => createCrowd(undefined, { ...options, copies: 4 as never })).toThrow(coded('CROWD_BAD_ARGUMENT'));
    for (const copies of [1, 2, 3] as const) createCrowd(undefined, { ...options, copies }).destroy();
  });
});

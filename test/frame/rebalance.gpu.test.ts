// Vertex memory that moves between size classes by demand, through the public entry, on both backends.
import { describe, expect, test, vi } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import type { CharacterId, Crowd } from '../../src/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import { smallModel, meshOf } from '../support/small-model.ts';
import { farthest, largeActor, smallActor, trueVertices, type Actor } from '../support/crowd-truth.ts';
import { noGpu, testDevice } from '../support/gpu.ts';
import { hasTurn, testInTurn } from '../support/setup.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { VISIBLE_PAGE_SHIFT } from '../../src/stages/layout.ts';
import { slotBytes } from '../support/slot-bytes.ts';

const METRIC = 1e-5;
/** Frames in which near ones have found what they need. */
const FRAMES = 18;
const [small, large] = [smallActor(), largeActor()];
const LARGE_BYTES = slotBytes([small.character, large.character], large.character.vertexCount);

/** Looks along −Z or +Z from the origin. */
const looking = (z: -1 | 1): CrowdView => ({
  clipFromWorld: clipFromWorld({ eye: [0, 1, 0], target: [0, 1, z], fovY: 1.2 }, 1),
  height: 400,
});
const [FRONT, BACK] = [looking(-1), looking(1)];

const deviceOf = async (backend: 'gpu' | 'cpu') => (backend === 'gpu' ? (await testDevice()).device : undefined);

/** Small ones before the camera, large ones behind it: each half takes more than its share of memory. */
async function twoCrowds(backend: 'gpu' | 'cpu', memory: number) {
  const device = await deviceOf(backend);
  const characters = [small.character, large.character];
  const options = { characters, capacity: 200, skin: 'compute', backend, maxVertexBytes: memory } as const;
  const crowd = createCrowd(device, options);
  const truths = new Map<CharacterId, { readonly actor: Actor; readonly truth: Float64Array }>();
  const spawn = (actor: Actor, count: number, z: number) => {
    const place = (i: number, at: { position: { set(x: number, y: number, z: number): void } }) =>
      at.position.set((i % 10) - 5, 0, z * (15 + Math.floor(i / 10)));
    crowd.spawn(actor.character, { count, place }).ids.forEach((id, i) => {
      const time = 0.1 + 0.01 * i;
      crowd.play(id, 0, { time, speed: 0, loops: false });
      truths.set(id, { actor, truth: trueVertices(actor, [{ clip: 0, time }]) });
    });
  };
  return { crowd, truths, spawn };
}

/** How many are not drawn. @param isChecked Whoever is drawn stands as it should, whatever moves beneath it. */
async function frame(
  { crowd, truths }: Awaited<ReturnType<typeof twoCrowds>>,
  view: CrowdView,
  isChecked: boolean,
): Promise<number> {
  await updateAndWait(crowd, { dt: 0, views: [view] });
  for (const [id, { actor, truth }] of isChecked ? truths : []) {
    const read = await internalsOf(crowd).host.backend.read(id % 2 ** 24);
    if (!read || read.row.get(0, 'views') === 0) continue;
    for (const words of [read.vertices, read.previousVertices]) {
      const positions = new Float32Array(words.buffer, words.byteOffset, words.length).filter((_, i) => i % 4 !== 3);
      expect(farthest(actor, positions, truth)).toBeLessThan(METRIC);
    }
  }
  return (await crowd.readStats()).undrawn;
}

function keepCut(crowd: Crowd): void {
  const { pages } = internalsOf(crowd).host;
  const take = pages.take.bind(pages);
  vi.spyOn(pages, 'take').mockImplementation(() => ({ ...take(), rebalances: 0 }));
}

describe.skipIf(noGpu() || !hasTurn(0)).each(['gpu', 'cpu'] as const)('vertex memory on %s', (backend) => {
  const HALF = 30;
  // four fifths of it hold either half
  const MEMORY = HALF * LARGE_BYTES;

  testInTurn(2).each([true, false])('goes to the size that lacks it: %s', { timeout: 60_000 }, async (moves) => {
    const scene = await twoCrowds(backend, MEMORY);
    if (!moves) keepCut(scene.crowd);
    scene.spawn(small, 2 * HALF, -1);
    scene.spawn(large, HALF - 6, 1);
    const { crowd } = scene;
    const undrawn = { front: [] as number[], back: [] as number[] };
    for (const [name, view] of [
      ['back', BACK],
      ['front', FRONT],
      ['back', BACK],
    ] as const) {
      undrawn[name] = [];
      for (let index = 0; index < 12; index++)
        undrawn[name].push(await frame(scene, view, moves && (index < 3 || index === 11)));
    }
    const { listed } = await crowd.readStats();
    crowd.destroy();
    // memory suffices for each half, and slots of one size do not
    if (moves) {
      expect([undrawn.front.at(-1), undrawn.back.at(-1), listed]).toEqual([0, 0, HALF - 6]);
      expect(undrawn.back.filter((count) => count > 0).length).toBeLessThan(8);
    } else expect(Math.min(undrawn.front.at(-1)!, undrawn.back.at(-1)!)).toBeGreaterThan(3);
  });

  test('goes from one level to a finer one, and none that lives loses its place', { timeout: 60_000 }, async () => {
    const device = await deviceOf(backend);
    const meshes = (count: number) => [
      meshOf(
        Array.from({ length: count }, (_, v) => [Math.cos(v), Math.sin(v), 0.001 * (count % 7)]),
        () => [[0, 1]],
        {
          indices: Uint32Array.from(
            { length: 3 * (count - 2) },
            (_, i) => [0, Math.floor(i / 3) + 1, Math.floor(i / 3) + 2][i % 3]!,
          ),
        },
      ),
    ];
    const soldier = packCharacter(
      { ...smallModel(), meshes: meshes(500), lods: [{ meshes: meshes(250) }, { meshes: meshes(60) }] },
      { errorBudget: 0 },
    );
    const count = 60;
    // all at their coarsest, and a tenth of the rest
    const vertexMemory = count * (slotBytes([soldier], 64) + slotBytes([soldier], 768) / 8);
    const levelsOf = async (memory: 'moves' | 'stays') => {
      const crowd = createCrowd(device, {
        characters: [soldier],
        capacity: count,
        skin: 'compute',
        backend,
        maxVertexBytes: vertexMemory,
        lodTolerancePx: 0.5,
      });
      if (memory === 'stays') keepCut(crowd);
      const { ids } = crowd.spawn(soldier, {
        count,
        place: (i, at) => at.position.set((i % 10) - 4.5, 0, -60 - i / 10),
      });
      for (let index = 0; index < FRAMES; index++) {
        if (index === 2)
          ids.slice(0, 10).forEach((id, i) => crowd.setTransform(id, (at) => at.position.set((i % 10) - 4.5, 0, -6)));
        await updateAndWait(crowd, { dt: 0, views: [FRONT] });
        expect((await crowd.readStats()).undrawn).toBe(0);
      }
      const levels = [0, 0, 0];
      const slots: (readonly number[])[] = [];
      for (const id of ids) {
        const read = await internalsOf(crowd).host.backend.read(id % 2 ** 24);
        if (!read || read.row.get(0, 'views') === 0) continue;
        levels[read.row.get(0, 'detail') & 0xff]!++;
        slots.push([read.row.get(0, 'detail') >>> VISIBLE_PAGE_SHIFT, read.row.get(0, 'currentVertexOffset')]);
      }
      crowd.destroy();
      return { levels, slots };
    };
    const [moved, kept] = [await levelsOf('moves'), await levelsOf('stays')];
    expect([kept.levels, moved.levels]).toEqual([
      [7, 3, 50],
      [9, 1, 50],
    ]);
    // the same inputs, the same slots
    expect(await levelsOf('moves')).toEqual(moved);
  });
});

// What is drawn where ids, or lists, do not last: whole instances, those that are seen largest, as when there were no others.
import { afterAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full, hasTurn, testInTurn } from '../../../../test/support/setup.ts';
import { randomMeshes, randomViews } from '../../../../test/support/random-triangles.ts';
import { drawTriangles, type SceneResult } from '../../../../test/support/triangle-scene.ts';
import type { SceneMesh } from '../../../../test/support/triangle-sources.ts';
import { LIST_HEADER_WORDS, TRIANGLE_BATCH } from '../triangles.ts';
import type { TriangleReader } from '../triangle-reference.ts';
import { keeperOf, keyOf, orderIn } from './lists-reference.ts';

const SEEDS = Array.from({ length: full ? 60 : 6 }, (_, i) => 300 + i);
const NOBODY = 0xffffffff;
/** Pixels across of what has no size. */
const LARGE = 1e30;

describe.skipIf(noVisibility() || !hasTurn(0))('filter-triangles, where memory ends', () => {
  const counts = { instances: 0, ofLists: 0, ofIds: 0, unsure: 0 };
  afterAll(() => console.log(`seeds ${SEEDS[0]} to ${SEEDS.at(-1)}, instances dropped:`, counts));

  const sceneOf = (seed: number) => {
    const random = new Random(seed);
    const meshes = [...randomMeshes(random), ...randomMeshes(random)].map((mesh, i): SceneMesh => {
      const [own, page] = [withSphere(mesh), i % 2];
      const places = Array.from({ length: 8 }, () => random.pick(own.places));
      const spread = places.map((place) => ({
        ...place,
        position: place.position.map((c) => c * random.range(0.2, 2)),
      }));
      return { ...own, places: spread as unknown as SceneMesh['places'], page };
    });
    const views = randomViews(random).map((view) => ({ ...view, hardwareSize: random.pick([Infinity, 30]) }));
    return { meshes, views: views.map((view) => ({ ...view, triangleSize: 8 })), share: random.range(0.05, 0.9) };
  };

  testInTurn(2).each(SEEDS)('lists keep the largest: seed %i', async (seed) => {
    const { meshes, views, share } = sceneOf(seed);
    const { device, kind } = await testDevice();
    const whole = await drawTriangles(device, meshes, { views });
    const wanted = whole.kept.reduce((sum, kept) => sum + idsOf(kept).length, 0);
    // some have room for all together, but not in lists of one length
    const room = Math.max(1, seed % 3 === 0 ? wanted : Math.floor(share * wanted));
    const listMemory = 4 * (LIST_HEADER_WORDS + room);
    const cut = await drawTriangles(device, meshes, { views, limits: { listMemory } });
    // by the other kernel: atomics come in another order
    const other = { views, limits: { listMemory }, grouped: kind === 'software' };
    if (full || seed < 302) expect((await drawTriangles(device, meshes, other)).kept).toEqual(cut.kept);
    const ids = new Map<string, number[]>();
    whole.kept.forEach((kept, view) => {
      for (const id of idsOf(kept)) {
        const name = `${view} ${whole.reader.find(id).instance}`;
        ids.set(name, [...(ids.get(name) ?? []), id]);
      }
    });
    const items = Array.from(ids, ([name, { length: weight }]) => {
      const [view, instance] = name.split(' ').map(Number) as [number, number];
      const size = rankOf(whole.reader, view, instance);
      const order = orderIn(view, idOf(whole.reader, instance));
      return { name, view, instance, size, key: keyOf(size), order, weight };
    });
    counts.instances += items.length;
    const isKept = wanted <= room ? () => true : keeperOf(items, room);
    const [stay, go] = [items.filter(isKept), items.filter((item) => !isKept(item) && item.weight <= room)];
    if (isNearTie(stay, go)) {
      counts.unsure++;
      return;
    }
    counts.ofLists += items.length - stay.length;
    views.forEach((_, view) => {
      const expected = stay.filter((item) => item.view === view).flatMap(({ name }) => ids.get(name)!);
      expect(idsOf(cut.kept[view]!), `seed ${seed}, view ${view}`).toEqual(expected.toSorted((a, b) => a - b));
      expectPicture(cut, whole, view, new Set(expected), `seed ${seed}, view ${view}`);
    });
    // no shadow is there without the body, where that shows itself
    const bodies = new Set(go.filter(({ view }) => view === 0).map(({ instance }) => instance));
    expect(stay.filter(({ view, instance }) => view > 0 && bodies.has(instance))).toEqual([]);
  });

  test.each(SEEDS)('ids go to the largest, of those that are seen: seed %i', async (seed) => {
    const { meshes, views, share } = sceneOf(seed + 1000);
    const { device } = await testDevice();
    const whole = await drawTriangles(device, meshes, { views });
    const { runs, instances } = whole.reader;
    const rows = Array.from({ length: runs.count }, (_, run) =>
      Array.from({ length: runs.get(run, 'rowCount') }, (_, row) => ({
        run,
        instance: runs.get(run, 'firstRow') + row,
      })),
    ).flat();
    const seen = rows.filter(({ instance }) => instances.get(instance, 'views') !== 0);
    const items = seen.map(({ run, instance }) => {
      const shown = views.map((_, view) =>
        (instances.get(instance, 'views') >>> view) & 1 ? sizeOf(whole.reader, view, instance) : 0,
      );
      return { instance, size: Math.max(...shown), weight: runs.get(run, 'batchesPerRow') };
    });
    const sum = items.reduce((all, { weight }) => all + weight, 0);
    // fewer than all rows take, be there room for all that are seen or not
    const most =
      rows.length * Math.ceil(Math.max(...rows.map(({ run }) => runs.get(run, 'triangleCount'))) / TRIANGLE_BATCH);
    const batchCapacity = Math.min(most - 1, seed % 2 ? sum : Math.floor(share * sum));
    const cut = await drawTriangles(device, meshes, { views, limits: { batchCapacity } });
    const keyed = items.map(({ instance, size, weight }) => {
      return { instance, size, key: keyOf(size), order: idOf(whole.reader, instance), weight };
    });
    const isKept = keeperOf(keyed, batchCapacity);
    const go = keyed.filter((item) => !isKept(item) && item.weight <= batchCapacity);
    if (isNearTie(keyed.filter(isKept), go)) {
      counts.unsure++;
      return;
    }
    counts.instances += keyed.length;
    counts.ofIds += keyed.filter((item) => !isKept(item)).length;
    const drawn = new Set(keyed.filter(isKept).map(({ instance }) => instance));
    views.forEach((_, view) => {
      const expected = idsOf(whole.kept[view]!).filter((id) => drawn.has(whole.reader.find(id).instance));
      const names = (of: SceneResult) => (id: number) => nameOf(of.reader, id);
      const what = `seed ${seed}, view ${view}`;
      expect(idsOf(cut.kept[view]!).map(names(cut)).toSorted(), what).toEqual(expected.map(names(whole)).toSorted());
      expectPicture(cut, whole, view, new Set(expected), what);
    });
  });
});

/** Where a picture of all shows what is kept, the other one shows it, too; and nothing shows what is not kept. */
function expectPicture(
  cut: SceneResult,
  whole: SceneResult,
  view: number,
  kept: ReadonlySet<number>,
  what: string,
): void {
  const expected = whole.pictures[view]!.ids;
  const lost: number[] = [];
  cut.pictures[view]!.ids.forEach((id, at) => {
    const shows = expected[at]!;
    if (
      shows !== NOBODY &&
      kept.has(shows) &&
      (id === NOBODY || nameOf(cut.reader, id) !== nameOf(whole.reader, shows))
    ) {
      lost.push(at);
    }
  });
  expect(lost, what).toEqual([]);
}

/** What a triangle is, whatever ids there are. */
function nameOf(reader: TriangleReader, id: number): string {
  const { instance, index } = reader.find(id);
  return `${reader.instances.get(instance, 'character')} ${index}`;
}

const idsOf = ({ compute, hardware }: SceneResult['kept'][number]) =>
  [...compute, ...hardware].toSorted((a, b) => a - b);

function withSphere(mesh: SceneMesh): SceneMesh {
  let radius = 0;
  for (let v = 0; v < mesh.positions.length; v += 3) {
    radius = Math.max(radius, Math.hypot(...mesh.positions.slice(v, v + 3)));
  }
  return { ...mesh, sphere: { center: [0, 0, 0], radius } };
}

/** Pixels across of the sphere around an instance, at its nearest depth. */
function sizeOf({ runs, instances, viewRows }: TriangleReader, view: number, instance: number): number {
  const run = instances.get(instance, 'runRow') / 4;
  const world = instances.get(instance, 'worldFromModel');
  const rows = [0, 4, 8].map((at) => world.slice(at, at + 4));
  const radius = runs.get(run, 'radius') * Math.hypot(...rows.map(([x]) => x!));
  const matrix = viewRows.get(view, 'clipFromWorld') as unknown as number[];
  const w = [3, 7, 11, 15].map((at) => matrix[at]!);
  const center = rows.map((row) => row[3]!);
  const nearest = center.reduce((sum, value, c) => sum + value * w[c]!, w[3]!) - radius * Math.hypot(...w.slice(0, 3));
  return nearest <= 0 ? LARGE : (2 * radius * viewRows.get(view, 'pixelsPerMetre')) / nearest;
}

/** A character's row, or the instance of scenery. */
function idOf({ instances }: TriangleReader, instance: number): number {
  const character = instances.get(instance, 'character');
  return character === 0 ? instance : character - 1;
}

/** By what instances go in a view: their size there, of shadows no more than that of their body. */
function rankOf(reader: TriangleReader, view: number, instance: number): number {
  const isShown = (reader.instances.get(instance, 'views') & 1) === 1;
  const size = sizeOf(reader, view, instance);
  return Math.fround(isShown ? Math.min(size, sizeOf(reader, 0, instance)) : size);
}

/** Rounding may let one of those that stay go instead of one that goes. */
function isNearTie(stay: readonly { readonly size: number }[], go: readonly { readonly size: number }[]): boolean {
  const smallest = Math.min(...stay.map(({ size }) => size));
  return go.some(({ size }) => size !== smallest && Math.abs(size / smallest - 1) < 1e-5);
}

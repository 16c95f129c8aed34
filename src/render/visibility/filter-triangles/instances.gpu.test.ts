// Which rows and batches runs have, and where instances stand, against the twins.
import { afterAll, describe, expect, test } from 'vitest';
import { noVisibility, readBuffer, testDevice, uploadBuffer } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full } from '../../../../test/support/setup.ts';
import { randomViews } from '../../../../test/support/random-triangles.ts';
import { View } from '../../../layout/index.ts';
import { ImpostorChoice } from '../../impostors/layout.ts';
import { triangleViews } from '../views.ts';
import { encodeDispatch, type Dispatch } from '../../../stages/kernel.ts';
import { Resident, Transform, VISIBLE_NEW, VisibleCharacter } from '../../../stages/layout.ts';
import {
  IMPOSTOR_SHIFT,
  BATCH_LIMIT,
  DROPPED_KEPT_WORD,
  DrawnInstance,
  LIST_DEMAND_WORD,
  LIST_DROPPED_WORD,
  LIST_HEADER_WORDS,
  LIST_ROOM_WORD,
  LIST_STATE_WORD,
  PROJECTION_ROWS,
  TriangleRun,
  TriangleView,
  TriangleViews,
} from '../triangles.ts';
import { countBatches, dropInstances, keyOf, planLists, selectInstances } from './lists-reference.ts';
import { type InstanceSize, placeInstance } from './instance-reference.ts';
import {
  CANDIDATE_VIEW_SHIFT,
  CountParams,
  DropParams,
  InstanceCandidate,
  InstanceParams,
  PagePlan,
  RANGE_WORDS,
  RANK_DRAWN,
  RECORD_NONE,
  RunPlan,
  SelectParams,
} from './layout.ts';
import { createFilterTriangles } from './stage.ts';

function run(device: GPUDevice, ...dispatches: readonly Dispatch[]): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const dispatch of dispatches) encodeDispatch(pass, dispatch);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

const SEEDS = Array.from({ length: full ? 200 : 8 }, (_, i) => 1 + i);
const { STORAGE, UNIFORM } = globalThis.GPUBufferUsage ?? { STORAGE: 0, UNIFORM: 0 };

/** Ranks of rows of which some are drawn, as selectInstances leaves them. */
function randomRanks(random: Random, rowCount: number, mayDraw: (row: number) => boolean = () => true): Uint32Array {
  const [ranks, share] = [new Uint32Array(rowCount + 1), random.pick([0, 0.1, 0.6, 1])];
  let rank = 0;
  for (let row = 0; row < rowCount; row++) {
    const isDrawn = mayDraw(row) && random.chance(share);
    ranks[row] = isDrawn ? rank++ | RANK_DRAWN : rank;
  }
  ranks[rowCount] = rank;
  return ranks;
}

describe.skipIf(noVisibility())('countBatches', () => {
  test.each(SEEDS)('counts rows and batches as the twin does: seed %i', async (seed) => {
    const random = new Random(seed);
    const runCount = random.pick([1, 7, 255, 256, 257, 1000]);
    const runs = new View(TriangleRun, runCount);
    const plans = new View(RunPlan, runCount);
    const targets = new Uint32Array(2 * runCount);
    let row = 0;
    for (let run = 0; run < runCount; run++) {
      const count = random.chance(0.3) ? 0 : random.integer(1, 40);
      runs.assign(run, { batchesPerRow: random.chance(0.1) ? 0 : random.integer(1, 60) });
      targets.set([row, count], 2 * run);
      const fixed = { recordWord: RECORD_NONE, firstRow: row, rowCount: count };
      plans.assign(run, random.chance(0.3) ? fixed : { recordWord: 2 * run });
      row += count;
    }
    const pages = new View(PagePlan, random.integer(1, 5));
    let firstRun = 0;
    for (let page = 0; page < pages.count; page++) {
      const some = random.chance(0.3) ? 0 : random.integer(0, runCount - firstRun);
      const count = page === pages.count - 1 ? runCount - firstRun : some;
      pages.assign(page, { firstRun, runCount: count, rangeWord: page * RANGE_WORDS });
      firstRun += count;
    }
    const params = new View(CountParams, 1);
    const selects = seed % 2;
    const ranks = randomRanks(random, row);
    params.assign(0, { runCount, pageCount: pages.count, selects, dimensionLimit: random.pick([3, 65535]) });
    const ranges = new Uint32Array(pages.count * RANGE_WORDS);
    const [views, lists] = [someViews(random), someDemand(random)];
    const { device } = await testDevice();
    const buffers = {
      params: uploadBuffer(device, params.words, UNIFORM),
      views: uploadBuffer(device, views, UNIFORM),
      lists: uploadBuffer(device, lists, STORAGE),
      plans: uploadBuffer(device, plans.words, STORAGE),
      pages: uploadBuffer(device, pages.words, STORAGE),
      targets: uploadBuffer(device, targets, STORAGE),
      drawn: uploadBuffer(device, runs.words, STORAGE),
      ranges: uploadBuffer(device, ranges, STORAGE),
      ranks: uploadBuffer(device, ranks, STORAGE),
    };
    run(device, createFilterTriangles(device, false).countBatches(buffers));
    const drawn = runs.words.slice();
    countBatches({ params, plans, pages, targets, drawn, ranges, ranks, views, lists });
    const found = new Uint32Array(await readBuffer(device, buffers.ranges));
    expect(new Uint32Array(await readBuffer(device, buffers.drawn)), `seed ${seed}`).toEqual(drawn);
    expect(found, `seed ${seed}`).toEqual(ranges);
    expect(new Uint32Array(await readBuffer(device, buffers.lists)), `seed ${seed}`).toEqual(lists);
    for (const buffer of Object.values(buffers)) buffer.destroy();
  });
});

describe.skipIf(noVisibility())('sizeInstances and placeInstances', () => {
  const totals = { rows: 0, shown: 0, hardware: 0, shares: 0, ties: 0, unseen: 0, worst: 0 };
  afterAll(() => console.log(`sizeInstances and placeInstances, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}:`, totals));

  test.each(SEEDS)('places rows of a list as the twin does: seed %i', async (seed) => {
    const random = new Random(seed + 1000);
    const shapes = randomViews(random).map((view) => {
      const crowdViews = random.pick([1, 2, 3, 0xffffffff]);
      return { ...view, crowdViews, hardwareSize: random.pick([0, random.range(1, 60), Infinity]) };
    });
    const rowCount = random.integer(1, 400);
    const [firstInstance, firstRun] = [random.integer(0, 20), random.integer(0, 2)];
    const runCount = seed === 3 ? 0 : random.integer(1, 6);
    const runs = new View(TriangleRun, firstRun + runCount);
    let row = firstInstance;
    for (let run = firstRun; run < firstRun + runCount; run++) {
      const left = firstInstance + rowCount - row;
      const count = run === firstRun + runCount - 1 ? left : random.integer(0, left);
      const sphere = { center: random.vector(1), radius: random.chance(0.2) ? -1 : random.range(0, 2) };
      const rows = random.chance(0.3) ? random.integer(0, count) : count;
      runs.assign(run, { firstRow: row, rowCount: rows, batchesPerRow: random.integer(1, 9), ...sphere });
      row += count;
    }
    const [visible, transforms] = [new View(VisibleCharacter, rowCount), new View(Transform, 500)];
    const [previousTransforms, residents] = [new View(Transform, 500), new View(Resident, 500)];
    const word = () => random.integer(0, 0xffffffff);
    for (let i = 0; i < 500; i++) {
      const scale = random.range(0.1, 3) * (random.chance(0.3) ? -1 : 1);
      transforms.assign(i, { position: random.vector(8), rotation: random.quaternion(6), scale });
      previousTransforms.assign(i, { position: random.vector(8), rotation: random.quaternion(6), scale });
      residents.assign(i, { tint: word() });
    }
    for (let i = 0; i < rowCount; i++) {
      visible.assign(i, {
        character: random.integer(0, 499),
        views: random.integer(0, 3),
        currentVertexOffset: word(),
        previousVertexOffset: word(),
        geometryRow: word(),
        parts: [word(), word()],
        detail: random.integer(0, 3) | (random.chance(0.5) ? VISIBLE_NEW : 0),
      });
    }
    const isCrowd = random.chance(0.5);
    const hasImpostors = random.chance(0.7);
    // those of shadow maps, then those of the picture
    const choices = new View(ImpostorChoice, 2 * rowCount);
    for (let i = 0; i < 2 * rowCount; i++) choices.assign(i, { fade: random.pick([0, 0, random.range(0, 1), 1]) });
    const instanceCount = firstInstance + rowCount;
    const selects = seed % 2;
    const lists = { visible, transforms, previousTransforms, residents, firstRun, runCount, firstInstance, isCrowd };
    const viewRows = (words: Uint32Array<ArrayBuffer>) =>
      new View(TriangleView, words.buffer, TriangleViews.offsets.views, shapes.length);
    const params = new View(InstanceParams, 1);
    params.assign(0, {
      firstRun,
      runCount,
      rowCount,
      firstInstance,
      isCrowd: Number(isCrowd),
      selects,
      instanceCount,
    });
    const instanceRow = (runs.count * TriangleRun.size) / 16;
    const projectionRow = instanceRow + (instanceCount * DrawnInstance.size) / 16;
    const head = {
      runCount: runs.count,
      instanceRow,
      projectionRow,
      listCapacity: 0,
      countsKept: true,
      gridSteps: 256,
      hasImpostors,
    };
    const words = triangleViews(shapes, head);
    const views = viewRows(words);
    const placed = Array.from({ length: rowCount }, (_, i) => placeInstance({ runs, views, ...lists }, i));
    // rows of lists before this one are not drawn
    const ranks = randomRanks(random, instanceCount, (at) => placed[at - firstInstance] !== undefined);
    const rankOf = (at: number) => (selects === 0 ? at : ranks[at]! >= RANK_DRAWN ? ranks[at]! - RANK_DRAWN : -1);
    const plans = new View(RunPlan, runs.count);
    const drawnRuns = new View(TriangleRun, runs.words.slice().buffer, 0, runs.count);
    for (let r = 0; r < runs.count; r++) {
      const [firstRow, count] = [runs.get(r, 'firstRow'), runs.get(r, 'rowCount')];
      plans.assign(r, { recordWord: RECORD_NONE, firstRow, rowCount: count });
      const before = (at: number) => (ranks[at]! & ~RANK_DRAWN) >>> 0;
      if (selects)
        drawnRuns.assign(r, { firstRow: before(firstRow), rowCount: before(firstRow + count) - before(firstRow) });
    }
    const drawn = new Uint32Array(4 * (projectionRow + instanceCount * shapes.length * PROJECTION_ROWS)).fill(
      0xffffffff,
    );
    drawn.set(drawnRuns.words);
    const { device } = await testDevice();
    const common = {
      params: uploadBuffer(device, params.words, UNIFORM),
      views: uploadBuffer(device, words, UNIFORM),
      visible: uploadBuffer(device, visible.words, STORAGE),
      transforms: uploadBuffer(device, transforms.words, STORAGE),
      drawn: uploadBuffer(device, drawn, STORAGE),
    };
    const sized = {
      plans: uploadBuffer(device, plans.words, STORAGE),
      targets: uploadBuffer(device, new Uint32Array(4), STORAGE),
      candidates: uploadBuffer(device, new Uint32Array(3 * instanceCount).fill(7), STORAGE),
    };
    const buffers = {
      previousTransforms: uploadBuffer(device, previousTransforms.words, STORAGE),
      residents: uploadBuffer(device, residents.words, STORAGE),
      ranks: uploadBuffer(device, ranks, STORAGE),
      choices: uploadBuffer(device, choices.words, STORAGE),
      kept: uploadBuffer(device, new Uint32Array(2 * instanceCount * shapes.length).fill(7), STORAGE),
    };
    const kernels = createFilterTriangles(device, false);
    run(
      device,
      kernels.sizeInstances({ ...common, ...sized }, rowCount),
      kernels.placeInstances({ ...common, ...buffers }, rowCount),
    );
    const found = await readBuffer(device, common.drawn);
    const candidates = new View(InstanceCandidate, await readBuffer(device, sized.candidates), 0, instanceCount);
    const kept = new Uint32Array(await readBuffer(device, buffers.kept));
    for (const buffer of Object.values({ ...common, ...sized, ...buffers })) buffer.destroy();
    const instances = new View(DrawnInstance, found, 16 * instanceRow, instanceCount);
    const floats = new Float32Array(found);
    const near = (actual: readonly number[], expected: readonly number[], what: string, terms = expected) => {
      const size = Math.max(1, ...terms.map(Math.abs));
      const error = Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!))) / size;
      totals.worst = Math.max(totals.worst, error);
      expect(error, `seed ${seed}, ${what}`).toBeLessThan(1e-6);
    };
    /** Largest and smallest size that rounding makes of one. */
    const rounded = ({ size, sensitivity }: InstanceSize) =>
      [1, -1].map((sign) => Math.min(size * (1 + sign * 2e-6 * sensitivity), 1.001e30)) as [number, number];
    const sameKey = (actual: number, [most, least]: [number, number], what: string) => {
      expect(actual, `seed ${seed}, ${what}`).toBeGreaterThanOrEqual(keyOf(most));
      expect(actual, `seed ${seed}, ${what}`).toBeLessThanOrEqual(keyOf(least));
    };
    for (let i = 0; i < rowCount; i++) {
      const expected = placed[i];
      const id = isCrowd ? visible.get(i, 'character') : firstInstance + i;
      const [key, own, word] = (['key', 'id', 'batchesAndViews'] as const).map((name) =>
        candidates.get(firstInstance + i, name),
      ) as [number, number, number];
      const isSure = !expected || expected.sizes.every(({ margin }) => margin >= 1e-5);
      if (isSure) {
        const seeing = (expected?.sizes ?? []).reduce((bits, { isShown }, view) => bits | (Number(isShown) << view), 0);
        const batches = expected ? runs.get(expected.offsets[2] / 4, 'batchesPerRow') : 0;
        expect(word, `seed ${seed}, row ${i}`).toBe(seeing === 0 ? 0 : batches + 2 ** 24 * seeing);
        if (seeing === 0) totals.unseen++;
        else {
          const sizes = expected!.sizes.map(rounded);
          sameKey(key, [Math.max(...sizes.map(([most]) => most)), Math.max(...sizes.map(([, least]) => least))], `row ${i}`); // prettier-ignore
          expect(own, `seed ${seed}, row ${i}`).toBe(id);
        }
      }
      const at = rankOf(firstInstance + i);
      totals.rows++;
      if (at < 0) continue;
      if (!expected) {
        expect(instances.get(at, 'views'), `seed ${seed}, row ${i}`).toBe(0);
        continue;
      }
      const get = <K extends keyof typeof DrawnInstance.fields>(key: K) => instances.get(at, key);
      near(get('worldFromModel'), expected.worldFromModel, `row ${i}`);
      near(get('previousFromModel'), expected.previousFromModel, `row ${i}`);
      const { character, tint, attributeWord, detail, parts, offsets } = expected;
      expect(
        [get('character'), get('tint'), get('attributeWord'), get('detail'), get('parts')],
        `seed ${seed}, row ${i}`,
      ).toEqual([character, tint, attributeWord, detail, parts]);
      const keys = ['currentVertexOffset', 'previousVertexOffset', 'runRow', 'geometryRow'] as const;
      expect(keys.map(get), `seed ${seed}, row ${i}`).toEqual(offsets);
      const taken = (view: number) =>
        isCrowd && hasImpostors ? choices.get(view === 0 ? rowCount + i : i, 'fade') : 0;
      const inPicture = expected.sizes[0]!;
      if (inPicture.margin >= 1e-5) {
        const share = inPicture.isShown ? Math.min(Math.ceil(taken(0) * 2 ** 24), 0xffffff) : 0;
        expect(get('hardwareViews') >>> IMPOSTOR_SHIFT, `seed ${seed}, row ${i}`).toBe(share);
        if (share > 0) totals.shares++;
      }
      expected.sizes.forEach(({ isShown, byHardware, margin }, view) => {
        const isMesh = taken(view) < 1;
        const shown = ((get('views') >>> view) & 1) === 1;
        if (shown) totals.shown++;
        if (margin < 1e-5) {
          totals.ties++;
        } else {
          const bits = [shown, ((get('hardwareViews') >>> view) & 1) === 1];
          expect(bits, `seed ${seed}, row ${i}, view ${view}`).toEqual([isShown && isMesh, byHardware && isMesh]);
          if (byHardware && isMesh) totals.hardware++;
        }
        if (!shown) return;
        const [ownKey, count] = kept.subarray(2 * (at * shapes.length + view));
        expect(count).toBe(0);
        // a shadow goes before its body
        const picture = expected.sizes[0]!;
        const [body, shadow] = [
          picture.isShown ? rounded(picture) : [Infinity, Infinity],
          rounded(expected.sizes[view]!),
        ];
        const sizes = [Math.min(shadow[0], body[0]!), Math.min(shadow[1], body[1]!)] as [number, number];
        if (Math.min(margin, picture.margin) >= 1e-5) sameKey(ownKey!, sizes, `row ${i}, view ${view}`);
        const first = 4 * (projectionRow + (at * shapes.length + view) * PROJECTION_ROWS);
        for (let r = 0; r < 4; r++) {
          const actual = Array.from(floats.subarray(first + 4 * r, first + 4 * r + 4));
          const of = (rows: readonly number[]) => rows.slice(4 * r, 4 * r + 4);
          near(actual, of(expected.projections[view]!), `row ${i}, view ${view}`, of(expected.terms[view]!));
        }
      });
    }
    // of the list's instances, those beyond all that are drawn are in no view
    const total = selects ? ranks[instanceCount]! : instanceCount;
    for (let at = Math.max(firstInstance, total); at < instanceCount; at++) {
      expect(instances.get(at, 'views'), `seed ${seed}, instance ${at}`).toBe(0);
    }
  });
});

describe.skipIf(noVisibility())('selectInstances', () => {
  const totals = { rows: 0, seen: 0, drawn: 0 };
  afterAll(() => console.log(`selectInstances, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}:`, totals));

  test.each(SEEDS)('draws the largest, as the twin does: seed %i', async (seed) => {
    const random = new Random(seed + 2000);
    const instanceCount = [1, 31, 256, 257, 3000][seed % 5]!;
    const candidates = new View(InstanceCandidate, instanceCount);
    // few sizes and ids: many share bytes of their keys
    const [sizes, ids] = [random.pick([0, 0.001, 0.1]), random.pick([4, 300, 0xffffff])];
    let all = 0;
    for (let row = 0; row < instanceCount; row++) {
      if (random.chance(0.2)) continue;
      const batches = random.chance(0.05) ? random.integer(1, 2 ** 20) : random.integer(1, 40);
      const key = keyOf(2 ** (sizes * random.integer(-99, 99)));
      const batchesAndViews = batches + 2 ** CANDIDATE_VIEW_SHIFT * random.integer(1, 255);
      candidates.assign(row, { key, id: random.integer(0, ids), batchesAndViews });
      all += batches;
    }
    const params = new View(SelectParams, 1);
    const batchCapacity = random.pick([0, 50, Math.floor(all / 3), Math.floor(0.9 * all), all, BATCH_LIMIT]);
    const characterCount = random.integer(0, instanceCount);
    params.assign(0, { instanceCount, characterCount, batchCapacity: Math.min(batchCapacity, BATCH_LIMIT) });
    const [ranks, lists] = [new Uint32Array(instanceCount + 1), new Uint32Array(LIST_HEADER_WORDS)];
    lists.fill(random.integer(0, 30), LIST_DROPPED_WORD);
    const { device } = await testDevice();
    const buffers = {
      params: uploadBuffer(device, params.words, UNIFORM),
      candidates: uploadBuffer(device, candidates.words, STORAGE),
      ranks: uploadBuffer(device, ranks, STORAGE),
      lists: uploadBuffer(device, lists, STORAGE),
    };
    run(device, createFilterTriangles(device, false).selectInstances(buffers));
    selectInstances({ params, candidates, ranks, lists });
    totals.rows += instanceCount;
    totals.drawn += ranks[instanceCount]!;
    for (let row = 0; row < instanceCount; row++) totals.seen += Number(candidates.get(row, 'batchesAndViews') !== 0);
    expect(new Uint32Array(await readBuffer(device, buffers.ranks)), `seed ${seed}`).toEqual(ranks);
    expect(new Uint32Array(await readBuffer(device, buffers.lists)), `seed ${seed}`).toEqual(lists);
    for (const buffer of Object.values(buffers)) buffer.destroy();
  });
});

/** Of lists that may be too short, or may not. */
function someViews(random: Random, listCapacity = random.integer(0, 1000)): Uint32Array<ArrayBuffer> {
  const shapes = Array.from({ length: random.integer(1, 8) }, () => randomViews(random)[0]!);
  const params = { runCount: 0, instanceRow: 0, projectionRow: 0, listCapacity, gridSteps: 1 };
  return triangleViews(shapes.map((shape) => ({ ...shape, hardwareSize: Infinity })), { ...params, countsKept: random.chance(0.7) }); // prettier-ignore
}

/** A header of lists that pictures have filled before. */
function someDemand(random: Random): Uint32Array {
  const lists = new Uint32Array(LIST_HEADER_WORDS).map(() => random.integer(0, 99));
  const most = random.pick([0, 20, 300]);
  for (let view = 0; view < 8; view++) lists[LIST_DEMAND_WORD + view] = random.integer(0, most);
  return lists;
}

describe.skipIf(noVisibility())('planLists and dropInstances', () => {
  const totals = { views: 0, fits: 0, moves: 0, lacks: 0, dropped: 0 };
  afterAll(() => {
    console.log(`planLists and dropInstances, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}:`, totals);
    expect(Math.min(...Object.values(totals))).toBeGreaterThan(0);
  });

  test.each(SEEDS)('make room in lists as the twins do: seed %i', async (seed) => {
    const random = new Random(seed + 3000);
    const [viewCount, count] = [random.integer(1, 8), random.pick([0, 5, 256, 900])];
    const shapes = Array.from({ length: viewCount }, () => ({ ...randomViews(random)[0]!, hardwareSize: Infinity }));
    const runs = new View(TriangleRun, seed === 1 ? 0 : 2);
    if (runs.count > 0) runs.assign(0, { firstRow: 0, rowCount: count });
    if (runs.count > 0) runs.assign(1, { firstRow: count, rowCount: 0 });
    const instanceRow = (runs.count * TriangleRun.size) / 16;
    const instances = new View(DrawnInstance, count);
    const kept = new Uint32Array(2 * Math.max(1, count * viewCount));
    const lists = someDemand(random);
    lists.fill(0, 0, 2 * viewCount);
    // many of one size, or nearly so
    const sizes = random.pick([0, 1e-6, 0.1]);
    for (let i = 0; i < count; i++) {
      const views = random.integer(0, 2 ** viewCount - 1);
      instances.assign(i, { views, character: random.chance(0.1) ? 0 : i + 1, tint: random.integer(0, 2 ** 31) });
      for (let view = 0; view < viewCount; view++) {
        const own = random.chance(0.3) ? 0 : random.integer(1, 500);
        kept.set([keyOf(8 * 2 ** (sizes * random.integer(-90, 90))), own], 2 * (i * viewCount + view));
        // those of others are as they were in some earlier frame
        if ((views >>> view) & 1) lists[2 * view + random.integer(0, 1)]! += own;
      }
    }
    const wanted = Array.from({ length: viewCount }, (_, view) => lists[2 * view]! + lists[2 * view + 1]!);
    const sum = wanted.reduce((all, each) => all + each, 0);
    const listCapacity = [1, Math.floor(sum * random.next()), sum, 2 * sum][seed % 4]!;
    const fits = seed % 8 === 3;
    wanted.forEach((each, view) => (lists[LIST_ROOM_WORD + view] = fits ? each : random.integer(0, each)));
    const params = {
      runCount: runs.count,
      instanceRow,
      projectionRow: 0,
      listCapacity,
      countsKept: true,
      gridSteps: 1,
    };
    const views = triangleViews(shapes, params);
    const pages = new View(PagePlan, random.integer(1, 300));
    const ranges = new Uint32Array(pages.count * RANGE_WORDS).map(() => random.integer(0, 99));
    for (let page = 0; page < pages.count; page++) pages.assign(page, { rangeWord: page * RANGE_WORDS });
    const drops = new View(DropParams, 1);
    drops.assign(0, { pageCount: pages.count });
    const drawn = Uint32Array.from([...runs.words, ...instances.words]);
    const { device } = await testDevice();
    const planned = {
      params: uploadBuffer(device, drops.words, UNIFORM),
      views: uploadBuffer(device, views, UNIFORM),
      pages: uploadBuffer(device, pages.words, STORAGE),
      lists: uploadBuffer(device, lists, STORAGE),
      ranges: uploadBuffer(device, ranges, STORAGE),
    };
    const buffers = {
      ...planned,
      drawn: uploadBuffer(device, drawn.length > 0 ? drawn : new Uint32Array(4), STORAGE),
      kept: uploadBuffer(device, kept, STORAGE),
    };
    const kernels = createFilterTriangles(device, false);
    const read = async (buffer: GPUBuffer) => new Uint32Array(await readBuffer(device, buffer));
    run(device, kernels.planLists(planned));
    planLists({ views, pages, lists, ranges });
    expect(await read(buffers.lists), `seed ${seed}`).toEqual(lists);
    expect(await read(buffers.ranges), `seed ${seed}`).toEqual(ranges);
    run(device, kernels.dropInstances(buffers));
    totals.views += viewCount;
    totals[(['fits', 'moves', 'lacks'] as const)[lists[LIST_STATE_WORD]!]!]++;
    const before = lists[DROPPED_KEPT_WORD]!;
    dropInstances({ views, pages, drawn, kept, lists, ranges });
    totals.dropped += lists[DROPPED_KEPT_WORD]! - before;
    expect((await read(buffers.drawn)).subarray(0, drawn.length), `seed ${seed}`).toEqual(drawn);
    expect(await read(buffers.lists), `seed ${seed}`).toEqual(lists);
    expect(await read(buffers.ranges), `seed ${seed}`).toEqual(ranges);
    for (const buffer of Object.values(buffers)) buffer.destroy();
  });
});

// Which rows and batches runs have, and where instances stand, against the twins.
import { afterAll, describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { full } from '../../../test/support/setup.ts';
import { randomViews } from '../../../test/support/triangle-cases.ts';
import { View } from '../../layout/index.ts';
import { triangleViews } from '../../render/visibility/views.ts';
import { encodeDispatch } from '../kernel.ts';
import { Resident, Transform, VISIBLE_NEW, VisibleCharacter } from '../layout.ts';
import { DrawnInstance, PROJECTION_ROWS, TriangleRun, TriangleView, TriangleViews } from '../triangles.ts';
import { countBatches } from './count-reference.ts';
import { placeInstance } from './instance-reference.ts';
import {
  CountParams,
  InstanceParams,
  PagePlan,
  RANGE_WANTED_WORD,
  RANGE_WORDS,
  RECORD_NONE,
  RunPlan,
} from './layout.ts';
import { createFilterTriangles } from './stage.ts';

const SEEDS = Array.from({ length: full ? 200 : 8 }, (_, i) => 1 + i);
const { STORAGE, UNIFORM } = globalThis.GPUBufferUsage ?? { STORAGE: 0, UNIFORM: 0 };

describe.skipIf(noGpu())('countBatches', () => {
  const told = { truncated: 0, wanted: 0 };
  afterAll(() => console.log(`countBatches, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}:`, told));

  test.each(SEEDS)('counts rows and batches as the twin does: seed %i', async (seed) => {
    const random = new Random(seed);
    const runCount = random.pick([1, 7, 255, 256, 257, 1000]);
    const isHuge = random.chance(0.2);
    const runs = new View(TriangleRun, runCount);
    const plans = new View(RunPlan, runCount);
    const targets = new Uint32Array(2 * runCount);
    let row = 0;
    for (let run = 0; run < runCount; run++) {
      const count = random.chance(0.3) ? 0 : isHuge ? random.integer(0, 2 ** 31) : random.integer(1, 40);
      runs.assign(run, { batchesPerRow: random.chance(0.1) ? 0 : random.integer(1, isHuge ? 2 ** 20 : 60) });
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
    const batchCapacity = random.pick([1, 100, 5000, 0xffffff]);
    params.assign(0, { runCount, pageCount: pages.count, batchCapacity, dimensionLimit: random.pick([3, 65535]) });
    const ranges = new Uint32Array(pages.count * RANGE_WORDS);
    const { device } = await testDevice();
    const buffers = {
      params: uploadBuffer(device, params.words, UNIFORM),
      plans: uploadBuffer(device, plans.words, STORAGE),
      pages: uploadBuffer(device, pages.words, STORAGE),
      targets: uploadBuffer(device, targets, STORAGE),
      drawn: uploadBuffer(device, runs.words, STORAGE),
      ranges: uploadBuffer(device, ranges, STORAGE),
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createFilterTriangles(device, false).countBatches(buffers));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const drawn = runs.words.slice();
    countBatches({ params, plans, pages, targets, drawn, ranges });
    if (ranges[RANGE_WANTED_WORD]! > batchCapacity) told.truncated++;
    told.wanted += ranges[RANGE_WANTED_WORD]!;
    const found = new Uint32Array(await readBuffer(device, buffers.ranges));
    expect(new Uint32Array(await readBuffer(device, buffers.drawn)), `seed ${seed}`).toEqual(drawn);
    expect(found, `seed ${seed}`).toEqual(ranges);
    for (const buffer of Object.values(buffers)) buffer.destroy();
  });
});

describe.skipIf(noGpu())('placeInstances', () => {
  const told = { rows: 0, shown: 0, hardware: 0, ties: 0, worst: 0 };
  afterAll(() => console.log(`placeInstances, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}:`, told));

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
      runs.assign(run, { firstRow: row, rowCount: random.chance(0.3) ? random.integer(0, count) : count, ...sphere });
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
    const params = new View(InstanceParams, 1);
    params.assign(0, { firstRun, runCount, rowCount, firstInstance, isCrowd: Number(isCrowd) });
    const instanceCount = firstInstance + rowCount;
    const instanceRow = (runs.count * TriangleRun.size) / 16;
    const projectionRow = instanceRow + (instanceCount * DrawnInstance.size) / 16;
    const head = { runCount: runs.count, instanceRow, projectionRow, listCapacity: 0, gridSteps: 256 };
    const words = triangleViews(shapes, head);
    const drawn = new Uint32Array(4 * (projectionRow + instanceCount * shapes.length * PROJECTION_ROWS)).fill(
      0xffffffff,
    );
    drawn.set(runs.words);
    const { device } = await testDevice();
    const buffers = {
      params: uploadBuffer(device, params.words, UNIFORM),
      views: uploadBuffer(device, words, UNIFORM),
      visible: uploadBuffer(device, visible.words, STORAGE),
      transforms: uploadBuffer(device, transforms.words, STORAGE),
      previousTransforms: uploadBuffer(device, previousTransforms.words, STORAGE),
      residents: uploadBuffer(device, residents.words, STORAGE),
      drawn: uploadBuffer(device, drawn, STORAGE),
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createFilterTriangles(device, false).placeInstances(buffers, rowCount));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const found = await readBuffer(device, buffers.drawn);
    for (const buffer of Object.values(buffers)) buffer.destroy();
    const instances = new View(DrawnInstance, found, 16 * instanceRow, instanceCount);
    const floats = new Float32Array(found);
    const views = new View(TriangleView, words.buffer, TriangleViews.offsets.views, shapes.length);
    const lists = { visible, transforms, previousTransforms, residents, firstRun, runCount, firstInstance, isCrowd };
    const near = (actual: readonly number[], expected: readonly number[], what: string, terms = expected) => {
      const size = Math.max(1, ...terms.map(Math.abs));
      const error = Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!))) / size;
      told.worst = Math.max(told.worst, error);
      expect(error, `seed ${seed}, ${what}`).toBeLessThan(1e-6);
    };
    for (let i = 0; i < rowCount; i++) {
      const at = firstInstance + i;
      const expected = placeInstance({ runs, views, ...lists }, i);
      told.rows++;
      if (!expected) {
        expect(instances.get(at, 'views'), `seed ${seed}, row ${i}`).toBe(0);
        continue;
      }
      const get = <K extends keyof typeof DrawnInstance.fields>(key: K) => instances.get(at, key);
      near(
        [0, 1, 2].flatMap((r) => get(`worldFromModel${r as 0}`)),
        expected.worldFromModel,
        `row ${i}`,
      );
      near(
        [0, 1, 2].flatMap((r) => get(`previousFromModel${r as 0}`)),
        expected.previousFromModel,
        `row ${i}`,
      );
      const { character, tint, flags, detail, parts, offsets } = expected;
      expect(
        [get('character'), get('tint'), get('flags'), get('detail'), get('parts')],
        `seed ${seed}, row ${i}`,
      ).toEqual([character, tint, flags, detail, parts]);
      const keys = ['currentVertexOffset', 'previousVertexOffset', 'runRow', 'geometryRow'] as const;
      expect(keys.map(get), `seed ${seed}, row ${i}`).toEqual(offsets);
      expected.sizes.forEach(({ isShown, byHardware, margin }, view) => {
        const shown = ((get('views') >>> view) & 1) === 1;
        if (shown) told.shown++;
        if (margin < 1e-5) {
          told.ties++;
        } else {
          const bits = [shown, ((get('hardwareViews') >>> view) & 1) === 1];
          expect(bits, `seed ${seed}, row ${i}, view ${view}`).toEqual([isShown, byHardware]);
          if (byHardware) told.hardware++;
        }
        if (!shown) return;
        const first = 4 * (projectionRow + (at * shapes.length + view) * PROJECTION_ROWS);
        for (let r = 0; r < 4; r++) {
          const actual = Array.from(floats.subarray(first + 4 * r, first + 4 * r + 4));
          const of = (rows: readonly number[]) => rows.slice(4 * r, 4 * r + 4);
          near(actual, of(expected.projections[view]!), `row ${i}, view ${view}`, of(expected.terms[view]!));
        }
      });
    }
  });
});

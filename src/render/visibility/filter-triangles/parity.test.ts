// What filter-triangles keeps, against the twin, and what is drawn of it, against what is drawn when all is kept.
import { afterAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full } from '../../../../test/support/setup.ts';
import { gridOf, randomMeshes, randomViews } from '../../../../test/support/random-triangles.ts';
import { drawTriangles } from '../../../../test/support/triangle-scene.ts';
import { transform } from '../../camera.ts';
import { nearestMiddle } from './reference.ts';

const SEEDS = Array.from({ length: full ? 200 : 6 }, (_, i) => 1 + i);
const MODES = [
  { name: 'compute', hardwareSize: Infinity, triangleSize: 126 },
  { name: 'hardware', hardwareSize: 0, triangleSize: 126 },
  { name: 'both', hardwareSize: Infinity, triangleSize: 6 },
] as const;
/** Pixels to a sample within which a triangle has to be kept. */
const NEAR = 1 / 256;

describe.skipIf(noVisibility())('filter-triangles', () => {
  const counts = { triangles: 0, needed: 0, kept: 0, crossing: 0, degenerate: 0, hidden: 0 };
  afterAll(() => {
    console.log(`filter-triangles, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}, by triangle and view:`, counts);
  });

  const cases = SEEDS.flatMap((seed) => (full ? MODES : [MODES[seed % MODES.length]!]).map((mode) => ({ seed, mode })));
  test.each(cases)('keeps whatever can be seen: seed $seed, by $mode.name', async ({ seed, mode }) => {
    const random = new Random(seed);
    const placed = randomMeshes(random).map((mesh, i) => ({ ...mesh, source: i % 2, page: random.integer(0, 1) }));
    const { hardwareSize, triangleSize } = mode;
    const views = randomViews(random).map((view) => ({ ...view, hardwareSize, triangleSize }));
    const { device, kind } = await testDevice();
    const gridSteps = gridOf(kind);
    const filtered = await drawTriangles(device, placed, { views, gridSteps });
    const whole = await drawTriangles(device, placed, { views, gridSteps, keepsAll: true });
    const triangles = Array.from(filtered.reader.all());
    views.forEach((_, view) => {
      const { compute, hardware } = filtered.kept[view]!;
      if (mode.name === 'hardware') expect(compute).toEqual([]);
      const kept = new Set([...compute, ...hardware]);
      expect(kept.size, `seed ${seed}, view ${view}: each once`).toBe(compute.length + hardware.length);
      const matrix = filtered.reader.viewRows.get(view, 'clipFromWorld');
      const lost: string[] = [];
      for (const { id, triangle } of triangles) {
        counts.triangles++;
        if (!triangle.shown) counts.hidden++;
        const behind = triangle.corners.map((corner) => transform(matrix, corner)).filter(([, , z, w]) => z > w).length;
        if (behind === 1 || behind === 2) counts.crossing++;
        if (new Set(triangle.corners.map((corner) => corner.join())).size < 3) counts.degenerate++;
        const distance = triangle.shown ? nearestMiddle(filtered.reader, view, triangle) : Infinity;
        if (distance >= NEAR) continue;
        counts.needed++;
        if (!kept.has(id)) lost.push(`triangle ${id}, ${distance} px from a sample`);
      }
      counts.kept += kept.size;
      expect(lost, `seed ${seed}, view ${view}`).toEqual([]);
      const [picture, all] = [filtered.pictures[view]!, whole.pictures[view]!];
      const isSame = (a: Uint32Array, b: Uint32Array) =>
        Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer)) === 0;
      expect(isSame(picture.bits, all.bits), `seed ${seed}, view ${view}: depths`).toBe(true);
      expect(isSame(picture.ids, all.ids), `seed ${seed}, view ${view}: ids`).toBe(true);
    });
  });
});

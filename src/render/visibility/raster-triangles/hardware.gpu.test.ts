// The compute rasteriser against the hardware's, on the hardware's own grid.
import { afterAll, describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full } from '../../../../test/support/setup.ts';
import { gridOf, HEIGHT, randomMeshes, randomView, WIDTH } from '../../../../test/support/random-triangles.ts';
import { drawTriangles } from '../../../../test/support/triangle-scene.ts';
import { edgeDistance, polygonOf, type Pixel } from '../filter-triangles/reference.ts';
import { transform } from '../../camera.ts';
import type { FoundTriangle, TriangleReader } from '../triangle-reference.ts';

const SEEDS = Array.from({ length: full ? 100 : 6 }, (_, i) => 500 + i);
const NOBODY = 0xffffffff;
const ULP = 2 ** -23;

describe.skipIf(noVisibility())('raster-triangles by compute and by the hardware', () => {
  const counts = {
    byCompute: 0,
    byHardware: 0,
    pixels: 0,
    otherIds: 0,
    atEdges: 0,
    ofEqualDepth: 0,
    depths: 0,
    otherDepths: 0,
  };
  afterAll(() => console.log(`two rasterisers, seeds ${SEEDS[0]} to ${SEEDS.at(-1)}, pixels:`, counts));

  test.each(SEEDS)('agree except for rounding: seed %i', async (seed) => {
    const random = new Random(seed);
    const meshes = randomMeshes(random);
    const shape = { ...randomView(random), triangleSize: 126 };
    const { device, kind } = await testDevice();
    const gridSteps = gridOf(kind);
    // half a step of each rasteriser, and what arithmetic adds
    const reach = 0.5 / gridSteps + 1 / 256;
    const draw = (hardwareSize: number) =>
      drawTriangles(device, meshes, { views: [{ ...shape, hardwareSize }], gridSteps });
    const [compute, hardware] = [await draw(Infinity), await draw(0)];
    const { reader } = compute;
    counts.byCompute += compute.kept[0]!.compute.length;
    counts.byHardware += compute.kept[0]!.hardware.length;
    expect(hardware.kept[0]!.compute).toEqual([]);
    const wrong: string[] = [];
    for (let at = 0; at < WIDTH * HEIGHT; at++) {
      const middle: Pixel = [(at % WIDTH) + 0.5, Math.floor(at / WIDTH) + 0.5];
      const ids = [compute.pictures[0]!.ids[at]!, hardware.pictures[0]!.ids[at]!] as const;
      const depths = [compute.pictures[0]!.depths[at]!, hardware.pictures[0]!.depths[at]!] as const;
      if (ids[0] !== NOBODY || ids[1] !== NOBODY) counts.pixels++;
      const shown = ids.filter((id) => id !== NOBODY).map((id) => reader.find(id));
      const slope = shown.reduce((sum, triangle) => sum + slopeOf(reader, triangle), 0);
      const limit = slope * reach + 4 * ULP * Math.max(...depths);
      const apart = Math.abs(depths[0] - depths[1]);
      if (ids[0] === ids[1]) {
        if (shown.length === 0) continue;
        counts.depths++;
        if (apart > 0) counts.otherDepths++;
        if (apart > limit) wrong.push(`${String(middle)}: depths ${depths.join(' and ')} of ${ids[0]}`);
        continue;
      }
      counts.otherIds++;
      if (shown.some((triangle) => edgeDistance(polygonOf(reader, 0, triangle), middle) <= reach)) counts.atEdges++;
      else if (shown.length === 2 && apart <= limit) counts.ofEqualDepth++;
      else wrong.push(`${String(middle)}: ids ${ids.join(' and ')}, depths ${depths.join(' and ')}`);
    }
    expect(wrong, `seed ${seed}`).toEqual([]);
  });
});

/** Depth per pixel, along both axes together, of a triangle's plane; near slivers without end. */
function slopeOf({ viewRows }: TriangleReader, { corners }: FoundTriangle): number {
  const [a, b, c] = corners.map((corner) => {
    const [x, y, z, w] = transform(viewRows.get(0, 'clipFromWorld'), corner);
    return [(x / w) * 0.5 * WIDTH, (y / w) * 0.5 * HEIGHT, z / w] as const;
  }) as [Triple, Triple, Triple];
  const [u, v] = [[b[0] - a[0], b[1] - a[1], b[2] - a[2]] as const, [c[0] - a[0], c[1] - a[1], c[2] - a[2]] as const];
  const area = u[0] * v[1] - u[1] * v[0];
  return (Math.abs(u[2] * v[1] - v[2] * u[1]) + Math.abs(v[2] * u[0] - u[2] * v[0])) / Math.abs(area);
}

type Triple = readonly [number, number, number];

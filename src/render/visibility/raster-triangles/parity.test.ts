import { describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full } from '../../../../test/support/setup.ts';
import { HEIGHT, randomMeshes, randomView, WIDTH } from '../../../../test/support/random-triangles.ts';
import { drawTriangles } from '../../../../test/support/triangle-scene.ts';
import { rasterSetup, setUpTriangle, type RasterSetup } from './reference.ts';

const SEEDS = Array.from({ length: full ? 60 : 6 }, (_, i) => 100 + i);

describe.skipIf(noVisibility())('raster-triangles by compute', () => {
  test.each(SEEDS)('draws exactly what its twin draws: seed %i', async (seed) => {
    const random = new Random(seed);
    const meshes = randomMeshes(random);
    const view = { ...randomView(random), hardwareSize: Infinity };
    const { device } = await testDevice();
    const scene = await drawTriangles(device, meshes, { views: [view], keepsAll: false }, true);
    const gridSteps = 256;
    const [depths, ids] = [new Float32Array(WIDTH * HEIGHT), new Uint32Array(WIDTH * HEIGHT).fill(0xffffffff)];
    const setups: { id: number; setup: RasterSetup }[] = [];
    for (const words of scene.traces[0]!) {
      const setup = setupOf(words);
      const expected = setUpTriangle(
        { ...view, gridSteps },
        scene.reader.find(words[0]!).corners,
        scene.reader.find(words[0]!).side,
      );
      // the formula's own, to a step; slivers may come to nothing or not
      if (setup && expected) {
        setup.corners.forEach((value, i) =>
          expect(Math.abs(value - expected.corners[i]!), `seed ${seed}`).toBeLessThanOrEqual(1),
        );
        expect(Math.abs(setup.depth - expected.depth)).toBeLessThanOrEqual(1e-5 * expected.high);
      } else {
        const area = words[1]! | 0;
        expect(expected === undefined || Math.abs(area) < 4096, `seed ${seed}: ${JSON.stringify(expected)}`).toBe(true);
      }
      if (setup) setups.push({ id: words[0]!, setup });
    }
    const near = { width: WIDTH, height: HEIGHT, gridSteps };
    for (const { setup } of setups) {
      rasterSetup(setup, near, (x, y, depth) => {
        depths[y * WIDTH + x] = Math.max(depths[y * WIDTH + x]!, depth);
      });
    }
    for (const { id, setup } of setups) {
      rasterSetup(setup, near, (x, y, depth) => {
        const at = y * WIDTH + x;
        if (depths[at] === depth) ids[at] = Math.min(ids[at]!, id);
      });
    }
    // what the hardware drew is compared elsewhere
    const alone = scene.kept[0]!.hardware.length === 0;
    if (alone) {
      const [picture] = scene.pictures;
      expect(Array.from(picture!.bits), `seed ${seed}`).toEqual(Array.from(new Uint32Array(depths.buffer)));
      expect(Array.from(picture!.ids), `seed ${seed}`).toEqual(Array.from(ids));
    }
  });
});

function setupOf(words: Uint32Array): RasterSetup | undefined {
  const [ints, floats] = [new Int32Array(words.buffer), new Float32Array(words.buffer)];
  if (ints[1] === 0) return undefined;
  return {
    corners: Array.from(ints.subarray(2, 8)) as unknown as RasterSetup['corners'],
    depth: floats[8]!,
    slope: [floats[9]!, floats[10]!],
    low: floats[11]!,
    high: floats[12]!,
  };
}

// Closed surfaces in front of nothing: no pixel within their outlines may be missing, whoever rasterises their triangles.
import { afterAll, describe, expect, test } from 'vitest';
import { ball, randomDirection, slab, type ClosedMesh } from '../../../../test/support/closed-meshes.ts';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { Random } from '../../../../test/support/random.ts';
import { full } from '../../../../test/support/setup.ts';
import { gridOf, HEIGHT, WIDTH } from '../../../../test/support/random-triangles.ts';
import { drawTriangles } from '../../../../test/support/triangle-scene.ts';
import { clipFromWorld, type Vector } from '../../camera.ts';
import type { RasterView } from '../views.ts';
import { areaOf, edgeDistance, isInside, polygonIn, polygonOf, type Pixel } from '../filter-triangles/reference.ts';

const ROUNDS = Array.from({ length: full ? 171 : 6 }, (_, i) => 900 + i);
const VIEWS = 6;
const MODES = [
  { name: 'compute', hardwareSize: Infinity, triangleSize: 126 },
  { name: 'hardware', hardwareSize: 0, triangleSize: 126 },
  { name: 'both', hardwareSize: Infinity, triangleSize: 5 },
] as const;
type Shape = Omit<RasterView, 'hardwareSize' | 'triangleSize'>;

describe.skipIf(noVisibility())('raster-triangles', () => {
  const counts = { views: 0, pixels: 0, offAtOutlines: 0, clippedSeams: 0, byCompute: 0, byHardware: 0, crossing: 0 };
  afterAll(() => console.log(`closed meshes, seeds ${ROUNDS[0]} to ${ROUNDS.at(-1)}:`, counts));

  const cases = ROUNDS.flatMap((seed) =>
    (full ? MODES : [MODES[(seed + Math.floor(seed / 3)) % 3]!]).map((mode) => ({ seed, mode })),
  );
  test.each(cases)('leaves no cracks: seed $seed, by $mode.name', async ({ seed, mode }) => {
    const random = new Random(seed);
    const { mesh, shapes } = [smallBall, largeBall, alignedSlab][seed % 3]!(random);
    const { hardwareSize, triangleSize } = mode;
    const views = shapes.map((shape) => ({ ...shape, hardwareSize, triangleSize }));
    const { device, kind } = await testDevice();
    const gridSteps = gridOf(kind);
    const [positions, indices] = [mesh.points.flat(), mesh.triangles.flat()];
    const scene = [{ positions, primitives: [{ indices }], places: [{ position: [0, 0, 0] }] }] as const;
    const { pictures, kept, reader } = await drawTriangles(device, scene, { views, gridSteps });
    shapes.forEach((shape, view) => {
      counts.views++;
      counts.byCompute += kept[view]!.compute.length;
      counts.byHardware += kept[view]!.hardware.length;
      const { covered, outline, crossing } = seenOf(mesh, shape);
      counts.crossing += crossing;
      // software adapters clip at the picture's borders, and round the corners that this makes: their edges move, those of compute do not
      const clipped =
        kind === 'software' && kept[view]!.compute.length > 0
          ? kept[view]!.hardware.map((id) => polygonOf(reader, view, reader.find(id))).filter(isCutOff)
          : [];
      let seams = 0;
      const wrong: string[] = [];
      for (let at = 0; at < WIDTH * HEIGHT; at++) {
        const isDrawn = pictures[view]!.ids[at] !== 0xffffffff;
        if (covered[at]) counts.pixels++;
        if (isDrawn === (covered[at] === 1)) continue;
        const middle: Pixel = [(at % WIDTH) + 0.5, Math.floor(at / WIDTH) + 0.5];
        // half a step of each rasteriser, and what arithmetic adds
        const isNear = outline.some((edge) => edgeDistance(edge, middle) <= 1 / gridSteps + 1 / 256);
        if (isNear) counts.offAtOutlines++;
        else if (clipped.some((polygon) => edgeDistance(polygon, middle) <= 1 / gridSteps + 1 / 256)) seams++;
        else wrong.push(`${String(middle)} is ${isDrawn ? 'drawn' : 'missing'}`);
      }
      counts.clippedSeams += seams;
      expect(seams, `seed ${seed}, view ${view}: where compute and a clipping rasteriser meet`).toBeLessThan(5);
      expect(wrong, `seed ${seed}, view ${view}`).toEqual([]);
    });
  });
});

/** It reaches beyond the picture, or to the near plane. */
function isCutOff(polygon: readonly Pixel[]): boolean {
  return polygon.length !== 3 || polygon.some(([x, y]) => x < 0 || y < 0 || x > WIDTH || y > HEIGHT);
}

/** A few hundred triangles, of a pixel to a few. */
function smallBall(random: Random) {
  const mesh = ball(random, random.integer(6, 10), 1, 0.03);
  const shapes = Array.from({ length: VIEWS }, () =>
    shapeFrom(random, random.range(1.3, 5), random.range(0.4, 1.2), 0),
  );
  return { mesh, shapes };
}

/** So near that triangles are larger than a picture; some reach behind the near plane, out of sight. */
function largeBall(random: Random) {
  const mesh = ball(random, random.integer(4, 6), 10, 0);
  const shapes = Array.from({ length: VIEWS }, () =>
    shapeFrom(random, random.range(10.3, 14), random.range(0.8, 1.2), 2),
  );
  return { mesh, shapes };
}

/** Corners and edges run through the middles of pixels. */
function alignedSlab(random: Random) {
  const mesh = slab(random, 2 * random.integer(3, 12));
  const shapes = Array.from({ length: VIEWS }, () => {
    const size = random.integer(1, 4);
    const [x, y] = [random.integer(0, 9) + 0.5, random.integer(0, 9) + 0.5];
    const [sx, sy] = [(2 * size) / WIDTH, (2 * size) / HEIGHT];
    const matrix = Float32Array.of(sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 0.25, 0, (2 * x) / WIDTH, (2 * y) / HEIGHT, 0.5, 1);
    return { clipFromWorld: matrix, width: WIDTH, height: HEIGHT };
  });
  return { mesh, shapes };
}

/** Towards somewhere near the origin, or so much to the side, per metre towards it. */
function shapeFrom(random: Random, distance: number, fovY: number, aside: number): Shape {
  const eye = randomDirection(random).map((value) => value * distance) as unknown as Vector;
  const [near, side] = [random.vector(0.3), randomDirection(random)];
  const target = near.map((value, c) => value + distance * aside * random.next() * side[c]!) as unknown as Vector;
  const camera = { eye, target, up: randomDirection(random), fovY, near: 0.05 };
  return { clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), width: WIDTH, height: HEIGHT };
}

/** Pixels whose middles front faces cover, in double precision, and edges between front and back. */
function seenOf({ points, triangles }: ClosedMesh, { clipFromWorld: matrix, width, height }: Shape) {
  const covered = new Uint8Array(width * height);
  const sides = new Map<string, { readonly ends: readonly [number, number]; fronts: number; backs: number }>();
  let crossing = 0;
  for (const triangle of triangles) {
    const corners = triangle.map((index) => points[index]!);
    const polygon = polygonIn(matrix, width, height, corners);
    if (polygon.length > 3) crossing++;
    const isFront = areaOf(polygon) < 0;
    triangle.forEach((from, i) => {
      const to = triangle[(i + 1) % 3]!;
      const key = [Math.min(from, to), Math.max(from, to)].join();
      const side = sides.get(key) ?? { ends: [from, to], fronts: 0, backs: 0 };
      sides.set(key, side);
      if (isFront) side.fronts++;
      else side.backs++;
    });
    if (!isFront) continue;
    const range = (values: readonly number[], size: number) =>
      [Math.max(0, Math.floor(Math.min(...values) - 0.5)), Math.min(size - 1, Math.ceil(Math.max(...values)))] as const;
    const [left, right] = range(
      polygon.map(([x]) => x),
      width,
    );
    const [top, bottom] = range(
      polygon.map(([, y]) => y),
      height,
    );
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) if (isInside(polygon, [x + 0.5, y + 0.5])) covered[y * width + x] = 1;
    }
  }
  const outline = Array.from(sides.values())
    .filter(({ fronts, backs }) => fronts > 0 && backs > 0)
    .map(({ ends }) =>
      polygonIn(
        matrix,
        width,
        height,
        ends.map((index) => points[index]!),
      ),
    )
    .filter((edge) => edge.length > 0);
  return { covered, outline, crossing };
}

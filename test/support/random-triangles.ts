import type { DeviceKind } from '../../src/device/adapter-kind.ts';
import { clipFromWorld, normalize, type Vector } from '../../src/render/camera.ts';
import { cascadesOf } from '../../src/render/lighting/cascades.ts';
import { RASTER_DEFAULTS } from '../../src/render/visibility/sizes.ts';
import type { RasterView } from '../../src/render/visibility/views.ts';
import type { Random } from './random.ts';
import type { SceneMesh } from './triangle-sources.ts';

/** Steps that an adapter's own rasteriser rounds to, per pixel. */
export const gridOf = (kind: DeviceKind): number =>
  RASTER_DEFAULTS[kind === 'software' ? 'software' : 'hardware'].gridSteps;

/** Pixels of pictures in tests. */
export const [WIDTH, HEIGHT] = [96, 64];

/** Meshes of triangles of all kinds: usual, thin, without an area, smaller than a pixel, huge, shared edges. */
export function randomMeshes(random: Random): SceneMesh[] {
  return Array.from({ length: random.integer(1, 4) }, (): SceneMesh => {
    const positions: number[] = [];
    const count = random.integer(3, 120);
    const size = 10 ** random.range(-2.5, 0.5);
    for (let v = 0; v < count; v++) {
      const at = [random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)];
      positions.push(...at.map((value) => value * (random.chance(0.5) ? size : 1)));
    }
    // neighbours, most of them
    const corner = (near: number) =>
      random.chance(0.7) ? Math.min(count - 1, near + random.integer(0, 4)) : random.integer(0, count - 1);
    const primitives = Array.from({ length: random.integer(1, 3) }, (_, part) => ({
      indices: Array.from({ length: random.integer(1, 300) }, () => random.integer(0, count - 1)).flatMap((near) => [
        near,
        corner(near),
        corner(near),
      ]),
      doubleSided: random.chance(0.3),
      part,
    }));
    const places = Array.from({ length: random.integer(1, 5) }, () => ({
      position: [random.range(-2, 2), random.range(-1, 1), random.range(-6, 1)] as [number, number, number],
      rotation: unit([random.range(-1, 1), random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)]),
      scale: random.range(0.2, 1.5) * (random.chance(0.5) ? 1 : -1),
      parts: (random.chance(0.7) ? [0xffffffff, 0] : [random.integer(0, 7), 0]) as [number, number],
    }));
    return { positions, primitives, places };
  });
}

/** A camera that looks into the meshes, from before them where nothing else is said. */
export function randomView(
  random: Random,
  eye: Vector = [random.range(-1, 1), random.range(-0.5, 0.5), random.range(2, 6)],
): Omit<RasterView, 'hardwareSize'> {
  const target: Vector = [random.range(-1, 1), random.range(-0.5, 0.5), -3];
  const up = normalize([random.range(-0.3, 0.3), 1, 0]);
  const camera = { eye, target, up, fovY: random.range(0.4, 1.2), near: 0.1 };
  return { clipFromWorld: clipFromWorld(camera, WIDTH / HEIGHT), width: WIDTH, height: HEIGHT };
}

/** Pictures of the same meshes: a camera before them, one among them, and a map of what the sun sees, without ids. */
export function randomViews(random: Random): (Omit<RasterView, 'hardwareSize'> & { readonly ids: boolean })[] {
  const near = { eye: [0, 0, 2], target: [0, 0, -3], near: 0.1 } as const;
  const bounds = { min: [-12, -12, -16], max: [12, 12, 12] } as const;
  const sunDirection: Vector = [random.range(-1, 1), 1, random.range(-1, 1)];
  const options = { camera: near, aspect: 1, sunDirection, bounds, count: random.integer(1, 2), resolution: 64 };
  const { sunFromWorld } = cascadesOf(options)[0]!;
  return [
    { ...randomView(random), ids: true },
    { ...randomView(random, [random.range(-2, 2), random.range(-1, 1), random.range(-5, 1)]), ids: true },
    { clipFromWorld: sunFromWorld, width: 64, height: 64, ids: false },
  ];
}

function unit(q: readonly number[]): [number, number, number, number] {
  const length = Math.hypot(...q) || 1;
  return q.map((value) => value / length) as [number, number, number, number];
}

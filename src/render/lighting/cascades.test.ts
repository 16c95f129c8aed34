import { describe, expect, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import { clipFromWorld, dot, normalize, subtract, transform, type Camera, type Vector } from '../camera.ts';
import { cascadesOf, type Bounds } from './cascades.ts';

const sunDirection: Vector = [0.55, 0.72, 0.42];
const bounds: Bounds = { min: [-40, 0, -25], max: [40, 3, 25] };
const camera: Camera = { eye: [4, 3, 18], target: [0, 1, 0], fovY: 0.7 };
const [aspect, resolution] = [16 / 9, 1024];

const cascades = (count: number, changes: Partial<Parameters<typeof cascadesOf>[0]> = {}) =>
  cascadesOf({ camera, aspect, sunDirection, bounds, count, resolution, ...changes });

function pointIn({ min, max }: Bounds, random: Random): Vector {
  return [0, 1, 2].map((c) => random.range(min[c]!, max[c]!)) as unknown as Vector;
}

describe('cascades', () => {
  test.each([1, 2, 3, 4])('of %i: what is seen of the bounds lies in the map of its distance', (count) => {
    const random = new Random(runSeed + count);
    for (const eye of [camera.eye, [0, 1, 0], [-60, 30, 5], [10, 2, 10]] as Vector[]) {
      const look = { ...camera, eye };
      const views = cascades(count, { camera: look });
      expect(views).toHaveLength(count);
      const clip = clipFromWorld(look, aspect);
      const forward = normalize(subtract(look.target, eye));
      for (let n = 0; n < 2000; n++) {
        const point = pointIn(bounds, random);
        const [x, y, , w] = transform(clip, point);
        if (w < 0.1 || Math.abs(x) > w || Math.abs(y) > w) continue;
        const depth = dot(subtract(point, eye), forward);
        const index = views.findIndex(({ far }) => depth <= far * (1 + 1e-6));
        expect(index).toBeGreaterThanOrEqual(0);
        // and in the next one's, where it goes over into that
        const shown = [views[index]!, ...(depth > 0.9 * views[index]!.far ? views.slice(index + 1, index + 2) : [])];
        for (const { sunFromWorld } of shown) {
          const [u, v, z] = transform(sunFromWorld, point);
          // two texels each way are there for filters
          expect(Math.max(Math.abs(u), Math.abs(v))).toBeLessThan(1 - 4 / resolution);
          expect(Math.abs(z - 0.5)).toBeLessThanOrEqual(0.5);
        }
      }
    }
  });

  test('are finer the nearer they are, and a single one shows all of the bounds', () => {
    const [one] = cascades(1);
    const three = cascades(3);
    expect(three.map(({ texel }) => texel)).toEqual(three.map(({ texel }) => texel).toSorted((a, b) => a - b));
    expect(three[0]!.texel).toBeLessThan(0.2 * one!.texel);
    // no farther than what is seen
    expect(three.at(-1)!.far / one!.far).toBeLessThanOrEqual(1);
    expect(three.at(-1)!.far / one!.far).toBeGreaterThan(0.98);
    // a camera elsewhere changes nothing
    expect(cascades(1, { camera: { eye: [0, 50, 1], target: [3, 0, 0] } })[0]!.sunFromWorld).toEqual(one!.sunFromWorld);
    for (let corner = 0; corner < 8; corner++) {
      const point = [0, 1, 2].map((c) => (corner >> c) & 1 ? bounds.max[c]! : bounds.min[c]!) as unknown as Vector; // prettier-ignore
      const [u, v, z] = transform(one!.sunFromWorld, point);
      expect(Math.max(Math.abs(u), Math.abs(v), 2 * Math.abs(z - 0.5))).toBeLessThan(1);
    }
  });

  test('have greater depth nearer to the sun, and square texels of the size that they say', () => {
    const towards = normalize(sunDirection);
    for (const { sunFromWorld, texel } of cascades(3)) {
      const [, , low] = transform(sunFromWorld, [0, 1, 0]);
      const [, , high] = transform(sunFromWorld, [towards[0], 1 + towards[1], towards[2]]);
      expect(high).toBeGreaterThan(low);
      for (const row of [0, 1]) {
        const perMetre = Math.hypot(...[0, 4, 8].map((column) => sunFromWorld[row + column]!));
        expect(2 / perMetre / resolution).toBeCloseTo(texel, 6);
      }
    }
  });

  test('keep whole texels while the camera moves a little', () => {
    const still = cascades(3);
    let same = 0;
    for (let step = 1; step <= 20; step++) {
      const by = 0.013 * step;
      const moved: Camera = { ...camera, eye: [4 + by, 3, 18 - by], target: [by, 1, -by] };
      cascades(3, { camera: moved }).forEach(({ sunFromWorld, texel }, i) => {
        if (texel !== still[i]!.texel) return;
        same++;
        const [before, after] = [still[i]!.sunFromWorld, sunFromWorld].map((m) => transform(m, [1, 2, 3]));
        for (const axis of [0, 1]) {
          const texels = ((after![axis]! - before![axis]!) / 2) * resolution;
          expect(Math.abs(texels - Math.round(texels))).toBeLessThan(1e-2);
        }
      });
    }
    // sizes go in steps
    expect(same).toBeGreaterThan(40);
  });

  test('of bounds that the camera does not see, or of no height, are maps all the same', () => {
    const away: Camera = { eye: [0, 2, 100], target: [0, 2, 200] };
    const flat: Bounds = { min: [-5, 0, -5], max: [5, 0, 5] };
    for (const views of [cascades(3, { camera: away }), cascades(4, { bounds: flat })]) {
      for (const { sunFromWorld, texel, far } of views) {
        expect([...sunFromWorld, texel, far].every(Number.isFinite)).toBe(true);
        expect(texel).toBeGreaterThan(0);
      }
    }
  });
});

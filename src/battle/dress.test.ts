import { describe, expect, test } from 'vitest';
import { PALETTE as LEGIONARY } from '../../tools/make-characters/legionary/palette.ts';
import { PALETTE as RAIDER } from '../../tools/make-characters/raider/palette.ts';
import { recruit, soldier } from '../../test/support/soldiers.ts';
import { createCrowd } from '../../test/support/create-crowd.ts';
import { dressSoldiers, DYED_CODE, DYED_GLSL, dyed } from './dress.ts';
import type { Vector } from '../render/camera.ts';

const linear = (rgb: readonly number[]) => rgb as unknown as Vector;
const moved = (color: Vector, dye: readonly number[]) =>
  Math.max(...dyed(color, dye).map((value, i) => Math.abs(value - color[i]!)));

describe('dyes', () => {
  test('are the same steps in GLSL', () => {
    expect(DYED_GLSL).not.toMatch(/fn |let |->|<f32>/);
    expect(DYED_GLSL).toMatch(/^vec3 dyed\(vec3 color, vec3 dye\) \{\n  float crimson = .*\n[^]*  vec3 other = max/);
    expect(DYED_GLSL.split('\n').length).toBe(DYED_CODE.split('\n').length);
  });

  test('change the cloth of both peoples, and nothing else, however dark it lies in the shade', () => {
    const cloth = /crimson|lining|teal|trousers/;
    for (const [name, rgb] of [...Object.entries(LEGIONARY), ...Object.entries(RAIDER)]) {
      for (const shade of [1, 0.4]) {
        const color = linear(rgb.map((value) => value * shade));
        const most = Math.max(...color);
        const change = moved(color, [1.2, 0.5, 0.8]) / most;
        if (cloth.test(name)) expect(change, name).toBeGreaterThan(0.15);
        else expect(change, name).toBeLessThan(0.02);
        expect(moved(color, [0, 1, 1]), name).toBeLessThan(1e-6);
      }
    }
  });

  test('turn hues: crimson towards orange, teal towards blue', () => {
    const [crimson, teal] = [linear(LEGIONARY.crimson), linear(RAIDER.teal)];
    const [r, g, b] = dyed(crimson, [0.3, 1, 1]);
    expect(g / r).toBeGreaterThan(crimson[1] / crimson[0]);
    expect(g).toBeGreaterThan(b);
    const [, green, blue] = dyed(teal, [0.5, 1, 1]);
    expect(blue / green).toBeGreaterThan(teal[2] / teal[1]);
    // grey as bright as it was
    const grey = dyed(crimson, [0, 0, 1]);
    const light = 0.2126 * crimson[0] + 0.7152 * crimson[1] + 0.0722 * crimson[2];
    for (const value of grey) expect(value).toBeCloseTo(light, 6);
  });

  test('are one for each soldier, the same for the same seed, and not the same for others', () => {
    const [ours, theirs] = [soldier(), recruit()];
    const tunics = (seed: number) => {
      const crowd = createCrowd(undefined, { characters: [ours, theirs], capacity: 60, backend: 'cpu' });
      dressSoldiers([crowd.spawn(ours, { count: 30 }), crowd.spawn(theirs, { count: 30 })], seed);
      return crowd.ids.map((id) => crowd.column('tunic').get(id).join());
    };
    expect(tunics(7)).toEqual(tunics(7));
    expect(new Set(tunics(7)).size).toBe(60);
    expect(tunics(8)).not.toEqual(tunics(7));
  });
});

import { describe, expect, test } from 'vitest';
import type { ShownVertices, StaticAttributes } from '../shown-triangle.ts';
import type { ShownTriangle } from '../triangle-reference.ts';
import { isHole, onGrid, rasterSetup, setUpPlaced } from './reference.ts';

const SIZE = { width: 512, height: 4, gridSteps: 256 };

/** Pixels that a triangle of these corners covers, and its depth there. */
function covered(corners: readonly (readonly [x: number, y: number, depth: number])[], side = 0) {
  const [a, b, c] = corners.map(([x, y, depth]) => onGrid([x, y], depth, SIZE.gridSteps));
  const setup = setUpPlaced([a!, b!, c!], side);
  const found = new Map<string, number>();
  if (setup) rasterSetup(setup, SIZE, (x, y, depth) => found.set(`${x} ${y}`, depth));
  return found;
}

describe('the twin of raster-triangles', () => {
  test('two halves of a rectangle share no pixel and leave none out, also where edges run through middles', () => {
    const [p, q, r, s] = [[0.5, 0.5, 1], [3.5, 0.5, 1], [3.5, 2.5, 1], [0.5, 2.5, 1]] as const; // prettier-ignore
    const [one, other] = [covered([p, q, r]), covered([p, r, s])];
    const all = [...one.keys(), ...other.keys()].toSorted();
    // top and left edges own the middles on them, right and bottom ones do not
    expect(all).toEqual(['0 0', '0 1', '1 0', '1 1', '2 0', '2 1']);
  });

  test('a triangle wider than compute takes is drawn whole, with depths of its plane', () => {
    const wide = covered([[0, 0, 0.25], [512, 0, 0.75], [0, 4, 0.25]]); // prettier-ignore
    expect(wide.has('500 0')).toBe(false);
    expect(wide.has('440 0')).toBe(true);
    expect(wide.get('255 0')).toBeCloseTo(0.25 + (0.5 * 255.5) / 512, 6);
  });

  test('sides: 1 draws counter-clockwise triangles, where y points down, −1 clockwise ones', () => {
    const corners = [[0, 0, 1], [0, 4, 1], [4, 0, 1]] as const; // prettier-ignore
    expect([1, -1, 0].map((side) => covered(corners, side).size > 0)).toEqual([true, false, true]);
  });

  test('a hole is where vertex alpha × tint × the material’s alpha is below its cutoff', () => {
    const attributes: StaticAttributes = {
      uv: [0, 0, 0, 0],
      ddx: [0, 0, 0, 0],
      ddy: [0, 0, 0, 0],
      color: [1, 1, 1, 0.5],
    };
    const vertices = {
      worldCorners: () => [[0, 0, 1], [4, 0, 1], [0, 4, 1]],
      attributes: () => attributes,
    } as unknown as ShownVertices; // prettier-ignore
    const triangle = { tint: 0x80ffffff } as ShownTriangle;
    const alpha = (0.5 * 0x80) / 255;
    const holeAt = (alphaCutoff: number) =>
      isHole(vertices, triangle, { alphaCutoff, alphaAt: () => 0.5 }, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], [1, 1]);
    expect(holeAt(0.5 * alpha + 1e-9)).toBe(true);
    expect(holeAt(0.5 * alpha - 1e-9)).toBe(false);
    expect(holeAt(-1)).toBe(false);
  });
});

import { describe, expect, test } from 'vitest';
import { EDGE_CASES, inRows, ORDERS, pixelView } from '../../../../test/support/top-left-edges.ts';
import type { Point } from '../triangle-reference.ts';
import { rasterSetup, setUpTriangle } from './reference.ts';

const VIEW = { ...pixelView(64, 32), gridSteps: 256 };

describe('middles of pixels on edges', () => {
  test.each(EDGE_CASES)('belong to the triangle only at left and top edges: $name', ({ corners, covered }) => {
    for (const order of ORDERS) {
      const world = order.map((c): Point => [...corners[c], 0.5]) as [Point, Point, Point];
      const pixels: number[][] = [];
      rasterSetup(setUpTriangle(VIEW, world, 0)!, VIEW, (x, y) => pixels.push([x, y]));
      expect(inRows(pixels), String(order)).toEqual(inRows(covered));
    }
  });
});

// Who owns the middles of pixels that lie on edges: by compute and by the hardware, against what was worked out by hand.
import { describe, expect, test } from 'vitest';
import { noVisibility, testDevice } from '../../../../test/support/gpu.ts';
import { EDGE_CASES, inRows, ORDERS, pixelView } from '../../../../test/support/top-left-edges.ts';
import { gridOf } from '../../../../test/support/random-triangles.ts';
import { drawTriangles } from '../../../../test/support/triangle-scene.ts';

/** Pixels across for each order of a triangle's corners. */
const CELL = 8;
const SIZE = { width: CELL * ORDERS.length, height: CELL * EDGE_CASES.length };

describe.skipIf(noVisibility())('middles of pixels on edges', () => {
  test.each([
    ['compute', Infinity],
    ['the hardware', 0],
  ])('belong to the triangle only at left and top edges: by %s', async (name, hardwareSize) => {
    const { device, kind } = await testDevice();
    // a cell of the picture for each case and each order
    const meshes = EDGE_CASES.flatMap(({ corners }, row) =>
      ORDERS.map((order, column) => ({
        positions: order.flatMap((c) => [corners[c][0] + CELL * column, corners[c][1] + CELL * row, 0.5]),
        primitives: [{ indices: [0, 1, 2], doubleSided: true }],
        places: [{ position: [0, 0, 0] as const }],
      })),
    );
    const view = { ...pixelView(SIZE.width, SIZE.height), hardwareSize };
    const { pictures, kept } = await drawTriangles(device, meshes, { views: [view], gridSteps: gridOf(kind) });
    expect(kept[0]![name === 'compute' ? 'hardware' : 'compute']).toEqual([]);
    EDGE_CASES.forEach(({ name: edge, covered }, row) => {
      ORDERS.forEach((order, column) => {
        const found: number[][] = [];
        for (let y = 0; y < CELL; y++) {
          for (let x = 0; x < CELL; x++) {
            const at = (CELL * row + y) * SIZE.width + CELL * column + x;
            if (pictures[0]!.ids[at] !== 0xffffffff) found.push([x, y]);
          }
        }
        expect(inRows(found), `${edge}, ${String(order)}`).toEqual(inRows(covered));
      });
    });
  });
});

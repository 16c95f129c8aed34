import { describe, expect, test } from 'vitest';
import { packCharacter } from '../../../character/index.ts';
import { packOctahedral, packPosition, packTangent } from '../../../math/packing.ts';
import { meshOf, smallModel } from '../../../../test/support/small-model.ts';
import { pixelsFromWorld, ShownVertices, type StaticAttributes } from '../shown-triangle.ts';
import type { ShownTriangle } from '../triangle-reference.ts';
import { shadePixel, type ShadedLook, type ShadedPoint } from './reference.ts';

/** Clip space is the world: a picture of 4 × 4 pixels shows x and y from −1 to 1, w is 1. */
const FLAT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const PIXELS = pixelsFromWorld(FLAT, 4, 4);
const MIDDLE = [2, 2] as const;
const UNMOVED = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** Corners at (−1, −1), (1, −1) and (−1, 1): the middle of the picture is halfway between the last two. */
const CORNERS = [
  [-1, -1, 0],
  [1, -1, 0],
  [-1, 1, 0],
];
/** Red, green and blue; u and v from 0 to 1, of the second set from 2 to 6 and from 0 to 4, the other way round. */
const { geometry } = packCharacter(
  smallModel({
    meshes: [
      meshOf(CORNERS, () => [[0, 1]], {
        texcoords: Float32Array.of(0, 0, 1, 0, 0, 1),
        colors: Float32Array.of(1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1),
        tangents: Float32Array.of(1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1),
        channels: [{ name: 'TEXCOORD_1', width: 2, values: Float32Array.of(2, 0, 2, 4, 6, 0) }],
      }),
    ],
  }),
);

const TRIANGLE: ShownTriangle = {
  worldFromModel: UNMOVED,
  previousFromModel: UNMOVED,
  isMirrored: false,
  corners: [0, 1, 2],
  currentVertexOffset: 0,
  previousVertexOffset: 0,
  attributeWord: 6,
  attributeWords: 2,
  geometryRow: 0,
  character: 8,
  tint: 0xffffffff,
  materialRow: 3,
  primitiveIndex: 2,
};

/** Skinned vertices: the same corners, normals along z, tangents along x. */
const words = Uint32Array.from([
  ...CORNERS.flatMap((corner) => packPosition(corner)),
  ...CORNERS.flatMap(() => [packOctahedral(0, 0, 1), packTangent(1, 0, 0, -1)]),
]);
const VERTICES = new ShownVertices(words, geometry.slice());

interface Asked extends ShadedPoint {
  readonly materialRow: number;
  readonly uv: StaticAttributes['uv'];
  readonly ddx: StaticAttributes['uv'];
  readonly ddy: StaticAttributes['uv'];
  readonly shadingNormal: readonly [number, number, number];
}

/** Remembers what it is asked; the ground is at a depth of ½. */
function lookAt(isMapped = false) {
  const asked: Asked[] = [];
  const look: ShadedLook<Asked> = {
    backdropAt: ([x, y]) => ({ place: [x, 0, y], isGround: true }),
    depthOf: () => 0.5,
    backdropColor: ({ place }, [x]) => [place[0], place[2], x],
    isMapped: (row) => isMapped && row === 3,
    surfaceOf: (point, materialRow, { uv, ddx, ddy }) => {
      asked.push({ ...point, materialRow, uv, ddx, ddy, shadingNormal: point.outward });
      return asked.at(-1)!;
    },
    surfaceColor: ({ color }) => color,
    toneMap: (color) => color,
    motionOf: (now, before, w) => [now[0] - before[0], w],
  };
  return { look, asked };
}

const seen = (changes: Partial<ShownTriangle> = {}, depth = 1) => ({
  triangle: { ...TRIANGLE, ...changes },
  vertices: VERTICES,
  depth,
});

describe('the twin of shade-pixels', () => {
  test('interpolates what corners have, and its change from pixel to pixel', () => {
    const { look, asked } = lookAt();
    const { color, ids, normal } = shadePixel(look, PIXELS, MIDDLE, seen());
    expect(color).toEqual([0, 0.5, 0.5]);
    expect(ids).toEqual([8, 2]);
    expect(normal).toEqual([0, 0, 1]);
    // a pixel is half a metre, a quarter of an edge; v grows upwards, pixels go down
    expect(asked).toEqual([
      expect.objectContaining({
        materialRow: 3,
        uv: [0.5, 0.5, 4, 2],
        ddx: [0.25, 0, 0, 1],
        ddy: [0, -0.25, -1, 0],
        tangent: undefined,
      }),
    ]);
    expect(asked[0]!.world).toEqual([0, 0, 0]);
  });

  test('multiplies vertex colours by the tint, bytes of red, green, blue and alpha', () => {
    const { color } = shadePixel(lookAt().look, PIXELS, MIDDLE, seen({ tint: 0xff0033ff }));
    expect(color[0]).toBe(0);
    expect(color[1]).toBeCloseTo(0.5 * 0.2, 12);
    expect(color[2]).toBe(0);
  });

  test('counter-clockwise triangles show their fronts, those of mirrored characters their backs', () => {
    const { look, asked } = lookAt();
    shadePixel(look, PIXELS, MIDDLE, seen());
    shadePixel(look, PIXELS, MIDDLE, seen({ corners: [0, 2, 1] }));
    shadePixel(look, PIXELS, MIDDLE, seen({ isMirrored: true }));
    expect(asked.map(({ isFront }) => isFront)).toEqual([true, false, false]);
  });

  test('a matrix that mirrors does not turn normals round; it turns and scales them like the surface', () => {
    const { look, asked } = lookAt(true);
    const mirrored = [-2, 0, 0, 0, 0, -2, 0, 0, 0, 0, -2, 0];
    shadePixel(look, PIXELS, MIDDLE, seen({ worldFromModel: mirrored, isMirrored: true }));
    expect(asked[0]!.outward).toEqual([-0, -0, 2]);
    expect(asked[0]!.tangent!.handedness).toBe(-1);
    expect(asked[0]!.tangent!.direction[0]).toBeCloseTo(2, 4);
  });

  test('motion is from where the last frame had the same point of the triangle', () => {
    const moved = [1, 0, 0, -0.25, 0, 1, 0, 0, 0, 0, 1, 0];
    const { motion } = shadePixel(lookAt().look, PIXELS, MIDDLE, seen({ previousFromModel: moved }));
    expect(motion).toEqual([0.25, 1]);
  });

  test('ground in front of the triangle hides it; where no triangle is there is ground or sky', () => {
    const { look, asked } = lookAt();
    const hidden = shadePixel(look, PIXELS, [1.5, 2.5], seen({}, 0.5));
    expect(hidden).toEqual({ color: [1.5, 2.5, 1.5], motion: [0, 1], ids: [0, 0], normal: [0, 1, 0] });
    const sky = shadePixel(
      { ...look, backdropAt: () => ({ place: [0, 1, 0], isGround: false }) },
      PIXELS,
      MIDDLE,
      undefined,
    );
    expect(sky).toMatchObject({ motion: [0, 0], normal: [0, 0, 0] });
    expect(asked).toEqual([]);
  });
});

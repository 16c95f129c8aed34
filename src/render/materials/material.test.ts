import { describe, expect, test } from 'vitest';
import { maskedModel } from '../../../test/support/masked-model.ts';
import { packCharacter } from '../../character/index.ts';
import type { RgbaImage } from '../images/image.ts';
import { materialRows } from './material-table.ts';
import { readMaterials, sampleAlpha, sampleMaterial, type MaterialRow, sampleTexture } from './material.ts';
import { planTextures, decodeTextures } from './textures.ts';
import { mipLevels, type TextureLayer } from './resample.ts';

/** Columns of these codes of red, in a square. */
function columns(...codes: readonly number[]): RgbaImage {
  const data = Uint8Array.from(codes.flatMap(() => codes.flatMap((code) => [code, 0, 0, 255])));
  return { width: codes.length, height: codes.length, data };
}
const layerOf = (image: RgbaImage): TextureLayer => ({ levels: mipLevels(image, 'numbers'), space: 'numbers' });
const REPEAT = [true, true] as const;
const CLAMP = [false, false] as const;
const SHARP = [[0, 0], [0, 0]] as const; // prettier-ignore

describe('textures', () => {
  const layer = layerOf(columns(0, 51, 102, 255));
  const red = (u: number, repeats: readonly [boolean, boolean] = REPEAT) =>
    255 * sampleTexture(layer, [u, 0.5], SHARP, repeats)[0]!;

  test('texels are in the middle of their cells, blended between them', () => {
    expect(red(1 / 8)).toBeCloseTo(0, 4);
    expect(red(2 / 8)).toBeCloseTo(25.5, 4);
    expect(red(3 / 8)).toBeCloseTo(51, 4);
  });

  test('beyond the edge there is the other edge, or the same one', () => {
    expect(red(0)).toBeCloseTo(127.5, 4);
    expect(red(0, CLAMP)).toBeCloseTo(0, 4);
    expect(red(1 - 1 / 8 - 1)).toBeCloseTo(255, 4);
    expect(red(7, CLAMP)).toBeCloseTo(255, 4);
  });

  test('pixels that are two texels apart see the next level; three, something between two', () => {
    const at = (texels: number) => 255 * sampleTexture(layer, [1 / 4, 1 / 4], [[texels / 4, 0], [0, 0]], REPEAT)[0]!; // prettier-ignore
    // rounded means: 26 of 0 and 51, 179 of 102 and 255, 103 of both
    expect(at(1)).toBeCloseTo(25.5, 4);
    expect(at(2)).toBeCloseTo(26, 4);
    expect(at(4)).toBeCloseTo(103, 4);
    const share = Math.log2(3) - 1;
    expect(at(3)).toBeCloseTo(at(2) + share * (at(4) - at(2)), 4);
    expect(at(1000)).toBe(at(4));
  });

  test('colours are blended in linear light, alpha is a number', () => {
    const half: RgbaImage = { width: 2, height: 2, data: Uint8Array.from([255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0]) }; // prettier-ignore
    const [value, , , alpha] = sampleTexture({ levels: [half], space: 'srgb' }, [0.5, 0.5], SHARP, CLAMP);
    expect([value, alpha]).toEqual([0.5, 0.5]);
  });
});

describe('materials', () => {
  const plain: MaterialRow = {
    baseColor: [0.5, 0.25, 1, 0.75],
    emissive: [0.1, 0, 0],
    alphaCutoff: -1,
    metallic: 0.5,
    roughness: 0.25,
    normalScale: 0.5,
    occlusionStrength: 0.5,
    flags: 0,
    textures: {},
  };
  const at = { uv: [0.25, 0.75, 0, 0], ddx: [0, 0, 0, 0], ddy: [0, 0, 0, 0] } as const;
  const constant = (...texel: readonly number[]) => ({
    uvRows: [[1, 0, 0], [0, 1, 0]] as const,
    place: 0,
    layer: layerOf({ width: 1, height: 1, data: Uint8Array.from(texel) }),
  }); // prettier-ignore

  test('without textures there are the factors', () => {
    expect(sampleMaterial(plain, at)).toEqual({
      baseColor: [0.5, 0.25, 1, 0.75],
      normal: [0, 0, 1],
      metallic: 0.5,
      roughness: 0.25,
      emissive: [0.1, 0, 0],
      occlusion: 1,
    });
  });

  test('textures are factors: roughness of green, metallic of blue, occlusion of red by its strength', () => {
    const row = {
      ...plain,
      textures: {
        metallicRoughnessTexture: constant(0, 51, 102, 0),
        occlusionTexture: constant(51, 0, 0, 0),
        normalTexture: constant(255, 0, 255, 0),
        baseColorTexture: constant(255, 0, 255, 51),
      },
    };
    const found = sampleMaterial(row, at);
    expect(found.roughness).toBeCloseTo(0.05, 6);
    expect(found.metallic).toBeCloseTo(0.2, 6);
    expect(found.occlusion).toBeCloseTo(1 - 0.5 * 0.8, 6);
    expect(found.baseColor).toEqual([0.5, 0, 1, expect.closeTo(0.15, 6)]);
    expect(sampleAlpha(row, at)).toBeCloseTo(0.15, 6);
    const length = Math.hypot(0.5, 0.5, 1);
    [0.5, -0.5, 1].forEach((value, c) => expect(found.normal[c]).toBeCloseTo(value / length, 6));
  });

  test('records lead to texels: transforms, mirrored and clamped coordinates', async () => {
    const model = await maskedModel();
    const [material] = model.materials;
    const looked = { ...material!.baseColorTexture!, rotation: Math.PI / 2, offset: [0, 1] as const };
    const character = packCharacter({ ...model, materials: [{ ...material!, baseColorTexture: looked }] });
    const plan = planTextures([character]);
    const [row] = readMaterials(materialRows([character], plan).rows, await decodeTextures(plan));
    // uv' = (v, 1 − u): u goes up the picture, whose fields are an eighth, every second one a hole, the first one too
    const still = { ddx: [0, 0, 0, 0], ddy: [0, 0, 0, 0] } as const;
    const alpha = (u: number, v: number) => sampleAlpha(row!, { uv: [u, v, 0.875, 0.125], ...still });
    expect(alpha(0.875, 0.125)).toBe(0);
    expect(alpha(0.875, 0.375)).toBe(1);
    expect(alpha(0.625, 0.125)).toBe(1);
    expect(alpha(0.625, 0.375)).toBe(0);
    const second = packCharacter({
      ...model,
      materials: [{ ...material!, baseColorTexture: { ...looked, texcoordSet: 1 } }],
    });
    const secondPlan = planTextures([second]);
    const [other] = readMaterials(materialRows([second], secondPlan).rows, await decodeTextures(secondPlan));
    expect(sampleAlpha(other!, { uv: [0.875, 0.375, 0.875, 0.125], ...still })).toBe(0);
    expect(sampleAlpha(other!, { uv: [0.875, 0.125, 0.875, 0.375], ...still })).toBe(1);
  });
});

import type { CharacterModel } from '../../src/character/model.ts';
import { encodePng } from '../../src/render/images/index.ts';
import { DEFAULT_MATERIAL } from '../../src/render/materials/material-table.ts';
import { meshOf, smallModel } from './small-model.ts';

/** Pixels of its picture, each way, and of its holes. */
const [SIZE, HOLE] = [32, 8];

/** A square of 1.6 × 1.6 m that looks along z, of 8 × 8 squares; a picture of two colours makes every second field a hole. */
export async function maskedModel(): Promise<CharacterModel> {
  const data = new Uint8Array(4 * SIZE * SIZE);
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const isHole = (Math.floor(x / HOLE) + Math.floor(y / HOLE)) % 2 === 0;
      data.set([255, 8 * x, 8 * y, isHole ? 0 : 255], 4 * (y * SIZE + x));
    }
  }
  const bytes = await encodePng({ width: SIZE, height: SIZE, data });
  const [positions, texcoords, indices]: [number[][], number[], number[]] = [[], [], []];
  for (let y = 0; y <= 8; y++) {
    for (let x = 0; x <= 8; x++) {
      positions.push([0.2 * x - 0.8, 0.2 * y - 0.8, 0]);
      texcoords.push(x / 8, 1 - y / 8);
      const at = 9 * y + x;
      if (x < 8 && y < 8) indices.push(at, at + 1, at + 10, at, at + 10, at + 9);
    }
  }
  const arrays = { texcoords: Float32Array.from(texcoords), indices: Uint32Array.from(indices) };
  const texture = {
    imageIndex: 0,
    offset: [0, 0],
    scale: [1, 1],
    rotation: 0,
    wrapS: 'CLAMP',
    wrapT: 'CLAMP',
  } as const;
  return {
    ...smallModel({ meshes: [meshOf(positions, () => [[0, 1]], { ...arrays, materialIndex: 0 })] }),
    materials: [
      { ...DEFAULT_MATERIAL, alphaMode: 'MASK', alphaCutoff: 0.5, doubleSided: true, baseColorTexture: texture },
    ],
    images: [{ name: 'fields', mimeType: 'image/png', bytes }],
  };
}

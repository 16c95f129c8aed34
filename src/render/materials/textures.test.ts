import { describe, expect, test } from 'vitest';
import { moteModel } from '../../../test/format/mote.ts';
import { fromPixels, picture } from '../../../test/support/images.ts';
import type { Character } from '../../character/character.ts';
import type { ImageModel, MaterialModel, TextureModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { DEFAULT_MATERIAL } from './material-table.ts';
import { planTextures } from './textures.ts';

const texture = (imageIndex: number, wrap: TextureModel['wrapS'] = 'REPEAT'): TextureModel => ({
  imageIndex,
  offset: [0, 0],
  scale: [1, 1],
  rotation: 0,
  wrapS: wrap,
  wrapT: wrap,
});

/** An image that is damaged past the header: decoding it would fail. */
async function imageOf(width: number, height: number): Promise<ImageModel> {
  const bytes = new Uint8Array(await fromPixels(picture(width, height)).png().toBuffer());
  bytes.fill(0, 100, 120);
  return { name: `${width}×${height}`, mimeType: 'image/png', bytes };
}

/** Its body and cloak have the materials. */
function characterOf(images: readonly ImageModel[], ...looks: readonly Partial<MaterialModel>[]): Character {
  const materials = [0, 1].map((i) => ({ ...DEFAULT_MATERIAL, ...looks[i] }));
  return packCharacter({ ...moteModel(), materials, images });
}

describe('textures', () => {
  test('go to the smallest squares that hold them, by colour space; images that no primitive shows go nowhere', async () => {
    const images = await Promise.all([imageOf(52, 36), imageOf(256, 257), imageOf(1024, 8), imageOf(2050, 4)]);
    const character = characterOf(
      images,
      { baseColorTexture: texture(0), normalTexture: texture(1) },
      { emissiveTexture: texture(2), occlusionTexture: texture(2), metallicRoughnessTexture: texture(0) },
    );
    const { images: placed } = planTextures([character]);
    expect(placed.map(({ image, array, layer }) => [image.name, array, layer])).toEqual([
      ['52×36', 0, 0],
      ['256×257', 5, 0],
      ['52×36', 4, 0],
      ['1024×8', 6, 0],
      ['1024×8', 2, 0],
    ]);
    const large = planTextures([characterOf(images, { baseColorTexture: texture(3) })]);
    expect(large.images.map(({ array }) => array)).toEqual([3]);
  });

  test('with the same bytes lie there once, also of several characters', async () => {
    const images = await Promise.all([imageOf(52, 36), imageOf(52, 36)]);
    const [one, other] = [
      characterOf(images, { baseColorTexture: texture(0) }, { baseColorTexture: texture(1) }),
      characterOf(images, { baseColorTexture: texture(1) }, { baseColorTexture: texture(0, 'CLAMP') }),
    ];
    const plan = planTextures([one, other]);
    // what lies beyond the edges is blended in where it grows
    expect(plan.images.map(({ layer, repeatS }) => [layer, repeatS])).toEqual([
      [0, true],
      [1, false],
    ]);
    expect(plan.placeOf(one, texture(1), 'srgb')).toBe(plan.placeOf(other, texture(1), 'srgb'));
  });

  test('have a limit together, which is asked before any is decoded', async () => {
    const character = characterOf([await imageOf(52, 36)], {
      baseColorTexture: texture(0),
      normalTexture: texture(0),
    });
    const pixels = 2 * 256 ** 2;
    expect(() => planTextures([character, character], pixels)).not.toThrow();
    expect(() => planTextures([character], pixels - 1)).toThrow(
      `IMAGE_UNDECODABLE at mote: its textures have ${pixels} pixels together; the limit is ${pixels - 1}. Scale`,
    );
  });

  test('have no more layers than every device has', async () => {
    const images = Array.from({ length: 257 }, (_, i): ImageModel => {
      const header = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52);
      const end = Uint8Array.of(0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0, 0, 0, 0);
      // the checksum differs, and is not looked at before decoding
      const bytes = Uint8Array.of(...header, 0, 0, 0, 4, 0, 0, 0, 4, 8, 6, 0, 0, 0, 0, 0, i >> 8, i & 255, ...end);
      return { name: `${i}`, mimeType: 'image/png', bytes };
    });
    const mote = characterOf([]);
    const primitives = images.map((_, materialIndex) => ({ ...mote.primitives[0]!, materialIndex }));
    const materials = images.map((_, index) => ({ ...DEFAULT_MATERIAL, baseColorTexture: texture(index) }));
    expect(() => planTextures([{ ...mote, images, materials, primitives }])).toThrow(
      '257 textures of 256×256 pixels; the limit is 256.',
    );
  });
});

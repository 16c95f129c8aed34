import type { Character } from '../../../character/character.ts';
import { MATERIAL_TEXTURES, type ImageModel, type MaterialModel } from '../../../character/model.ts';
import { readImageHeader } from '../../../render/images/header.ts';
import { planTextures, TEXTURE_SIDES } from '../../../render/materials/textures.ts';

/** An encoded image; size and format are null where its header cannot be read. */
export interface ImageFacts {
  readonly name: string;
  readonly format: string | null;
  /** Pixels. */
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number;
}

/** A material, and its textures as indices into the images. */
export interface MaterialFacts {
  readonly name: string;
  readonly alphaMode: MaterialModel['alphaMode'];
  readonly doubleSided: boolean;
  readonly unlit: boolean;
  /** Linear RGBA. */
  readonly baseColor: readonly number[];
  readonly textures: Readonly<Partial<Record<(typeof MATERIAL_TEXTURES)[number], number>>>;
}

export function imageFacts({ images }: Character): ImageFacts[] {
  return images.map((image) => ({ name: image.name, ...headerOf(image), bytes: image.bytes.byteLength }));
}

function headerOf({ bytes, mimeType, name }: ImageModel): Pick<ImageFacts, 'format' | 'width' | 'height'> {
  try {
    return readImageHeader(bytes, mimeType, name);
  } catch {
    return { format: null, width: null, height: null }; // what draws it says what is wrong with it
  }
}

export function materialFacts({ materials }: Character): MaterialFacts[] {
  return materials.map((material) => {
    const { name, alphaMode, doubleSided, unlit, baseColor } = material;
    const textures = MATERIAL_TEXTURES.flatMap((use) => {
      const texture = material[use];
      return texture ? [[use, texture.imageIndex] as const] : [];
    });
    return { name, alphaMode, doubleSided, unlit, baseColor, textures: Object.fromEntries(textures) };
  });
}

/**
 * Bytes of a character's textures in the renderers of `maniple/render`: squares, and their smaller levels. Null where an image cannot
 * be read.
 */
export function textureBytes(character: Character): number | null {
  try {
    const sides = planTextures([character]).images.map(({ array }) => TEXTURE_SIDES[array % TEXTURE_SIDES.length]!);
    return Math.round(sides.reduce((sum, side) => sum + (4 * side * side * 4) / 3, 0));
  } catch {
    return null; // what draws it says what is wrong with it
  }
}

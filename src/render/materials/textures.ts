import type { Character } from '../../character/character.ts';
import type { ImageModel, MaterialModel, TextureModel } from '../../character/model.ts';
import { BOUND_AS_ARRAY } from '../../layout/index.ts';
import { readImageHeader } from '../images/header.ts';
import { undecodable } from '../images/image.ts';
import { TEXTURE_ARRAYS } from './layout.ts';
import type { ColorSpace, Edges, TextureLayer } from './resample.ts';
import { decodeImage, type RgbaImage } from '../images/index.ts';

/** Sides of the textures of each array, pixels. */
export const TEXTURE_SIDES = [256, 512, 1024, 2048] as const;

/** Pixels of all textures of a renderer together: 1.4 GB on the GPU, with their smaller levels. */
const PIXEL_LIMIT = 2 ** 28;
/** Layers of a texture array that every device supports. */
const LAYER_LIMIT = 256;

/** An image in the array that it goes to. */
export interface PlacedImage extends Edges {
  readonly image: ImageModel;
  readonly space: ColorSpace;
  /** Index among all eight arrays. */
  readonly array: number;
  readonly layer: number;
}

/** The array and layer of every texture. */
export interface TexturePlan {
  readonly images: readonly PlacedImage[];
  placeOf(character: Character, texture: TextureModel, space: ColorSpace): PlacedImage;
}

/** Colour spaces of a material's textures. */
export const TEXTURE_SPACES = {
  baseColorTexture: 'srgb',
  metallicRoughnessTexture: 'numbers',
  normalTexture: 'numbers',
  occlusionTexture: 'numbers',
  emissiveTexture: 'srgb',
} as const satisfies Partial<Record<keyof MaterialModel, ColorSpace>>;

export type TextureName = keyof typeof TEXTURE_SPACES;
export const TEXTURE_NAMES = Object.keys(TEXTURE_SPACES) as readonly TextureName[];

/**
 * Assigns every image that a primitive shows to the array of the smallest squares that hold its larger side. Identical
 * images are stored once for each colour space. Nothing is decoded yet.
 *
 * @throws ManipleError IMAGE_UNDECODABLE: no image, or too many pixels or images together
 */
export function planTextures(characters: readonly Character[], pixelLimit: number = PIXEL_LIMIT): TexturePlan {
  const images: PlacedImage[] = [];
  const places = new Map<Character, Map<string, PlacedImage>>();
  const layers = Array.from({ length: 2 * TEXTURE_ARRAYS }, () => 0);
  for (const character of characters) {
    const known = new Map<string, PlacedImage>();
    places.set(character, known);
    for (const [texture, space] of texturesOf(character)) {
      const key = keyOf(texture, space);
      if (!known.has(key)) known.set(key, place(character.images[texture.imageIndex]!, texture, space));
    }
  }
  checkTotals(characters, images, layers, pixelLimit);
  return { images, placeOf: (character, texture, space) => places.get(character)!.get(keyOf(texture, space))! };

  function place(image: ImageModel, { wrapS, wrapT }: TextureModel, space: ColorSpace): PlacedImage {
    const { width, height } = readImageHeader(image.bytes, image.mimeType, image.name);
    const larger = Math.max(width, height);
    const fitting = TEXTURE_SIDES.findIndex((side) => side >= larger);
    const bucket = fitting < 0 ? TEXTURE_SIDES.length - 1 : fitting;
    const array = bucket + (space === 'srgb' ? 0 : TEXTURE_ARRAYS);
    const isResized = width !== TEXTURE_SIDES[bucket] || height !== TEXTURE_SIDES[bucket];
    // edges matter only to images that are resized
    const edges = { repeatS: isResized && wrapS === 'REPEAT', repeatT: isResized && wrapT === 'REPEAT' };
    const same = images.find(
      (other) =>
        other.array === array &&
        other.repeatS === edges.repeatS &&
        other.repeatT === edges.repeatT &&
        isSame(other.image, image),
    );
    if (same) return same;
    const placed = { image, space, array, layer: layers[array]!++, ...edges };
    images.push(placed);
    return placed;
  }
}

/** Side of the textures of one of the eight arrays, pixels. */
export function sideOf(array: number): number {
  return TEXTURE_SIDES[array % TEXTURE_ARRAYS]!;
}

function texturesOf({ primitives, materials }: Character): [TextureModel, ColorSpace][] {
  const shown = new Set(primitives.map(({ materialIndex }) => materials[materialIndex]));
  return Array.from(shown).flatMap((material) =>
    TEXTURE_NAMES.flatMap((name): [TextureModel, ColorSpace][] => {
      const texture = material?.[name];
      return texture ? [[texture, TEXTURE_SPACES[name]]] : [];
    }),
  );
}

function keyOf({ imageIndex, wrapS, wrapT }: TextureModel, space: ColorSpace): string {
  return `${imageIndex} ${wrapS} ${wrapT} ${space}`;
}

function isSame(a: ImageModel, b: ImageModel): boolean {
  if (a === b) return true;
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, i) => byte === b.bytes[i]);
}

function checkTotals(
  characters: readonly Character[],
  images: readonly PlacedImage[],
  layers: readonly number[],
  pixelLimit: number,
): void {
  const names = characters.map(({ name }) => name).join(', ');
  const suggestion = 'Scale the textures down, or draw fewer types of characters.';
  const total = images.reduce((sum, { array }) => sum + sideOf(array) ** 2, 0);
  if (total > pixelLimit) {
    undecodable(names, `its textures have ${total} pixels together; the limit is ${pixelLimit}.`, suggestion);
  }
  const most = Math.max(...layers);
  if (most <= LAYER_LIMIT) return;
  const side = sideOf(layers.indexOf(most));
  undecodable(names, `${most} textures of ${side}×${side} pixels; the limit is ${LAYER_LIMIT}.`, suggestion);
}

const FORMATS: Readonly<Record<ColorSpace, GPUTextureFormat>> = { srgb: 'rgba8unorm-srgb', numbers: 'rgba8unorm' };

/**
 * Decodes and uploads images with all their smaller levels, one after the other. Of the eight arrays, those without
 * images are one pixel large.
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export async function createTextureArrays(device: GPUDevice, { images }: TexturePlan): Promise<readonly GPUTexture[]> {
  const arrays = Array.from({ length: 2 * TEXTURE_ARRAYS }, (_, array) => {
    const layers = images.filter((placed) => placed.array === array).length;
    const side = layers > 0 ? sideOf(array) : 1;
    return device.createTexture({
      label: `textures ${array}`,
      size: [side, side, Math.max(1, layers)],
      ...BOUND_AS_ARRAY,
      mipLevelCount: Math.log2(side) + 1,
      format: FORMATS[array < TEXTURE_ARRAYS ? 'srgb' : 'numbers'],
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
  });
  try {
    for (const placed of images) {
      const { array, layer } = placed;
      (await levelsOf(placed)).forEach(({ width, data }, mipLevel) => {
        const to = { texture: arrays[array]!, mipLevel, origin: [0, 0, layer] };
        device.queue.writeTexture(to, data, { bytesPerRow: 4 * width }, [width, width]);
      });
    }
  } catch (reason) {
    for (const texture of arrays) texture.destroy();
    throw reason;
  }
  return arrays;
}

/** An image in its squares, from the largest to one pixel. @throws ManipleError IMAGE_UNDECODABLE */
async function levelsOf(placed: PlacedImage): Promise<RgbaImage[]> {
  const { image, space, array } = placed;
  // crowds without textures do not load it
  const { mipLevels, resample } = await import('./resample.ts');
  const decoded = await decodeImage(image.bytes, image.mimeType, image.name);
  return mipLevels(resample(decoded, sideOf(array), space, placed), space);
}

/**
 * Decodes what `createTextureArrays` uploads, but keeps it on the CPU side: by array, then layer.
 * @throws ManipleError IMAGE_UNDECODABLE
 */
export async function decodeTextures({ images }: TexturePlan): Promise<readonly (readonly TextureLayer[])[]> {
  const arrays = Array.from({ length: 2 * TEXTURE_ARRAYS }, (): TextureLayer[] => []);
  for (const placed of images) {
    arrays[placed.array]![placed.layer] = { levels: await levelsOf(placed), space: placed.space };
  }
  return arrays;
}

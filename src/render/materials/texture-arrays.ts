import { decodeImage, type RgbaImage } from '../images/index.ts';
import { TEXTURE_ARRAYS } from './layout.ts';
import { sideOf, type PlacedImage, type TexturePlan } from './plan-textures.ts';
import type { ColorSpace } from './resample.ts';
import type { TextureLayer } from './material.ts';

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

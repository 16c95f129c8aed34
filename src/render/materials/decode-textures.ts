import { TEXTURE_ARRAYS } from './layout.ts';
import type { TexturePlan } from './plan-textures.ts';
import type { TextureLayer } from './sample-texture.ts';
import { levelsOf } from './texture-arrays.ts';

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

import { encodePng } from '../../src/render/images/index.ts';
import { GltfBuilder } from '../import/build-gltf.ts';

/** Colours of the bands, left to right, as codes; the last one is a hole. */
export const BANDS = [[255, 0, 0], [0, 255, 0], [0, 0, 255], undefined] as const; // prettier-ignore
/** Half its width, and the height of its middle. */
export const [HALF_WIDTH, MIDDLE] = [1, 1.2];

const [WIDTH, HEIGHT] = [64, 16];

/**
 * A square that looks along +z, with four bands on it: a picture that only the second set of texture coordinates lays out. All of
 * the first set is in the middle of the hole, so that nothing is seen of who looks the picture up by it. Its wind, `_WIND`, rises
 * from 0 at the left to 1 at the right.
 */
export async function bandedGltf(): Promise<GltfBuilder> {
  const data = new Uint8Array(4 * WIDTH * HEIGHT);
  for (let i = 0; i < WIDTH * HEIGHT; i++) {
    const color = BANDS[Math.floor((4 * (i % WIDTH)) / WIDTH)];
    data.set(color ? [...color, 255] : [255, 255, 255, 0], 4 * i);
  }
  const gltf = new GltfBuilder();
  const bufferView = gltf.view(await encodePng({ width: WIDTH, height: HEIGHT, data }));
  gltf.images.push({ bufferView, mimeType: 'image/png' });
  gltf.samplers.push({ wrapS: 33_071, wrapT: 33_071 });
  gltf.textures.push({ source: 0, sampler: 0 });
  gltf.extra.extensionsUsed = ['KHR_texture_transform', 'KHR_materials_unlit'];
  gltf.materials.push({
    pbrMetallicRoughness: {
      // the transform's word counts, not the texture's
      baseColorTexture: { index: 0, texCoord: 0, extensions: { KHR_texture_transform: { texCoord: 1 } } },
      metallicRoughnessTexture: { index: 0, texCoord: 0 },
    },
    alphaMode: 'MASK',
    extensions: { KHR_materials_unlit: {} },
  });
  const corners = [[0, 0], [1, 0], [1, 1], [0, 1]] as const; // prettier-ignore
  const each = (of: (x: number, y: number) => readonly number[]) => corners.flatMap(([x, y]) => of(x, y));
  const attributes = {
    POSITION: gltf.accessor(
      each((x, y) => [2 * x - HALF_WIDTH, 2 * y - 1 + MIDDLE, 0]),
      'VEC3',
    ),
    NORMAL: gltf.accessor(
      each(() => [0, 0, 1]),
      'VEC3',
    ),
    TEXCOORD_0: gltf.accessor(
      each(() => [0.875, 0.5]),
      'VEC2',
    ),
    TEXCOORD_1: gltf.accessor(
      each((x, y) => [x, 1 - y]),
      'VEC2',
    ),
    _WIND: gltf.accessor(
      each((x) => [x]),
      'SCALAR',
    ),
  };
  const indices = gltf.accessor([0, 1, 2, 0, 2, 3], 'SCALAR', { componentType: 5123 });
  gltf.scenes.push({ nodes: [gltf.meshNode([{ attributes, indices, material: 0 }])] });
  gltf.extra.scene = 0;
  return gltf;
}

/** Where the middle of a band is, in metres from the square's middle. */
export function bandCenter(band: number): number {
  return HALF_WIDTH * ((band + 0.5) / 2 - 1);
}

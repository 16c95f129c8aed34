import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { DataTexture, LinearFilter, LinearMipmapLinearFilter, type Texture } from 'three';
import { type GLTF, GLTFLoader, type GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { decodeImage } from '../../src/render/images/index.ts';

/** Loads a GLB with three's own loader, images and all: what three decodes in a browser is decoded here. */
export async function loadTexturedGltf(file: string): Promise<GLTF> {
  return parseTexturedGltf(await readFile(file), path.dirname(file));
}

/** Loads the bytes of a GLB without textures. */
export async function parseGlb(bytes: Uint8Array, loader: GLTFLoader = new GLTFLoader()): Promise<GLTF> {
  return loader.parseAsync(new Uint8Array(bytes).buffer, '');
}

/** Loads the bytes of a GLB with textures. */
export async function parseTexturedGltf(bytes: Uint8Array, folder = ''): Promise<GLTF> {
  const loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => ({
    name: 'images in Node',
    loadTexture: (index: number) => loadTexture(parser, index, folder),
  }));
  return parseGlb(bytes, loader);
}

interface Json {
  readonly textures: readonly { readonly source?: number; readonly sampler?: number }[];
  readonly images: readonly { readonly bufferView?: number; readonly uri?: string; readonly mimeType?: string }[];
  readonly samplers?: readonly { readonly wrapS?: number; readonly wrapT?: number }[];
}

const WRAPS: Readonly<Record<number, 1000 | 1001 | 1002>> = { 10497: 1000, 33071: 1001, 33648: 1002 };

async function loadTexture(parser: GLTFParser, index: number, folder: string): Promise<Texture> {
  const json = parser.json as Json;
  const { source = 0, sampler } = json.textures[index]!;
  const { bufferView, uri = '', mimeType } = json.images[source]!;
  const bytes =
    bufferView === undefined
      ? await readFile(path.join(folder, uri))
      : new Uint8Array((await parser.getDependency('bufferView', bufferView)) as ArrayBuffer);
  const type = mimeType ?? (uri.endsWith('.png') ? 'image/png' : 'image/jpeg');
  const { data, width, height } = await decodeImage(bytes, type as 'image/png', `image ${source}`);
  const texture = new DataTexture(data, width, height);
  const { wrapS = 10497, wrapT = 10497 } = (sampler === undefined ? undefined : json.samplers?.[sampler]) ?? {};
  texture.wrapS = WRAPS[wrapS]!;
  texture.wrapT = WRAPS[wrapT]!;
  texture.magFilter = LinearFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}

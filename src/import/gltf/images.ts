import type { ImageModel } from '../../character/model.ts';
import { formatIssue } from '../../errors.ts';
import { IssueList, pointer } from '../model-builder/issue-list.ts';
import { type Resources, viewBytes } from './resources.ts';
import { extensionOf, nameOf } from './schema.ts';
import { isObject } from '../../forms/rules.ts';
import type { GltfFile } from './decode.ts';

/**
 * The images that materials ask for, each read once, in the order they are asked for. Together they have at most
 * `limits.fileBytes`, however often the file names the same bytes. An image that cannot be had is reported as
 * GLTF_TEXTURE_IGNORED, never as an error.
 */
export class Images {
  readonly list: ImageModel[] = [];
  readonly #indexOf = new Map<number, number | undefined>();
  #bytesLeft: number;

  constructor(
    readonly file: GltfFile,
    readonly resources: Resources,
  ) {
    this.#bytesLeft = file.limits.fileBytes;
  }

  /** The place in `list` of the file's image, or undefined when it cannot be used. */
  async find(imageIndex: number): Promise<number | undefined> {
    if (!this.#indexOf.has(imageIndex)) this.#indexOf.set(imageIndex, await this.#read(imageIndex));
    return this.#indexOf.get(imageIndex);
  }

  ignore(path: string, why: string): undefined {
    this.file.issues.warn('GLTF_TEXTURE_IGNORED', path, why, 'The material is drawn without it.');
  }

  async #read(imageIndex: number): Promise<number | undefined> {
    const path = pointer('images', imageIndex);
    const image = this.file.json.images?.[imageIndex];
    if (!isObject(image)) return this.ignore(path, 'the image does not exist');
    const bytes = await this.#bytesOf(image, path);
    if (!bytes) return undefined;
    const mimeType = mimeTypeOf(bytes);
    if (!mimeType) {
      return this.ignore(path, `the image's ${bytes.byteLength} bytes are not a PNG, JPEG, WebP or KTX2`);
    }
    if (bytes.byteLength > this.#bytesLeft) {
      return this.ignore(path, `with it, the images have more than ${this.file.limits.fileBytes} bytes`);
    }
    this.#bytesLeft -= bytes.byteLength;
    return this.list.push({ name: nameOf(image), mimeType, bytes: bytes.slice() }) - 1;
  }

  async #bytesOf({ bufferView, uri }: Record<string, unknown>, path: string): Promise<Uint8Array | undefined> {
    const { json, buffers } = this.file;
    if (typeof bufferView === 'number') {
      const missing = `the image refers to bufferViews[${bufferView}], which does not exist`;
      if (!json.bufferViews?.[bufferView]) return this.ignore(path, missing);
      const compressed = `the image is in bufferViews[${bufferView}], which has the compression of numbers`;
      return viewBytes(json, buffers, bufferView) ?? this.ignore(path, compressed);
    }
    if (typeof uri !== 'string') return this.ignore(path, 'the image has neither data nor URI');
    const found = new IssueList();
    const bytes = await this.resources.read(uri, `${path}/uri`, found);
    for (const issue of found.list()) this.ignore(path, formatIssue(issue));
    return bytes;
  }
}

/** The image of a texture: what every reader can decode if it is there, else WebP, else KTX2. */
export async function imageOfTexture(
  texture: Record<string, unknown>,
  path: string,
  images: Images,
): Promise<number | undefined> {
  const sources = [
    texture.source,
    extensionOf(texture, 'EXT_texture_webp')?.source,
    extensionOf(texture, 'KHR_texture_basisu')?.source,
  ].filter((source) => typeof source === 'number');
  if (sources.length === 0) images.ignore(path, 'the texture names no image that Maniple can read');
  for (const source of sources) {
    const index = await images.find(source);
    if (index !== undefined) return index;
  }
  return undefined;
}

/** The type of an image by its first bytes, because the type in the file is often wrong. */
export function mimeTypeOf(bytes: Uint8Array): ImageModel['mimeType'] | undefined {
  const startsWith = (magic: readonly number[], at = 0): boolean => magic.every((byte, i) => bytes[at + i] === byte);
  if (startsWith([0x89, 0x50, 0x4e, 0x47])) return 'image/png';
  if (startsWith([0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith([0x52, 0x49, 0x46, 0x46]) && startsWith([0x57, 0x45, 0x42, 0x50], 8)) return 'image/webp';
  if (startsWith([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb])) return 'image/ktx2';
  return undefined;
}

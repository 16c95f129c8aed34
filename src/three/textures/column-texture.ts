import { fail } from '../../errors.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import type { CrowdRenderer } from '../internals.ts';
import type { Table } from '../rows.ts';
import { TableTexture, TEXTURE_BYTES, wholeRows } from './table-texture.ts';

/** Tables of the named columns of crowds on a device where draws read textures, by crowd. */
export const deviceColumns = new WeakMap<Crowd, () => Table>();

/** Textures of the named columns of crowds without a device, by crowd. */
const textures = new WeakMap<Crowd, TableTexture>();

/** Texture of all named columns of a crowd without a device. It is made when a material first reads one. @throws ManipleError DEVICE_LIMIT */
export function columnTexture(crowd: Crowd): TableTexture {
  const known = textures.get(crowd);
  if (known) return known;
  const made = new TableTexture(new Uint32Array(wholeRows(floatsOf(crowd).length)), 'named columns');
  textures.set(crowd, made);
  followColumns(crowd);
  return made;
}

/**
 * Copies the columns of the last frame to the texture, if a material reads it.
 * @param renderer Uploads them. Without it, three.js does when it first draws the texture.
 * @throws ManipleError DEVICE_LIMIT
 */
export function followColumns(crowd: Crowd, renderer?: CrowdRenderer): void {
  const texture = textures.get(crowd);
  if (!texture) return;
  const floats = floatsOf(crowd);
  const length = wholeRows(floats.length);
  if (4 * length > TEXTURE_BYTES) {
    const message = `The columns take ${4 * length} bytes; a texture holds ${TEXTURE_BYTES}.`;
    fail('DEVICE_LIMIT', 'crowdColumn', message, 'Read fewer columns in materials, or use WebGPU.');
  }
  if (length !== texture.words.length) texture.resize(length);
  texture.words.set(new Uint32Array(floats.buffer, floats.byteOffset, floats.length));
  texture.changed(0, Math.ceil(floats.length / 4));
  if (renderer) texture.upload(renderer);
}

/** Frees the texture. */
export function releaseColumnTexture(crowd: Crowd): void {
  textures.get(crowd)?.dispose();
  textures.delete(crowd);
}

function floatsOf(crowd: Crowd): Float32Array<ArrayBuffer> {
  return internalsOf(crowd).host.backend.columns.floats ?? new Float32Array(0);
}

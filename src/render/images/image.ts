import { fail } from '../../errors.ts';

/** A picture on the CPU. */
export interface RgbaImage {
  /** Pixels, 1 to {@link MAX_IMAGE_SIZE}. */
  readonly width: number;
  /** Pixels, 1 to {@link MAX_IMAGE_SIZE}. */
  readonly height: number;
  /** width × height × 4 bytes, top row first: R, G, B, A as stored (no colour conversion), alpha not multiplied in. */
  readonly data: Uint8Array;
}

/** Largest width and height of an image, pixels. Every WebGPU device supports textures of this size. */
export const MAX_IMAGE_SIZE = 8192;

/** Largest encoded image, bytes: the uncompressed size of the largest image. */
export const MAX_IMAGE_BYTES: number = MAX_IMAGE_SIZE * MAX_IMAGE_SIZE * 4;

/** Throws IMAGE_UNDECODABLE. */
export function undecodable(path: string, message: string, suggestion?: string): never {
  return fail('IMAGE_UNDECODABLE', path, message, suggestion);
}

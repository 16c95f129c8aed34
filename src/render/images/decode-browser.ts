import type { ImageHeader } from './header.ts';
import { undecodable, type RgbaImage } from './image.ts';

let shared: WebGL2RenderingContext | undefined;

/** Decodes PNG, JPEG and WebP with the browser's own decoders. */
export async function decodeInBrowser(bytes: Uint8Array, { format }: ImageHeader, path: string): Promise<RgbaImage> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: `image/${format}` });
  const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  try {
    return readPixels(bitmap, path);
  } finally {
    bitmap.close();
  }
}

/**
 * Reads a bitmap back through WebGL. A 2D canvas would multiply alpha into the colours and divide it out again,
 * which rounds them, and loses them where alpha is 0.
 */
function readPixels(bitmap: ImageBitmap, path: string): RgbaImage {
  const { width, height } = bitmap;
  const gl = openContext(path);
  const limit = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
  if (Math.max(width, height) > limit)
    undecodable(path, `${width}×${height} pixels; this browser's limit is ${limit}.`);

  const texture = gl.createTexture();
  const framebuffer = gl.createFramebuffer();
  const data = new Uint8Array(width * height * 4);
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  const problem = gl.getError();
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  if (problem !== gl.NO_ERROR) undecodable(path, `Reading its pixels back failed (WebGL error ${problem}).`);
  return { width, height, data };
}

/** Opens one context for all images: browsers allow only a few, and drop the oldest. */
function openContext(path: string): WebGL2RenderingContext {
  if (!shared || shared.isContextLost()) shared = new OffscreenCanvas(1, 1).getContext('webgl2') ?? undefined;
  if (!shared) undecodable(path, 'Reading its pixels needs WebGL 2, which this browser does not give.');
  return shared;
}

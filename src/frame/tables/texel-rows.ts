/** Bytes in a row of the textures that crowds are drawn from where draws read no buffers. Pages without a device have whole rows. */
export const TEXEL_ROW_BYTES: number = 2 ** 15;

/**
 * Records a copy of a buffer to a texture in format RGBA32UI with rows of `TEXEL_ROW_BYTES`: whole rows of texels, and the rest of the
 * last one.
 * @param buffer Has the usage COPY_SRC, and a multiple of 16 bytes.
 */
export function copyTexelRows(encoder: GPUCommandEncoder, buffer: GPUBuffer, texture: GPUTexture): void {
  const bytesPerRow = TEXEL_ROW_BYTES;
  const rows = Math.floor(buffer.size / bytesPerRow);
  const copy = (row: number, width: number, height: number) =>
    encoder.copyBufferToTexture({ buffer, offset: row * bytesPerRow, bytesPerRow }, { texture, origin: [0, row] }, [
      width,
      height,
    ]);
  if (rows > 0) copy(0, bytesPerRow / 16, rows);
  const rest = (buffer.size - rows * bytesPerRow) / 16;
  if (rest > 0) copy(rows, rest, 1);
}

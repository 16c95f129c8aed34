/** Bytes in a row of the textures that crowds are drawn from where draws read no buffers. Pages without a device have whole rows. */
export const TEXEL_ROW_BYTES: number = 2 ** 15;

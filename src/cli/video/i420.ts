import type { RgbaImage } from '../../render/images/index.ts';

/**
 * Luma in full and both chromas in half size, 8 bits each, one plane after another: BT.709 in video range. Players
 * expect that of pictures in sRGB. The factors below are from ITU-R BT.709-6, items 3.2 to 3.4, times 219 / 255 and
 * 224 / 255. A chroma sample is the mean of its four pixels. Alpha is left out.
 */
export function i420({ width, height, data }: RgbaImage): Uint8Array {
  const [halfWidth, halfHeight] = [(width + 1) >> 1, (height + 1) >> 1];
  const size = width * height;
  const planes = new Uint8Array(size + 2 * halfWidth * halfHeight);
  for (let p = 0; p < size; p++) {
    planes[p] = 16.5 + 0.182586 * data[4 * p]! + 0.614231 * data[4 * p + 1]! + 0.062007 * data[4 * p + 2]!;
  }
  for (let row = 0, at = size; row < halfHeight; row++) {
    const [above, below] = [2 * row * width, Math.min(2 * row + 1, height - 1) * width];
    for (let column = 0; column < halfWidth; column++, at++) {
      const [left, right] = [2 * column, Math.min(2 * column + 1, width - 1)];
      const pixels = [above + left, above + right, below + left, below + right];
      let [r, g, b] = [0, 0, 0];
      for (const pixel of pixels) {
        r += data[4 * pixel]! / 4;
        g += data[4 * pixel + 1]! / 4;
        b += data[4 * pixel + 2]! / 4;
      }
      planes[at] = 128.5 - 0.100644 * r - 0.338572 * g + 0.439216 * b;
      planes[at + halfWidth * halfHeight] = 128.5 + 0.439216 * r - 0.398942 * g - 0.040274 * b;
    }
  }
  return planes;
}

import type { ImageModel, TextureModel, Wrap } from '../../asset/model.ts';
import { decodeImage, type RgbaImage } from '../images/index.ts';

/** Uploads an image as an sRGB texture with all its smaller levels. */
export async function createImageTexture(
  device: GPUDevice,
  { name, bytes, mimeType }: ImageModel,
): Promise<GPUTexture> {
  return createTexture(device, name, await decodeImage(bytes, mimeType, name));
}

export function createTexture(device: GPUDevice, label: string, image: RgbaImage): GPUTexture {
  const levels = mipLevels(image);
  const texture = device.createTexture({
    label,
    size: [image.width, image.height],
    mipLevelCount: levels.length,
    format: 'rgba8unorm-srgb',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  levels.forEach(({ width, height, data }, mipLevel) => {
    device.queue.writeTexture({ texture, mipLevel }, data, { bytesPerRow: 4 * width }, [width, height]);
  });
  return texture;
}

const ADDRESS_MODES: Readonly<Record<Wrap, GPUAddressMode>> = {
  REPEAT: 'repeat',
  CLAMP: 'clamp-to-edge',
  MIRROR: 'mirror-repeat',
};

export function createTextureSampler(device: GPUDevice, texture: TextureModel | undefined): GPUSampler {
  return device.createSampler({
    addressModeU: ADDRESS_MODES[texture?.wrapS ?? 'REPEAT'],
    addressModeV: ADDRESS_MODES[texture?.wrapT ?? 'REPEAT'],
    magFilter: 'linear',
    minFilter: 'linear',
    mipmapFilter: 'linear',
  });
}

/** The image and its halves down to one pixel, each the mean of four pixels in linear light. */
export function mipLevels(image: RgbaImage): RgbaImage[] {
  const levels = [image];
  for (let last = image; last.width > 1 || last.height > 1; last = levels.at(-1)!) levels.push(halved(last));
  return levels;
}

function halved({ width, height, data }: RgbaImage): RgbaImage {
  const [w, h] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
  const out = new Uint8Array(4 * w * h);
  for (let y = 0; y < h; y++) {
    const rows = [2 * y, Math.min(height - 1, 2 * y + 1)];
    for (let x = 0; x < w; x++) {
      const columns = [2 * x, Math.min(width - 1, 2 * x + 1)];
      for (let c = 0; c < 4; c++) {
        let sum = 0;
        for (const row of rows) {
          for (const column of columns) {
            const code = data[4 * (row * width + column) + c]!;
            sum += c < 3 ? LINEAR[code]! : code / 255;
          }
        }
        out[4 * (y * w + x) + c] = Math.round(255 * (c < 3 ? encodeSrgb(sum / 4) : sum / 4));
      }
    }
  }
  return { width: w, height: h, data: out };
}

/** Linear light of every sRGB code (IEC 61966-2-1). */
const LINEAR = Float32Array.from({ length: 256 }, (_, code) => {
  const e = code / 255;
  return e <= 0.04045 ? e / 12.92 : ((e + 0.055) / 1.055) ** 2.4;
});

function encodeSrgb(linear: number): number {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
}

import { reasonOf } from '../../errors.ts';
import { keepTranscoder, openTranscoder, type Basis, type Ktx2File } from './basis.ts';
import { type ImageHeader, readKtx2Header, type Ktx2Header } from './header.ts';
import { undecodable, type RgbaImage } from './image.ts';

const ETC1S = 163;
const UASTC = 166;
const BASIS_LZ = 1;
const ZSTD = 2;
const TRANSCODE_TO_RGBA32 = 13;
const UASTC_BLOCK_BYTES = 16;

/** Decodes the largest mip level of a 2D KTX2 texture that holds Basis Universal data. */
export async function decodeKtx2(bytes: Uint8Array, size: ImageHeader, path: string): Promise<RgbaImage> {
  const header = readKtx2Header(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const problem = header ? findProblem(header) : 'its header is damaged';
  if (problem)
    undecodable(path, `KTX2 image: ${problem}.`, 'Textures must be 2D, ETC1S or UASTC (KHR_texture_basisu).');

  const { width, height } = size;
  const basis = await openTranscoder(path);
  try {
    const data = transcode(basis, bytes, width * height * 4);
    keepTranscoder(basis);
    return { width, height, data };
  } catch (reason) {
    // not kept: a damaged file may have corrupted its memory
    return undecodable(path, `KTX2 image does not decode: ${reasonOf(reason)}.`);
  }
}

/** Returns why a file cannot be transcoded. Also checks sizes that the transcoder would trust. */
function findProblem(header: Ktx2Header): string | undefined {
  const { colorModel, supercompression, width, height } = header;
  if (header.vkFormat !== 0) return `format ${header.vkFormat} is not a Basis Universal one`;
  if (header.depth !== 0 || header.layerCount !== 0 || header.faceCount !== 1) return 'it is not a plain 2D texture';
  if (header.premultiplied) return 'alpha is multiplied into its colours';
  if (colorModel === ETC1S) return supercompression === BASIS_LZ ? undefined : 'ETC1S without BasisLZ';
  if (colorModel !== UASTC) return `colour model ${colorModel}`;
  if (supercompression !== 0 && supercompression !== ZSTD) return `supercompression ${supercompression}`;
  const expected = Math.ceil(width / 4) * Math.ceil(height / 4) * UASTC_BLOCK_BYTES;
  if (header.uncompressedByteLength === expected) return undefined;
  return `${header.uncompressedByteLength} bytes of blocks, and ${width}×${height} pixels have ${expected}`;
}

function transcode(basis: Basis, bytes: Uint8Array, byteLength: number): Uint8Array {
  const file: Ktx2File = new basis.KTX2File(bytes);
  try {
    if (!file.isValid()) throw new Error('it is not valid');
    const data = new Uint8Array(byteLength);
    const size = file.getImageTranscodedSizeInBytes(0, 0, 0, TRANSCODE_TO_RGBA32);
    if (size !== byteLength) throw new Error(`its pixels take ${size} bytes, not ${byteLength}`);
    if (!file.startTranscoding()) throw new Error('its tables are damaged');
    if (!file.transcodeImage(data, 0, 0, 0, TRANSCODE_TO_RGBA32, 0, -1, -1)) throw new Error('its blocks are damaged');
    return data;
  } finally {
    file.close();
    file.delete();
  }
}

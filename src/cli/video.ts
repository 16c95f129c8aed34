import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { fail, reasonOf } from '../errors.ts';
import type { RgbaImage } from '../render/images/index.ts';
import { closePart, openPart, prepareOut, refuseToWrite } from './write.ts';

/** A video that is being written. */
export interface VideoWriter {
  /** Adds a frame, of the first one's size. @throws ManipleError VIDEO_FAILED, FILE_UNWRITABLE */
  add(image: RgbaImage): Promise<void>;
  /** Writes the rest; only now is there a file. Returns its bytes. @throws as `add` */
  finish(): Promise<number>;
  /** Gives up and leaves no file. Does nothing after `finish`. */
  discard(): void;
}

/** Constant quality, 0 (best) to 63. Speed, 0 (slowest) to 9: a third of the time of one less than real time. */
const [QUALITY, SPEED] = ['22', '8'];
/** Frames between those that players can jump to. */
const KEY_FRAMES = 60;
const CODEC = 'libvpx-vp9';
/** FFmpeg's AVFMT_FLAG_BITEXACT: no random ids in the file. */
const BITEXACT = 0x400;

/**
 * Encodes frames one by one as VP9 in WebM, which browsers, VLC, mpv and FFmpeg play. The same frames give the same bytes.
 * Holds a few frames at a time.
 *
 * @throws ManipleError VIDEO_FAILED (no encoder package), FILE_UNWRITABLE
 */
export async function createVideo(file: string, fps: number): Promise<VideoWriter> {
  const libav = await openLibAv();
  await prepareOut(file);
  const part = openPart(file);
  const disk = { descriptor: -1, length: 0, failure: undefined as unknown };
  try {
    disk.descriptor = openSync(part, 'w');
  } catch (thrown) {
    closePart(part);
    refuseToWrite(file, thrown);
  }
  libav.onwrite = (_, position, bytes) => {
    try {
      writeSync(disk.descriptor, bytes, 0, bytes.length, position);
      disk.length = Math.max(disk.length, position + bytes.length);
    } catch (thrown) {
      disk.failure ??= thrown; // FFmpeg has to be left in order
    }
  };
  let encoder: Encoder | undefined;
  let isOpen = true;
  const checked = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (thrown) {
      fail('VIDEO_FAILED', file, `The video cannot be encoded: ${reasonOf(thrown)}.`, 'Draw it in another size.');
    }
    if (disk.failure !== undefined) refuseToWrite(file, disk.failure);
  };
  const discard = () => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(disk.descriptor);
    closePart(part);
  };
  return {
    async add(image) {
      const { width, height } = image;
      if (encoder && (encoder.width !== width || encoder.height !== height)) {
        const message = `Frame ${encoder.count + 1} is ${width} × ${height}, those before are ${encoder.width} × ${encoder.height}.`;
        fail('VIDEO_FAILED', file, message, 'Draw all frames in one size.');
      }
      await checked(async () => {
        encoder ??= await openEncoder(libav, { width, height, fps });
        await encoder.encode(i420(image));
      });
    },
    async finish() {
      await checked(async () => encoder?.close());
      closeSync(disk.descriptor);
      isOpen = false;
      renameSync(part, file);
      closePart(part);
      return disk.length;
    },
    discard,
  };
}

type Encoder = Awaited<ReturnType<typeof openEncoder>>;

async function openEncoder(
  libav: LibAv,
  { width, height, fps }: { readonly width: number; readonly height: number; readonly fps: number },
) {
  const format = libav.AV_PIX_FMT_YUV420P;
  const [, context, frame, packet] = await libav.ff_init_encoder(CODEC, {
    ctx: { width, height, pix_fmt: format, bit_rate: 0, gop_size: KEY_FRAMES, framerate_num: fps, framerate_den: 1 },
    time_base: [1, fps],
    options: {
      deadline: 'realtime',
      'cpu-used': SPEED,
      crf: QUALITY,
      colorspace: 'bt709',
      color_range: 'tv',
      color_primaries: 'bt709',
      color_trc: 'iec61966-2-1', // sRGB
    },
  });
  const name = 'video.webm';
  await libav.mkwriterdev(name);
  const muxing = { format_name: 'webm', filename: name, open: true };
  const [muxer, , file] = await libav.ff_init_muxer(muxing, [[context, 1, fps]]);
  await libav.AVFormatContext_flags_s(muxer, BITEXACT);
  await libav.avformat_write_header(muxer, 0);
  let count = 0;
  const write = async (frames: readonly Uint8Array[], end: boolean) => {
    const timed = frames.map((data) => ({ data, format, width, height, pts: count++, ptshi: 0 }));
    await libav.ff_write_multi(muxer, packet, await libav.ff_encode_multi(context, frame, packet, timed, end));
  };
  return {
    width,
    height,
    get count() {
      return count;
    },
    encode: (planes: Uint8Array) => write([planes], false),
    async close(): Promise<void> {
      await write([], true);
      await libav.av_write_trailer(muxer);
      await libav.ff_free_muxer(muxer, file);
      await libav.ff_free_encoder(context, frame, packet);
      await libav.unlink(name);
    },
  };
}

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

/** The used part of the package `@libav.js/variant-webm-vp9`: FFmpeg's libraries in WebAssembly. */
interface LibAv {
  onwrite?: (name: string, position: number, bytes: Uint8Array) => void;
  av_log_set_level(level: number): Promise<void>;
  mkwriterdev(name: string): Promise<void>;
  unlink(name: string): Promise<void>;
  ff_init_encoder(
    codec: string,
    options: {
      readonly ctx: Readonly<Record<string, number>>;
      readonly time_base: readonly [number, number];
      readonly options: Readonly<Record<string, string>>;
    },
  ): Promise<[codec: number, context: number, frame: number, packet: number]>;
  ff_encode_multi(
    context: number,
    frame: number,
    packet: number,
    frames: readonly VideoFrame[],
    end: boolean,
  ): Promise<unknown[]>;
  ff_free_encoder(context: number, frame: number, packet: number): Promise<void>;
  ff_init_muxer(
    options: { readonly format_name: string; readonly filename: string; readonly open: boolean },
    streams: readonly (readonly [context: number, timeBaseNumerator: number, timeBaseDenominator: number])[],
  ): Promise<[muxer: number, format: number, file: number, streams: number[]]>;
  ff_write_multi(muxer: number, packet: number, packets: readonly unknown[]): Promise<void>;
  ff_free_muxer(muxer: number, file: number): Promise<void>;
  AVFormatContext_flags_s(muxer: number, flags: number): Promise<void>;
  avformat_write_header(muxer: number, options: number): Promise<number>;
  av_write_trailer(muxer: number): Promise<number>;
  readonly AV_PIX_FMT_YUV420P: number;
}

interface VideoFrame {
  readonly data: Uint8Array;
  readonly format: number;
  readonly width: number;
  readonly height: number;
  readonly pts: number;
  readonly ptshi: number;
}

const PACKAGE = '@libav.js/variant-webm-vp9';
/** Log level at which FFmpeg only reports its own crashes. */
const FATAL = 8;

/** Starts the encoder package, in this thread. @throws ManipleError VIDEO_FAILED where it is not installed */
async function openLibAv(): Promise<LibAv> {
  const libav = await (await importPackage()).LibAV({ noworker: true, nothreads: true });
  await libav.av_log_set_level(FATAL);
  return libav;
}

async function importPackage(): Promise<{ LibAV(options: Readonly<Record<string, boolean>>): Promise<LibAv> }> {
  try {
    const name: string = PACKAGE; // its types are not found by way of its exports
    return ((await import(name)) as { default: Awaited<ReturnType<typeof importPackage>> }).default;
  } catch (reason) {
    const suggestion = `Run: npm install ${PACKAGE}@6.10.9 (add -g where maniple is installed globally).`;
    return fail('VIDEO_FAILED', PACKAGE, `Videos need this package: ${reasonOf(reason)}.`, suggestion);
  }
}

import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { fail, reasonOf } from '../../errors.ts';
import type { RgbaImage } from '../../render/images/index.ts';
import { prepareOut, refuseToWrite } from '../output.ts';
import { closePart, openPart } from '../part-files.ts';
import { i420 } from './i420.ts';
import { openLibAv, type LibAv } from './libav.ts';

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
      failToEncode(file, thrown);
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

interface Encoder {
  readonly width: number;
  readonly height: number;
  readonly count: number;
  encode(planes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

async function openEncoder(
  libav: LibAv,
  { width, height, fps }: { readonly width: number; readonly height: number; readonly fps: number },
): Promise<Encoder> {
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
    encode: (planes) => write([planes], false),
    async close() {
      await write([], true);
      await libav.av_write_trailer(muxer);
      await libav.ff_free_muxer(muxer, file);
      await libav.ff_free_encoder(context, frame, packet);
      await libav.unlink(name);
    },
  };
}

function failToEncode(file: string, thrown: unknown): never {
  return fail('VIDEO_FAILED', file, `The video cannot be encoded: ${reasonOf(thrown)}.`, 'Draw it in another size.');
}

import { fail, reasonOf } from '../../errors.ts';

/** The used part of the package `@libav.js/variant-webm-vp9`: FFmpeg's libraries in WebAssembly. */
export interface LibAv {
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

export interface VideoFrame {
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
export async function openLibAv(): Promise<LibAv> {
  const { LibAV } = await importPackage();
  const libav = await LibAV({ noworker: true, nothreads: true });
  await libav.av_log_set_level(FATAL);
  return libav;
}

interface Factory {
  readonly LibAV: (options: { readonly noworker: boolean; readonly nothreads: boolean }) => Promise<LibAv>;
}

async function importPackage(): Promise<Factory> {
  try {
    const name: string = PACKAGE; // its types are not found by way of its exports
    return ((await import(name)) as { default: Factory }).default;
  } catch (reason) {
    const suggestion = `Run: npm install ${PACKAGE}@6.10.9 (add -g where maniple is installed globally).`;
    return fail('VIDEO_FAILED', PACKAGE, `Videos need this package: ${reasonOf(reason)}.`, suggestion);
  }
}

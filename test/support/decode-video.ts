/** A decoded frame: luma and chromas without padding. */
export interface DecodedFrame {
  readonly width: number;
  readonly height: number;
  readonly milliseconds: number;
  readonly planes: Uint8Array;
}

interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly pts: number;
  readonly data: Uint8Array;
  readonly layout: readonly { readonly offset: number; readonly stride: number }[];
}

/** What of the package is used; pointers are numbers. */
interface LibAv {
  av_log_set_level(level: number): Promise<void>;
  writeFile(name: string, bytes: Uint8Array): Promise<void>;
  ff_init_demuxer_file(
    name: string,
  ): Promise<[number, [{ readonly index: number; readonly codec_id: number; readonly codecpar: number }]]>;
  ff_init_decoder(codec: number, options: { readonly codecpar: number }): Promise<[number, number, number, number]>;
  ff_read_frame_multi(muxer: number, packet: number): Promise<[number, Readonly<Record<number, unknown>>]>;
  ff_decode_multi(context: number, packet: number, frame: number, packets: unknown, end: boolean): Promise<Decoded[]>;
}

/** All frames of a WebM file, whose clock counts milliseconds. */
export async function decodeVideo(bytes: Uint8Array): Promise<DecodedFrame[]> {
  const name: string = '@libav.js/variant-webm-vp9';
  const { default: factory } = (await import(name)) as {
    default: { readonly LibAV: (options: object) => Promise<LibAv> };
  };
  const libav = await factory.LibAV({ noworker: true, nothreads: true });
  await libav.av_log_set_level(8);
  await libav.writeFile('video.webm', bytes);
  const [muxer, [stream]] = await libav.ff_init_demuxer_file('video.webm');
  const [, context, packet, frame] = await libav.ff_init_decoder(stream.codec_id, { codecpar: stream.codecpar });
  const [, packets] = await libav.ff_read_frame_multi(muxer, packet);
  const frames = await libav.ff_decode_multi(context, packet, frame, packets[stream.index], true);
  return frames.map((decoded) => ({
    width: decoded.width,
    height: decoded.height,
    milliseconds: decoded.pts,
    planes: withoutPadding(decoded),
  }));
}

function withoutPadding({ width, height, data, layout }: Decoded): Uint8Array {
  const rows = layout.flatMap(({ offset, stride }, plane) => {
    const [across, down] = plane === 0 ? [width, height] : [(width + 1) >> 1, (height + 1) >> 1];
    return Array.from({ length: down }, (_, y) => data.subarray(offset + y * stride, offset + y * stride + across));
  });
  return Buffer.concat(rows);
}

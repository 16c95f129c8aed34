import { decodeImage } from '../../render/images/index.ts';
import { findFrames } from '../frame-names.ts';
import { bytes, print, printJson, Progress } from '../output.ts';
import { readBytes } from '../read.ts';
import { checkOutputs } from '../write.ts';
import { createVideo } from '../video.ts';

export interface EncodeOptions {
  readonly out: string;
  readonly fps: number;
  /** How many there have to be. */
  readonly frames?: number;
  readonly json?: boolean;
}

export async function runEncode(pattern: string, { out, fps, frames: count, json }: EncodeOptions): Promise<void> {
  const frames = await findFrames(pattern, count);
  await checkOutputs({ '--out': out }, frames);
  const progress = new Progress();
  const video = await createVideo(out, fps);
  try {
    for (const [index, file] of frames.entries()) {
      progress.update(`encoding frame ${index + 1} of ${frames.length}`);
      await video.add(await decodeImage(await readBytes(file), 'image/png', file));
    }
    const size = await video.finish();
    progress.done();
    if (json) printJson({ out, frames: frames.length, fps, bytes: size, issues: [] });
    else print(`${out}: ${frames.length} frames at ${fps} per second, ${bytes(size)}`);
  } finally {
    video.discard();
  }
}

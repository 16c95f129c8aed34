// Sequences: numbered pictures, shards of them, videos.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noGpu } from '../support/gpu.ts';
import { decodeVideo } from '../support/decode-video.ts';
import { full, noShared, shared, testInTurn } from '../support/setup.ts';
import { answer } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Sequence {
  readonly frames: readonly string[];
  readonly video?: { readonly file: string; readonly bytes: number };
}

const folder = temporaryFolder();

/** Draws a sequence at once, then in shards; expects the same files, and the same video of them. Returns their bytes. */
async function drawTwice(
  args: readonly string[],
  { frames, fps, shards }: { readonly frames: number; readonly fps: number; readonly shards: number },
): Promise<readonly Buffer[]> {
  const command = ['render', ...args, '--frames', String(frames), '--fps', String(fps)];
  const [out, video] = [path.join(folder, 'whole.png'), path.join(folder, 'whole.webm')];
  const whole = answer<Sequence>([...command, '--out', out, '--video', video]);
  const pattern = path.join(folder, 'shards/%d.png');
  const parts: Sequence[] = [];
  for (let shard = 1; shard <= shards; shard++) {
    parts.push(await answer<Sequence>([...command, '--out', pattern, '--shard', `${shard}/${shards}`]));
  }
  const numbers = Array.from({ length: frames }, (_, i) => i + 1);
  const names = numbers.map((number) => path.join(folder, `whole/${String(number).padStart(4, '0')}.png`));
  expect(await whole).toMatchObject({ out: path.join(folder, 'whole/%04d.png'), frames: names });
  parts.forEach((part, index) => {
    const mine = numbers.filter((number) => number % shards === (index + 1) % shards);
    expect(part.frames).toEqual(mine.map((number) => path.join(folder, `shards/${number}.png`)));
  });
  expect(readdirSync(path.join(folder, 'whole'))).toHaveLength(frames);
  const files = names.map((name) => readFileSync(name));
  files.forEach((bytes, i) => {
    expect(readFileSync(path.join(folder, `shards/${i + 1}.png`)).equals(bytes), `frame ${i + 1}`).toBe(true);
  });

  const later = path.join(folder, 'shards.webm');
  const encoded = await answer(['encode', pattern, '--fps', String(fps), '--out', later]);
  const { length } = readFileSync(video);
  expect(encoded).toMatchObject({ out: later, frames, fps, bytes: length });
  expect((await whole).video).toEqual({ file: video, bytes: length });
  expect(readFileSync(later).equals(readFileSync(video))).toBe(true);
  const times = (await decodeVideo(readFileSync(video))).map(({ milliseconds }) => milliseconds);
  expect(times).toEqual(numbers.map((number) => ((number - 1) * 1000) / fps));
  return files;
}

describe.skipIf(noGpu() || noShared())('render --frames', () => {
  testInTurn(1)('every frame is another; shards draw the same ones, and debug views of motion too', async () => {
    const skin = path.join(shared, 'assets/basics/SimpleSkin.gltf');
    const views = ['--output', 'velocity', '--orbit', '30'];
    const files = await drawTwice([skin, '--count', '3', '--size', '48x32', '--backend', 'cpu', ...views], {
      frames: 4,
      fps: 25,
      shards: 2,
    });
    expect(new Set(files.map((bytes) => bytes.toString('base64'))).size).toBe(4);
  });

  test.runIf(full)('five seconds of a battle, drawn at once and in four shards', { timeout: 1_800_000 }, async () => {
    await drawTwice(['--count', '60', '--size', '160x90'], { frames: 50, fps: 10, shards: 4 });
  });
});

import path from 'node:path';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { decodeVideo } from '../../test/support/decode-video.ts';
import { createVideo, i420 } from './video.ts';

const folder = temporaryFolder();
const [width, height] = [66, 37];

/** A bright square that moves over a gradient. */
function frame(number: number) {
  const data = Uint8Array.from({ length: 4 * width * height }, (_, i) => {
    const [x, y] = [(i >> 2) % width, Math.floor((i >> 2) / width)];
    const isInside = Math.abs(x - 10 - 8 * number) < 6 && Math.abs(y - 18) < 6;
    return [isInside ? 230 : 2 * x, isInside ? 200 : 3 * y, 90, 255][i % 4]!;
  });
  return { width, height, data };
}

function peakSignalToNoise(a: Uint8Array, b: Uint8Array): number {
  return 10 * Math.log10(255 ** 2 / (a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2, 0) / a.length));
}

async function encode(file: string, count: number): Promise<number> {
  const video = await createVideo(file, 25);
  for (let number = 0; number < count; number++) await video.add(frame(number));
  return video.finish();
}

test('frames come back in order, at their times, and nearly as they were; the file is the same each time', async () => {
  const [file, again] = ['a.webm', 'b/again.webm'].map((name) => path.join(folder, name)) as [string, string];
  const size = await encode(file, 6);
  expect(readFileSync(file)).toHaveLength(size);
  expect(await encode(again, 6)).toBe(size);
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);

  const decoded = await decodeVideo(readFileSync(file));
  expect(decoded.map(({ milliseconds }) => milliseconds)).toEqual([0, 40, 80, 120, 160, 200]);
  for (const [number, image] of decoded.entries()) {
    expect([image.width, image.height]).toEqual([width, height]);
    const decibels = [0, 1, 2, 3, 4, 5].map((other) => peakSignalToNoise(image.planes, i420(frame(other))));
    const own = decibels.splice(number, 1)[0]!;
    expect(own).toBeGreaterThan(26); // hard edges in a small picture
    expect(own).toBeGreaterThan(Math.max(...decibels) + 6);
  }
});

test('what is discarded, or fails, leaves no file, and a file that was there as it was', async () => {
  const file = path.join(folder, 'kept.webm');
  writeFileSync(file, 'old');
  const video = await createVideo(file, 30);
  await video.add(frame(0));
  await expect(video.add({ width: 2, height: 2, data: new Uint8Array(16) })).rejects.toMatchObject({
    code: 'VIDEO_FAILED',
  });
  video.discard();
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(existsSync(`${file}.${process.pid}.part`)).toBe(false);
  await expect(createVideo(path.join(file, 'below.webm'), 30)).rejects.toMatchObject({ code: 'FILE_UNWRITABLE' });
});

const filled = (width: number, height: number, rgb: readonly number[]) => ({
  width,
  height,
  data: Uint8Array.from({ length: 4 * width * height }, (_, i) => rgb[i % 4] ?? 255),
});

test.each([
  ['black', [0, 0, 0], [16, 128, 128]],
  ['white', [255, 255, 255], [235, 128, 128]],
  ['red', [255, 0, 0], [63, 102, 240]],
  ['green', [0, 255, 0], [173, 42, 26]],
  ['blue', [0, 0, 255], [32, 240, 118]],
])('%s, as published tables of 8-bit BT.709 have it', (_, rgb, [y, u, v]) => {
  expect(i420(filled(2, 2, rgb))).toEqual(Uint8Array.of(y!, y!, y!, y!, u!, v!));
});

test('chroma is the mean of four pixels, of those that there are at odd edges', () => {
  const half = filled(2, 2, [255, 0, 0]);
  half.data.fill(0, 0, 3).fill(0, 4, 7); // the upper two are black
  expect(Array.from(i420(half))).toEqual([16, 16, 63, 63, 115, 184]);
  const odd = i420(filled(3, 1, [0, 0, 255]));
  expect(Array.from(odd)).toEqual([32, 32, 32, 240, 240, 118, 118]);
});

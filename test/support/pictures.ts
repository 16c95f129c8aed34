import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { encodePng, type RgbaImage } from '../../src/render/images/index.ts';

/** How far apart two pictures are, in codes (0 … 255) of their red, green and blue; alpha is not looked at. */
export interface PictureDifference {
  readonly mean: number;
  readonly max: number;
  /** Share of the pixels that differ at all, and of those that do by more than 8 codes. */
  readonly share: number;
  readonly far: number;
}

/**
 * @param isCompared Leaves pixels out, by index.
 * @throws if the sizes differ
 */
export function comparePictures(
  actual: RgbaImage,
  expected: RgbaImage,
  isCompared: (pixel: number) => boolean = () => true,
): PictureDifference {
  if (actual.width !== expected.width || actual.height !== expected.height) {
    throw new Error(`${actual.width}×${actual.height} pixels, not ${expected.width}×${expected.height}`);
  }
  let [pixels, sum, max, differing, distant] = [0, 0, 0, 0, 0];
  for (let pixel = 0; pixel < actual.width * actual.height; pixel++) {
    if (!isCompared(pixel)) continue;
    pixels++;
    const distances = [0, 1, 2].map((c) => Math.abs(actual.data[4 * pixel + c]! - expected.data[4 * pixel + c]!));
    const most = Math.max(...distances);
    sum += distances.reduce((total, distance) => total + distance, 0);
    max = Math.max(max, most);
    if (most > 0) differing++;
    if (most > 8) distant++;
  }
  return { mean: sum / (3 * pixels), max, share: differing / pixels, far: distant / pixels };
}

/** Whether no neighbour of a pixel differs from it by more than 16 codes: it lies within a surface, not at an edge. */
export function isWithin({ data, width, height }: RgbaImage, pixel: number): boolean {
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return false;
  return [-1, 0, 1].every((dy) =>
    [-1, 0, 1].every((dx) =>
      [0, 1, 2].every((c) => Math.abs(data[4 * (pixel + dy * width + dx) + c]! - data[4 * pixel + c]!) <= 16),
    ),
  );
}

/** Writes `out/<name>-{actual,expected,difference}.png` (differences eightfold) and returns the last one's path. */
export async function writeDifference(name: string, actual: RgbaImage, expected: RgbaImage): Promise<string> {
  const data = actual.data.map((code, i) =>
    i % 4 === 3 ? 255 : Math.min(255, 8 * Math.abs(code - (expected.data[i] ?? 0))),
  );
  await writePicture(`${name}-actual`, actual);
  await writePicture(`${name}-expected`, expected);
  return writePicture(`${name}-difference`, { ...actual, data });
}

/** Writes `out/NAME.png`, to be looked at. Returns its path. */
export async function writePicture(name: string, image: RgbaImage): Promise<string> {
  const file = path.resolve('out', `${name}.png`);
  await mkdir('out', { recursive: true });
  await writeFile(file, await encodePng(image));
  return file;
}

/** Number of different colours. */
export function countColors({ data }: RgbaImage): number {
  const colors = new Set<number>();
  for (let at = 0; at < data.length; at += 4) colors.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
  return colors.size;
}

/** Share of the pixels for whose red, green and blue codes `is` holds. */
export function colorShare({ data }: RgbaImage, is: (red: number, green: number, blue: number) => boolean): number {
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (is(data[at]!, data[at + 1]!, data[at + 2]!)) count++;
  return count / (data.length / 4);
}

/** How many of twelve hues have at least a five hundredth of the picture, in colours that are clearly that. */
export function countHues(image: RgbaImage): number {
  const counts = Array.from({ length: 12 }, () => 0);
  for (let at = 0; at < image.data.length; at += 4) {
    const [r, g, b] = [image.data[at]!, image.data[at + 1]!, image.data[at + 2]!];
    const most = Math.max(r, g, b);
    const chroma = most - Math.min(r, g, b);
    if (chroma < 0.5 * most || chroma < 40) continue;
    const sixth = most === r ? ((g - b) / chroma + 6) % 6 : most === g ? 2 + (b - r) / chroma : 4 + (r - g) / chroma;
    counts[Math.floor(2 * sixth) % 12]!++;
  }
  return counts.filter((count) => 500 * 4 * count >= image.data.length).length;
}

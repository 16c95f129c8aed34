import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { decodeImage } from '../../src/render/index.ts';
import { comparePictures, countColors } from '../support/pictures.ts';
import { full } from '../support/setup.ts';

// compiles for five seconds; in short runs the sequences of the command are tested
test.runIf(full)('the example sequence writes pictures that move, the same in every run', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'maniple-sequence-'));
  try {
    const runs = [];
    for (const out of ['first', 'second'].map((name) => path.join(folder, name))) {
      const options = ['--frames', '3', '--fps', '8', '--width', '160', '--count', '12', '--out', out];
      await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/sequence/render.ts', ...options]);
      const names = (await readdir(out)).sort();
      expect(names).toEqual(['0001.png', '0002.png', '0003.png']);
      runs.push(await Promise.all(names.map((name) => readFile(path.join(out, name)))));
    }
    const pictures = await Promise.all(runs[0]!.map((bytes) => decodeImage(bytes, 'image/png', 'frame')));
    expect(Math.min(...pictures.map(countColors))).toBeGreaterThan(500);
    expect(comparePictures(pictures[0]!, pictures[2]!).share).toBeGreaterThan(0.02);
    expect(runs[1]).toEqual(runs[0]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

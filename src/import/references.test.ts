import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExpectedPoints, importFile, restBounds, worstDistance } from '../../test/import/pose-model.ts';
import { noShared, shared } from '../../test/support/setup.ts';
import { stopwatch } from '../../test/support/stopwatch.ts';

interface Reference {
  readonly clips: readonly {
    readonly index: number;
    readonly name: string;
    readonly samples: readonly { readonly t: number; readonly points: readonly ExpectedPoints[] }[];
  }[];
}

/** What an independent reading of the file found. */
interface Catalogued {
  readonly file: string;
  readonly restBounds: readonly [number, number, number, number, number, number];
  readonly maxInfluences: number;
  readonly morphTargets: number;
  readonly clips: readonly { readonly name: string; readonly dur: number }[];
}

/** Of the model's size. The references are printed with seven digits; keys and positions are 32-bit floats. */
const TOLERANCE = 1e-6;

/** For any file of the collection, on two cores that other tests keep busy. */
const TIME_LIMIT_MS = 3_000;

const assets = path.join(shared, 'assets');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(assets, file), 'utf8'));

describe.skipIf(noShared())('the files of the collection, read by others', () => {
  const catalogue = noShared() ? [] : (read('assets.json') as Catalogued[]);

  it('has all 34', () => expect(catalogue).toHaveLength(34));

  it.each(catalogue)('$file', async ({ file, ...catalogued }) => {
    const elapsed = stopwatch();
    const model = await importFile(path.join(assets, file));
    expect(elapsed()).toBeLessThan(TIME_LIMIT_MS);

    // theirs are of a sample of the vertices: inside ours, and near
    const { low, high, size } = restBounds(model);
    for (let axis = 0; axis < 3; axis++) {
      for (const slack of [catalogued.restBounds[axis]! - low[axis]!, high[axis]! - catalogued.restBounds[3 + axis]!]) {
        expect(slack / size).toBeGreaterThan(-TOLERANCE);
        expect(slack / size).toBeLessThan(0.02);
      }
    }
    expect(model.clips.map(({ name }) => name)).toEqual(
      catalogued.clips.map(({ name }) => (/^#\d+$/.test(name) ? '' : name)),
    );
    model.clips.forEach(({ duration }, i) => expect(duration).toBeCloseTo(catalogued.clips[i]!.dur, 3));
    let mostInfluences = 0;
    for (const { influences, vertexCount } of model.meshes) {
      for (let v = 0; v < vertexCount; v++) {
        mostInfluences = Math.max(mostInfluences, influences.offsets[v + 1]! - influences.offsets[v]!);
      }
    }
    expect(mostInfluences).toBe(Math.max(1, catalogued.maxInfluences));
    expect(Math.max(0, ...model.morphSets.map(({ weights }) => weights.length))).toBe(catalogued.morphTargets);

    const reference = read(`reference/${file.replaceAll('/', '__')}.json`) as Reference;
    for (const { index, name, samples } of reference.clips) {
      const clip = model.clips[index]!;
      expect(clip.name).toBe(name);
      for (const { t, points } of samples) {
        expect(worstDistance(model, clip, t, points) / size, `${name} at ${t} s`).toBeLessThan(TOLERANCE);
      }
    }
  });
});

import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { Random } from '../../../test/support/random.ts';
import { SEEDS, describeCase, randomCharacters } from '../../../test/support/random-rigs.ts';
import { sample } from '../../../test/support/setup.ts';
import { StageScene } from '../../../test/support/stage-scene.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';

/** Written before, to see what a stage leaves alone. */
const UNTOUCHED = 0x7f7f7f7f;

const read = (unpack: typeof unpackOctahedral, word: number) => {
  const out = [0, 0, 0, 1];
  unpack(word, out);
  return out;
};

const chord = (a: readonly number[], b: readonly number[]) => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);

describe.skipIf(noGpu())('skin-vertices against its twin (metric 1e-5 of size; normals 2e-4)', () => {
  // each seed compiles kernels: the short run takes every ninth of its seeds
  test.each(sample(SEEDS, 9))('random meshes, influences, morph targets and parts: seed %i', async (seed) => {
    const random = new Random(seed);
    const characters = randomCharacters(seed);
    const { device } = await testDevice();
    // two batches at once
    const wideSkins = seed % 4 === 3 && device.limits.maxComputeInvocationsPerWorkgroup >= 512;
    const scene = new StageScene(characters, {
      each: random.integer(1, 6),
      unposed: 1,
      motionCapacity: 1,
      kernels: { serialPoses: true, cachedPalettes: seed % 3 !== 0, wideSkins },
    });
    const { places, visible, arrays } = scene;
    for (let i = 0; i < visible.count; i++) {
      if (!random.chance(0.6)) visible.set(i, 'parts', [random.integer(0, 7), 0xffffffff]);
    }
    arrays.skinned.fill(UNTOUCHED);
    arrays.skinnedTangents.fill(UNTOUCHED);
    const palettes = new Float32Array(arrays.palettes.buffer);
    for (const { type, posed, paletteRow } of places) if (posed) writePalette(palettes, type, 4 * paletteRow, random);
    // one is scaled to nothing: its normals have no direction
    const [, shrunk] = places.filter(({ posed }) => posed);
    if (shrunk) palettes.fill(0, 4 * shrunk.paletteRow, 4 * (shrunk.paletteRow + 3 * shrunk.type.paletteCount));
    const [twin, gpu] = [scene.onTwin('skin-vertices'), await scene.onGpu(device, 'skin-vertices')];
    const [expected, actual] = [new Float32Array(twin.skinned.buffer), new Float32Array(gpu.skinned.buffer)];
    const worst = { position: 0, normal: 0, tangent: 0 };
    for (const { type, posed, vertexOffset: first } of places) {
      if (!posed) continue; // written by neither, as below
      const { character } = type;
      const { skinTraits } = type.levels[0]!;
      for (let v = first; v < first + character.vertexCount; v++) {
        const p = (values: Float32Array) => Array.from(values.subarray(4 * v, 4 * v + 3));
        worst.position = Math.max(worst.position, chord(p(expected), p(actual)) / character.size);
        const n = (words: Uint32Array) => read(unpackOctahedral, words[4 * v + 3]!);
        worst.normal = Math.max(worst.normal, chord(n(twin.skinned), n(gpu.skinned)));
        if (!skinTraits.tangents) continue;
        const [a, b] = [read(unpackTangent, twin.skinnedTangents[v]!), read(unpackTangent, gpu.skinnedTangents[v]!)];
        worst.tangent = Math.max(worst.tangent, chord(a, b));
        expect(b[3], `${describeCase(seed, characters)}, handedness of ${v}`).toBe(a[3]);
      }
    }
    const label = `${describeCase(seed, characters)}: ${JSON.stringify(worst)}`;
    expect(worst.position, label).toBeLessThan(1e-5);
    expect(worst.normal, label).toBeLessThan(2e-4);
    expect(worst.tangent, label).toBeLessThan(3e-4);
    // what no shown part owns, who is not posed, and what lies between slots, is left alone by both
    const written = (words: Uint32Array) => words.map((word) => Number(word !== UNTOUCHED));
    expect(written(gpu.skinned), label).toEqual(written(twin.skinned));
    expect(written(gpu.skinnedTangents), label).toEqual(written(twin.skinnedTangents));
  });
});

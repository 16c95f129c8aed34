import { describe, expect, test } from 'vitest';
import { groupThreadsFor, noGpu, testDevice } from '../../../test/support/gpu.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { Random } from '../../../test/support/random.ts';
import { SEEDS, describeCase, randomCharacters } from '../../../test/support/random-rigs.ts';
import { sample } from '../../../test/support/setup.ts';
import { StageScene, vertexIn } from '../../../test/support/stage-scene.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';

type Vertex = ReturnType<typeof vertexIn>;

/** Written before, to see what a stage leaves alone. */
const UNTOUCHED = 0x7f7f7f00;

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
      kernels: {
        serialPoses: true,
        cachedPalettes: seed % 3 !== 0,
        wideSkins,
        groupThreads: wideSkins ? 256 : groupThreadsFor(seed),
      },
    });
    const { places, visible, arrays } = scene;
    for (let i = 0; i < visible.count; i++) {
      if (!random.chance(0.6)) visible.set(i, 'parts', [random.integer(0, 7), 0xffffffff]);
    }
    arrays.skinned.fill(UNTOUCHED);
    const palettes = new Float32Array(arrays.palettes.buffer);
    for (const { type, posed, paletteRow } of places) if (posed) writePalette(palettes, type, 4 * paletteRow, random);
    // one is scaled to nothing: its normals have no direction
    const [, shrunk] = places.filter(({ posed }) => posed);
    if (shrunk) palettes.fill(0, 4 * shrunk.paletteRow, 4 * (shrunk.paletteRow + 3 * shrunk.type.paletteCount));
    const [twin, gpu] = [scene.onTwin('skin-vertices'), await scene.onGpu(device, 'skin-vertices')];
    const worst = { position: 0, normal: 0, tangent: 0 };
    for (const place of places) {
      const { type, posed } = place;
      if (!posed) continue; // written by neither, as below
      const { character } = type;
      const { skinTraits } = type.levels[0]!;
      for (let v = 0; v < character.vertexCount; v++) {
        const [expected, actual] = [twin, gpu].map(({ skinned }) => vertexIn(skinned, place, v)) as [Vertex, Vertex];
        worst.position = Math.max(worst.position, chord(expected.position, actual.position) / character.size);
        const n = ({ normal }: Vertex) => read(unpackOctahedral, normal);
        worst.normal = Math.max(worst.normal, chord(n(expected), n(actual)));
        if (!skinTraits.tangents) continue;
        const [a, b] = [read(unpackTangent, expected.tangent), read(unpackTangent, actual.tangent)];
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
  });
});

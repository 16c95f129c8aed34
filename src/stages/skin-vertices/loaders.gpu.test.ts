import { describe, expect } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { FORMATS, MISSING, formatOf, matrixModel } from '../../../test/support/vertex-formats.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { Random } from '../../../test/support/random.ts';
import { full, runSeed, testInTurn } from '../../../test/support/setup.ts';
import { StageScene } from '../../../test/support/stage-scene.ts';
import { readBaked, writeBaked } from '../../character/file/index.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';

/** Written before, to see what a stage leaves alone. */
const UNTOUCHED = 0x7f7f7f7f;

const chord = (a: readonly number[], b: readonly number[]) => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);
const read = (unpack: typeof unpackOctahedral, word: number) => {
  const out = [0, 0, 0, 1];
  unpack(word, out);
  return out;
};

const formats = Object.keys(FORMATS);
// software compiles cached variants slowly
const caches = full ? [false, true] : [false];

describe.skipIf(noGpu()).each(caches)(
  'every loader against the twin (metric 1e-5 of size; normals 2e-4), cached palettes: %s',
  (cachedPalettes) => {
    testInTurn(0)(
      `${formats.length} formats × 0, 1, 4, 8, 255 influences × 0, 1, 8 morphs × missing ones`,
      async () => {
        const seed = runSeed;
        const random = new Random(seed);
        const characters = Object.keys(MISSING).map((missing) => {
          const packed = packCharacter(matrixModel(random, formats, missing), { vertexFormat: formatOf });
          // what the strict reader lets through is what the kernels get
          return readBaked(writeBaked(packed));
        });
        const each = full ? 2 : 1;
        const kernels = { serialPoses: true, cachedPalettes };
        const scene = new StageScene(characters, { each, motionCapacity: 1, kernels });
        const { places, arrays } = scene;
        arrays.skinned.fill(UNTOUCHED);
        arrays.skinnedTangents.fill(UNTOUCHED);
        const palettes = new Float32Array(arrays.palettes.buffer);
        for (let i = 0; i < places.length; i++) {
          writePalette(palettes, places[i]!.type, 4 * places[i]!.paletteRow, random);
        }
        const { device } = await testDevice();
        const [twin, gpu] = [scene.onTwin('skin-vertices'), await scene.onGpu(device, 'skin-vertices')];
        const [expected, actual] = [new Float32Array(twin.skinned.buffer), new Float32Array(gpu.skinned.buffer)];
        let compared = 0;
        for (let i = 0; i < places.length; i++) {
          const { character, levels } = places[i]!.type;
          const { skinTraits } = levels[0]!;
          for (const { name, firstVertex, vertexCount } of character.primitives) {
            for (let v = firstVertex; v < firstVertex + vertexCount; v++) {
              const at = places[i]!.vertexOffset + v;
              const label = `seed ${seed}, ${character.name}, ${name}, vertex ${v - firstVertex}`;
              const p = (values: Float32Array) => Array.from(values.subarray(4 * at, 4 * at + 3));
              expect(chord(p(expected), p(actual)), label).toBeLessThan(1e-5 * character.size);
              const n = (words: Uint32Array) => read(unpackOctahedral, words[4 * at + 3]!);
              expect(chord(n(twin.skinned), n(gpu.skinned)), label).toBeLessThan(2e-4);
              compared++;
              if (!skinTraits.tangents) continue;
              const t = (words: Uint32Array) => read(unpackTangent, words[at]!);
              const [a, b] = [t(twin.skinnedTangents), t(gpu.skinnedTangents)];
              expect(chord(a, b), label).toBeLessThan(3e-4);
              expect(b[3], label).toBe(a[3]);
            }
          }
        }
        expect(compared).toBe(each * Object.keys(MISSING).length * formats.length * 15 * 7);
        const written = (words: Uint32Array) => words.map((word) => Number(word !== UNTOUCHED));
        expect(written(gpu.skinned)).toEqual(written(twin.skinned));
        expect(written(gpu.skinnedTangents)).toEqual(written(twin.skinnedTangents));
      },
    );
  },
);

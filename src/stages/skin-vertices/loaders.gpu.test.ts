import { describe, expect } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { FORMATS, MISSING, formatOf, matrixModel } from '../../../test/support/vertex-formats.ts';
import { writePalette } from '../../../test/support/random-palette.ts';
import { Random } from '../../../test/support/random.ts';
import { full, runSeed, testInTurn } from '../../../test/support/setup.ts';
import { StageScene, vertexIn } from '../../../test/support/stage-scene.ts';
import { readBaked, writeBaked } from '../../character/file/index.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { unpackOctahedral, unpackTangent } from '../../math/packing.ts';

type Vertex = ReturnType<typeof vertexIn>;

/** Written before, to see what a stage leaves alone. */
const UNTOUCHED = 0x7f7f7f00;

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
        const palettes = new Float32Array(arrays.palettes.buffer);
        for (let i = 0; i < places.length; i++) {
          writePalette(palettes, places[i]!.type, 4 * places[i]!.paletteRow, random);
        }
        const { device } = await testDevice();
        const [twin, gpu] = [scene.onTwin('skin-vertices'), await scene.onGpu(device, 'skin-vertices')];
        let compared = 0;
        for (let i = 0; i < places.length; i++) {
          const { character, levels } = places[i]!.type;
          const { skinTraits } = levels[0]!;
          for (const { name, firstVertex, vertexCount } of character.primitives) {
            for (let v = firstVertex; v < firstVertex + vertexCount; v++) {
              const [expected, actual] = [twin, gpu].map(({ skinned }) => vertexIn(skinned, places[i]!, v)) as [
                Vertex,
                Vertex,
              ];
              const label = `seed ${seed}, ${character.name}, ${name}, vertex ${v - firstVertex}`;
              expect(chord(expected.position, actual.position), label).toBeLessThan(1e-5 * character.size);
              const n = ({ normal }: Vertex) => read(unpackOctahedral, normal);
              expect(chord(n(expected), n(actual)), label).toBeLessThan(2e-4);
              compared++;
              if (!skinTraits.tangents) continue;
              const [a, b] = [read(unpackTangent, expected.tangent), read(unpackTangent, actual.tangent)];
              expect(chord(a, b), label).toBeLessThan(3e-4);
              expect(b[3], label).toBe(a[3]);
            }
          }
        }
        expect(compared).toBe(each * Object.keys(MISSING).length * formats.length * 15 * 7);
        const written = (words: Uint32Array) => words.map((word) => Number(word !== UNTOUCHED));
        expect(written(gpu.skinned)).toEqual(written(twin.skinned));
      },
    );
  },
);

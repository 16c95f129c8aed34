import { describe, expect, test } from 'vitest';
import { noGpu, testDevice } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { runSeed, some } from '../../../test/support/setup.ts';
import { randomModel } from '../../../test/support/random-model.ts';
import { packPosition } from '../../math/packing.ts';
import { StageScene, type SceneArrays, vertexIn } from '../../../test/support/stage-scene.ts';
import { GeometryHeader, LOADER_VARIABLE, SkinBatch } from '../../character/format/geometry-layout.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { View } from '../../layout/index.ts';

/** Palette entries: the vertices of these tests are moved by A and B; P holds nothing but NaN. */
const [A, B, P] = [0, 1, 2];
const UNTOUCHED = 0x7f7f7f00;

/** Weights in units of 1/65,535, of which thirds and fifths are whole numbers. */
const ONE = 65535;
const [THIRD, FIFTH] = [ONE / 3, ONE / 5];

type Influence = readonly [entry: number, units: number];

/** Influences as they stand in memory, and those of them that count. */
const CASES: readonly { name: string; stored: readonly Influence[]; counts: readonly Influence[] }[] = [
  {
    name: 'no weight at all',
    stored: [
      [P, 0],
      [P, 0],
      [P, 0],
      [P, 0],
    ],
    counts: [],
  },
  {
    name: 'the first is 1',
    stored: [
      [A, ONE],
      [P, 0],
      [P, 0],
      [P, 0],
    ],
    counts: [[A, ONE]],
  },
  {
    name: 'the first is 1, more follow',
    stored: [
      [A, ONE],
      [P, FIFTH],
      [P, 1],
      [P, ONE],
    ],
    counts: [[A, ONE]],
  },
  {
    name: 'two sum to 1, more follow',
    stored: [
      [A, 2 * THIRD],
      [B, THIRD],
      [P, FIFTH],
      [P, 1],
    ],
    counts: [
      [A, 2 * THIRD],
      [B, THIRD],
    ],
  },
  {
    name: 'three sum to 1, one follows',
    stored: [
      [A, THIRD],
      [B, THIRD],
      [A, THIRD],
      [P, ONE],
    ],
    counts: [
      [A, 2 * THIRD],
      [B, THIRD],
    ],
  },
  {
    name: 'four sum to 1',
    stored: [
      [B, 2 * FIFTH],
      [B, FIFTH],
      [A, FIFTH],
      [A, FIFTH],
    ],
    counts: [
      [A, 2 * FIFTH],
      [B, 3 * FIFTH],
    ],
  },
];

/** A scene of one character whose first vertices have the influences of CASES. */
function sceneOf(variable: boolean, cachedPalettes: boolean): StageScene {
  const random = new Random(runSeed);
  const model = randomModel(random, {
    joints: 8,
    depth: 3,
    influences: variable ? 6 : 4,
    morphs: 0,
    clips: 1,
    vertices: 300,
    scales: false,
    meshes: 1,
    keys: 2,
    interpolations: ['LINEAR'],
  });
  const scene = new StageScene([packCharacter(model)], {
    each: 1,
    motionCapacity: 1,
    kernels: { serialPoses: true, cachedPalettes },
  });
  scene.arrays.skinned.fill(UNTOUCHED);
  const [type] = scene.tables.types;
  expect(type!.levels[0]!.skinTraits.unmoved).toBe(true);
  expect(type!.character.batchRuns[0]!.variant & LOADER_VARIABLE).toBe(Number(variable));
  const { geometry } = scene.tables;
  const header = new View(GeometryHeader, geometry.buffer, 0, 1);
  const batch = new View(SkinBatch, geometry.buffer, 16 * header.get(0, 'batchRow'), 1);
  batch.set(0, 'influenceCount', 4);
  const floats = new Float32Array(geometry.buffer);
  CASES.forEach(({ stored, counts }, v) => {
    if (variable) {
      const pair = 4 * v;
      const count = counts.length > 0 ? stored.length : 0;
      geometry[batch.get(0, 'influence') + v] = ((count << 24) | pair) >>> 0;
      stored.forEach(([entry, units], i) => {
        const at = header.get(0, 'influencePairWord') + 2 * (pair + i);
        geometry[at] = entry;
        floats[at + 1] = units / ONE;
      });
      return;
    }
    const words = new Uint16Array(geometry.buffer, 16 * (batch.get(0, 'influence') + v), 8);
    stored.forEach(([entry, units], i) => {
      words[i] = entry;
      words[4 + i] = units;
    });
  });
  const palettes = new Float32Array(scene.arrays.palettes.buffer);
  const first = 4 * scene.places[0]!.paletteRow;
  palettes.set([1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0], first + 12 * A);
  palettes.set([1, 0, 0, 0, 0, 1, 0, -2, 0, 0, 1, 0], first + 12 * B);
  palettes.fill(NaN, first + 12 * P, first + 12 * type!.paletteCount);
  return scene;
}

describe.skipIf(noGpu()).each(['twin', 'gpu'] as const)('weights that already sum to 1 end the loop: %s', (where) => {
  const cases = [
    ['four influences, cached palettes', false, true],
    ['four influences, stored palettes', false, false],
    ['any number of influences, cached palettes', true, true],
    ['any number of influences, stored palettes', true, false],
  ] as const;
  // neighbours: one of either kind of palettes, and of either kind of influences or of one
  test.each(where === 'gpu' ? some(cases, 2) : cases)('%s', async (_, variable, cachedPalettes) => {
    const scene = sceneOf(variable, cachedPalettes);
    const after: SceneArrays =
      where === 'twin'
        ? scene.onTwin('skin-vertices')
        : await scene.onGpu((await testDevice()).device, 'skin-vertices');
    const { geometry } = scene.tables;
    const header = new View(GeometryHeader, geometry.buffer, 0, 1);
    const sources = new Float32Array(geometry.buffer);
    CASES.forEach(({ name, counts }, v) => {
      const from = 4 * (header.get(0, 'positionRow') + v);
      const vertex = vertexIn(after.skinned, scene.places[0]!, v);
      const share = (entry: number) => counts.reduce((sum, [e, units]) => sum + (e === entry ? units / ONE : 0), 0);
      const expected = [sources[from]! + 3 * share(A), sources[from + 1]! - 2 * share(B), sources[from + 2]!];
      for (let c = 0; c < 3; c++) expect(vertex.position[c], `${name}: ${'xyz'[c]}`).toBeCloseTo(expected[c]!, 4);
      if (counts.length > 0) return;
      // unchanged: the same bits, normal and tangent included
      expect(packPosition(vertex.position), name).toEqual(packPosition(sources, from));
      expect(vertex.normal, name).toBe(geometry[from + 3]);
      expect(vertex.tangent, name).toBe(geometry[header.get(0, 'tangentWord') + v]);
    });
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { composeJoints, evaluateMorphWeights, evaluateVertices, restPose } from '../../character/evaluate.ts';
import type { CharacterModel } from '../../character/model.ts';
import { packCharacter } from '../../character/pack/index.ts';
import { importGltf } from '../../import/gltf/import-gltf.ts';
import { unpackOctahedral } from '../../math/packing.ts';
import { RESIDENT_NONE } from '../../stages/layout.ts';
import { noShared, shared } from '../../../test/support/setup.ts';
import { layOutStatics } from './lay-out.ts';
import { packScenery, restModel } from '../../character/pack-scenery.ts';
import { unpackVertices } from '../../frame/tables/unpack-vertices.ts';

const load = (file: string): Promise<CharacterModel> =>
  importGltf({
    name: path.basename(file),
    bytes: new Uint8Array(readFileSync(file)),
    resolve: (relative) => Promise.resolve(new Uint8Array(readFileSync(path.join(path.dirname(file), relative)))),
  });

const asset = (name: string) => path.join(shared, 'assets', name);
const still = { position: [0, 0, 0], rotation: [0, 0, 0, 1], scale: 1 } as const;

describe.skipIf(noShared())('scenery made of a character', () => {
  test.each([
    'basics/RiggedSimple.glb', // a skin below nodes that turn and scale
    'basics/AnimatedMorphCube.glb', // morph targets, a node that scales
    'characters/kenney-platformer-character.glb', // parts without a skin
  ])('%s: rows are its vertices at rest', async (file) => {
    const model = await load(asset(file));
    const character = packScenery(model);
    const { skinned } = layOutStatics([{ character, places: [still] }]);
    const floats = new Float32Array(unpackVertices(skinned.subarray(0, skinned.length / 2)).buffer);
    const wanted = model.meshes.flatMap((mesh) =>
      Array.from(
        evaluateVertices(model, mesh, composeJoints(model, restPose(model)), evaluateMorphWeights(model, undefined, 0)),
      ),
    );
    expect(skinned.length / 4).toBe(wanted.length / 3);
    const worst = wanted.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - floats[4 * Math.floor(i / 3) + (i % 3)]!)),
      0,
    );
    // a position has 19 bits
    expect(worst).toBeLessThan(4e-6 * character.size);
    expect(character.clips).toEqual([]);
    expect(character.influenceHistogram).toEqual([skinned.length / 4]);
  });

  test('normals stay square to their triangles, also where joints stretch and mirror', async () => {
    const model = await load(asset('basics/AnimatedMorphCube.glb'));
    const [root, ...joints] = model.joints;
    const stretched = { ...model, joints: [{ ...root!, scale: [3, 0.5, -1] as const }, ...joints] };
    for (const mesh of restModel(stretched).meshes) {
      const at = (list: Float32Array, v: number) => [list[3 * v]!, list[3 * v + 1]!, list[3 * v + 2]!];
      for (let i = 0; i < mesh.indices.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => at(mesh.positions, mesh.indices[i + k]!)) as [
          number[],
          number[],
          number[],
        ];
        const normal = at(mesh.normals, mesh.indices[i]!);
        for (const corner of [b, c]) {
          const edge = corner.map((x, k) => x - a[k]!);
          const along = edge.reduce((sum, x, k) => sum + x * normal[k]!, 0) / Math.hypot(...edge);
          expect(Math.abs(along)).toBeLessThan(1e-3);
        }
      }
    }
  });
});

describe('laid out', () => {
  const folder = path.resolve('props');

  test('a row per place, in runs by type; vertices once each; an octahedral normal after each position', async () => {
    const [rock, bush] = [
      packScenery(await load(path.join(folder, 'boulder.glb'))),
      packScenery(await load(path.join(folder, 'bush.glb'))),
    ];
    const place = (x: number) => ({ position: [x, 0, 2 * x] as const, rotation: [0, 1, 0, 0] as const, scale: x });
    const { visible, transforms, residents, runs, skinned, bounds } = layOutStatics([
      { character: rock, places: [place(1), place(2)] },
      { character: bush, places: [place(3)] },
      { character: rock, places: [place(4)] },
    ]);
    expect(runs.map(({ type, firstRow, rowCount }) => [type.character.name, firstRow, rowCount])).toEqual([
      ['boulder.glb', 0, 3],
      ['bush.glb', 3, 1],
    ]);
    expect(skinned.length / 4).toBe(rock.vertexCount + bush.vertexCount);
    for (const [row, x] of [1, 2, 4, 3].entries()) {
      expect(visible.get(row, 'character')).toBe(row);
      const first = row < 3 ? 0 : rock.vertexCount;
      expect(visible.get(row, 'currentVertexOffset')).toBe(first);
      expect(visible.get(row, 'previousVertexOffset')).toBe(first);
      expect(visible.get(row, 'geometryRow') > 0).toBe(row === 3);
      expect(Array.from(transforms.get(row, 'position'))).toEqual([x, 0, 2 * x]);
      expect(transforms.get(row, 'scale')).toBe(x);
      expect(residents.get(row, 'typeIndex')).toBe(RESIDENT_NONE);
    }
    for (let v = 0; v < skinned.length / 4; v++) {
      const normal = [0, 0, 0];
      unpackOctahedral(skinned[4 * v + 3]!, normal);
      expect(Math.hypot(...normal)).toBeCloseTo(1, 4);
    }
    // half a turn about y: what was at −x is at +x
    expect(bounds!.max[0]).toBeCloseTo(Math.max(4 - 4 * rock.bounds.min[0]!, 3 - 3 * bush.bounds.min[0]!), 4);
    expect(bounds!.min[1]).toBeCloseTo(Math.min(4 * rock.bounds.min[1]!, 3 * bush.bounds.min[1]!), 4);
  });

  test('no pieces give no scenery; invalid transforms and characters that joints move are refused', async () => {
    expect(layOutStatics([])).toMatchObject({ runs: [], bounds: undefined });
    const model = await load(path.join(folder, 'stones.glb'));
    const stones = packScenery(model);
    const refused = expect.objectContaining({ code: 'CROWD_BAD_ARGUMENT' });
    for (const wrong of [{ scale: 0 }, { rotation: [0, 0, 0, 2] }, { position: [NaN, 0, 0] }] as const) {
      expect(() => layOutStatics([{ character: stones, places: [{ ...still, ...wrong }] }])).toThrow(refused);
    }
    expect(() => layOutStatics([{ character: packCharacter(model), places: [still] }])).toThrow(refused);
  });
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CharacterModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { characterFromGltf } from '../../src/three/from-three/character-from-gltf.ts';
import { modelFromThree } from '../../src/three/from-three/model-from-three.ts';
import { referencedFiles } from '../support/references.ts';
import { full, noShared, sample, shared } from '../support/setup.ts';
import { loadWithThree } from '../support/three-judge.ts';
import { worstDistance } from '../support/three-scene.ts';

/** What three's loader does not load here, or shows otherwise than glTF says and than a crowd can. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  'basics/SimpleSkin.gltf':
    'its rotations are not of unit length, and three makes matrices of them that are not rotations',
  'characters/astronaut-bee-draco.glb': 'the Draco decoder of three.js runs in a browser’s worker',
  'creatures/bee.glb': 'twelve vertices have NaN weights, which three.js passes on to their positions',
};

/** Shares of a clip's duration: its start, times that fall between keys, and its end. */
const MOMENTS = [0, 0.137, 0.413, 0.789, 1];
/** Clips that are played of a file that has more. */
const CLIPS = full ? 3 : 1;
/** Distance of a vertex as a share of the character's size; what packing may cost is 5.6e-5 of it. */
const LIMIT = 6e-5;

test('parts of a file have the names that the importer gives them', async () => {
  const file = path.resolve('characters/legionary.glb');
  const theirs = modelFromThree(await loadWithThree(file));
  const ours = await importGltf({ name: 'legionary', bytes: await readFile(file) });
  const told = ({ meshes, materials }: CharacterModel) =>
    meshes.map(({ nodeName, primitiveIndex, materialIndex }) =>
      [nodeName, primitiveIndex, materials[materialIndex]?.name].join(' '),
    );
  expect(told(theirs).sort()).toEqual(told(ours).sort());
  expect(packCharacter(theirs, { clips: [] }).parts).toContain('Pilum');
});

describe.skipIf(noShared())('what three’s loader makes of a file', () => {
  const files = referencedFiles().filter(({ file }) => !(file in NOT_COMPARED));

  test.each(sample(files, 10))('$file is as a character where three.js shows it', async ({ file, size }) => {
    const gltf = await loadWithThree(path.join(shared, 'assets', file));
    const last = gltf.animations.length - 1;
    const clips = [
      ...new Set(Array.from({ length: CLIPS }, (_, i) => Math.round((last * i) / Math.max(1, CLIPS - 1)))),
    ];
    const character = characterFromGltf(gltf, { clips });
    const moments = clips.flatMap((clip, i) =>
      MOMENTS.map((share) => ({ clip: i, time: share * gltf.animations[clip]!.duration })),
    );
    const source = { scene: gltf.scene, animations: clips.map((clip) => gltf.animations[clip]!) };
    const rest = { clip: undefined, time: 0 };
    expect(await worstDistance(source, character, [rest, ...moments])).toBeLessThan(LIMIT * size);
    expect(character.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

// What characters can be made of, and what they are called.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AnimationClip, BoxGeometry, Group, type Object3D, SphereGeometry, VectorKeyframeTrack } from 'three';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { describe, expect, test } from 'vitest';
import { addSockets } from '../../src/index.ts';
import { characterFromGltf } from '../../src/three/from-three/character-from-gltf.ts';
import { modelFromThree } from '../../src/three/from-three/model-from-three.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { noShared, shared } from '../support/setup.ts';
import { parseGlb } from '../support/three-files.ts';
import { named, plainMesh } from '../support/three-objects.ts';
import { worstDistance } from '../support/three-scene.ts';

const clip = new AnimationClip('up', 1, [new VectorKeyframeTrack('box.position', [0, 1], [0, 0, 0, 0, 1, 0])]);

const box = (name: string) => plainMesh(new BoxGeometry(), name);

describe('a source', () => {
  test('may be an object with its clips, or an object and clips', () => {
    const scene = named(new Group(), 'robot', box('box'));
    scene.animations = [clip];
    const names = (source: Parameters<typeof modelFromThree>[0]) =>
      modelFromThree(source).clips.map(({ name }) => name);
    expect(names(scene)).toEqual(['up']);
    expect(names({ scene })).toEqual(['up']);
    expect(names({ scene, animations: [] })).toEqual([]);
  });

  test.each<[name: string, scene: Object3D]>([
    ['Knight', named(new Group(), 'Knight', box('Cube'))],
    ['Knight', named(new Group(), 'Scene', named(new Group(), 'Knight', box('Cube.001')))],
    [
      'Knight',
      named(
        new Group(),
        'Scene',
        named(new Group(), 'RobotArmature', box('Cube'), plainMesh(new SphereGeometry(), 'Knight')),
      ),
    ],
    ['Knight', named(new Group(), '', box('Knight'))],
    ['Knight', named(new Group(), '', named(new Group(), 'Rig', box('Knight_Body'), box('Knight_Head'), box('Sword')))],
    ['Scene', named(new Group(), 'Scene', box('Mesh_0'))],
    ['three', named(new Group(), '', box(''))],
  ])('is called %s by what says most', (name, scene) => {
    expect(modelFromThree({ scene }).name).toBe(name);
    expect(modelFromThree({ scene }, { name: 'Ann' }).name).toBe('Ann');
  });

  test('of several files is called as its buffer', async () => {
    const built = new GltfBuilder();
    built.scenes.push({ name: 'Scene', nodes: [built.meshNode([built.triangle()])] });
    const gltf = await parseGlb(built.glb());
    const { json } = gltf.parser as { json: { buffers: { uri?: string }[] } };
    json.buffers[0]!.uri = 'models/guard.bin';
    expect(characterFromGltf(gltf).name).toBe('guard');
    expect(() => addSockets(characterFromGltf(gltf), ['hand'])).toThrow(/at guard: There is no joint "hand"/);
  });
});

test.skipIf(noShared())('models of FBXLoader are where three.js shows them', async () => {
  const bytes = await readFile(path.join(shared, 'rigs/fbx/quaternius-knight.fbx'));
  const fbx = new FBXLoader().parse(new Uint8Array(bytes).buffer, '');
  const run = fbx.animations.findIndex(({ name }) => /run/i.test(name));
  const character = characterFromGltf(fbx, { clips: [run] });
  expect([character.name, character.clips.length]).toEqual(['Knight', 1]);
  const { duration } = fbx.animations[run]!;
  const moments = [0.2, 0.7].map((share) => ({ clip: 0, time: share * duration }));
  const source = { scene: fbx, animations: [fbx.animations[run]!] };
  expect(await worstDistance(source, character, moments)).toBeLessThan(6e-5 * character.size);
});

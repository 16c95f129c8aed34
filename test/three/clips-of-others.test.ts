// Clips of other files for what three has loaded: objects of its loaders, and models of the importer.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AnimationClip, Bone, Group, QuaternionKeyframeTrack } from 'three';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { afterEach, expect, test, vi } from 'vitest';
import { defineController } from '../../src/controller/index.ts';
import { importModel, loadModel } from '../../src/import/index.ts';
import { characterFromGltf, characterFromGltfAsync, type ThreeSource } from '../../src/three/index.ts';
import { humanoidText, SQUAT } from '../import/unity-humanoid.ts';
import { legionary } from '../cli/maniple.ts';
import { noShared, shared } from '../support/setup.ts';
import { thrownBy } from '../support/thrown-by.ts';
import { loadWithThree } from '../support/three-judge.ts';

const gltf = await loadWithThree(path.resolve(legionary));
const model = await loadModel(legionary);
const squat = await importModel(new TextEncoder().encode(humanoidText(SQUAT)));
const namesOf = ({ clips }: { clips: readonly { name: string }[] }): string[] => clips.map(({ name }) => name);

test('a model is retargeted, and says so', async () => {
  const character = await characterFromGltfAsync(gltf, { clips: ['idle', squat] });
  expect(namesOf(character)).toEqual(['idle', 'Made']);
  expect(character.unpackedClips).not.toContain('Made');
  const codes = character.issues.map(({ code }) => code);
  expect(codes).toContain('CLIP_RETARGETED');
  expect(codes).toContain('CLIP_APPROXIMATE');
});

test('an object of the same skeleton without meshes moves as it does; without names all own clips are packed', async () => {
  const scene = new Group();
  const bones = model.joints.map(({ name, translation, rotation, scale }) => {
    const bone = new Bone();
    bone.name = name;
    bone.position.set(...translation);
    bone.quaternion.set(...rotation);
    bone.scale.set(...scale);
    return bone;
  });
  model.joints.forEach(({ parentIndex }, i) => (parentIndex < 0 ? scene : bones[parentIndex]!).add(bones[i]!));
  const nod = new QuaternionKeyframeTrack('head.quaternion', [0, 1], [0, 0, 0, 1, 0, 0.6, 0, 0.8]);
  const source: ThreeSource = { scene, animations: [new AnimationClip('nod', 1, [nod])] };
  const character = await characterFromGltfAsync(gltf, { clips: [source] });
  expect(namesOf(character)).toEqual([...gltf.animations.map(({ name }) => name), 'nod']);
  expect(character.issues.filter(({ code }) => code === 'CLIP_RETARGETED')).toEqual([]);
});

test('a controller finds clips of sources', async () => {
  const controller = defineController({
    name: 'two',
    parameters: {},
    layers: [
      {
        name: 'base',
        machine: {
          default: 'Idle',
          states: { Idle: { motion: 'idle', transitions: [{ to: 'Squat', exitTime: 1 }] }, Squat: { motion: 'Made' } },
        },
      },
    ],
  });
  const character = await characterFromGltfAsync(gltf, { controller, clips: [squat] });
  expect(namesOf(character)).toEqual(['idle', 'Made']);
});

test('the function that does not wait refuses sources', () => {
  const thrown = thrownBy(() => characterFromGltf(gltf, { clips: [squat] as never }));
  expect(thrown.message).toMatch(/CROWD_BAD_ARGUMENT at clips: .* characterFromGltfAsync/);
});

// PlayCanvas, in another test of this process, takes a window for a browser
afterEach(() => void vi.unstubAllGlobals());

test.skipIf(noShared())(
  'FBX files of FBXLoader are retargeted',
  async () => {
    // cameras are as wide as the window
    vi.stubGlobal('window', { innerWidth: 1, innerHeight: 1 });
    for (const file of ['motionbuilder-walk01.fbx', 'cmu-91-48.fbx', 'mixamo-names.fbx']) {
      const bytes = await readFile(path.join(shared, 'rigs/fbx', file));
      const fbx = new FBXLoader().parse(new Uint8Array(bytes).buffer, '');
      const character = await characterFromGltfAsync(gltf, { clips: ['idle', fbx] });
      expect(character.clips.length, file).toBe(1 + fbx.animations.length);
      const told = character.issues.filter(({ code }) => code === 'CLIP_RETARGETED');
      expect(told.length, file).toBe(fbx.animations.length);
      expect(told[0]!.message).toMatch(/bones, limbs off by/);
    }
  },
  60_000,
);

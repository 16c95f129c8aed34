import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packCharacter } from '../../src/character/index.ts';
import { addStickFigure, importModel } from '../../src/import/index.ts';
import { noShared, shared, some } from '../support/setup.ts';

const folder = path.join(shared, 'rigs');

/**
 * Heights at rest, in metres. Some are no person's, as in the files: `cmu-91-48.fbx` has an armature of that size, the
 * springs show a ball alone, and `bandai-dash.bvh` rests in a heap.
 */
const HEIGHTS: Readonly<Record<string, number>> = {
  'bvh/bandai-dash.bvh': 0.195,
  'bvh/biovision-two-frames.bvh': 1.84,
  'bvh/cmu-12-01-walk.bvh': 1.37,
  'bvh/mixamo-names.bvh': 1.8,
  'bvh/mocapbank.bvh': 1.67,
  'bvh/motionbuilder-walk01.bvh': 1.85,
  'bvh/spine3-75frames.bvh': 1.64,
  'fbx/blender-sausage-3takes.fbx': 5.28,
  'fbx/cmu-91-48.fbx': 149,
  'fbx/max-skin-zup.fbx': 0.553,
  'fbx/maya-humanik-ascii.fbx': 1.63,
  'fbx/maya-kenney-character.fbx': 3.63,
  'fbx/maya-sausage-3takes-ascii.fbx': 0.0333,
  'fbx/mixamo-names.fbx': 1.83,
  'fbx/motionbuilder-walk01.fbx': 1.82,
  'fbx/pab-character.fbx': 1.83,
  'fbx/pab-run.fbx': 1.67,
  'fbx/quaternius-knight.fbx': 5.59,
  'fbx/quaternius-knight.glb': 5.59,
  'fbx/quaternius-trex.fbx': 14.7,
  'fbx/unreal-mannequin.glb': 1.83,
  'fbx/unreal-zup.fbx': 1.83,
  'gltf/kaykit-mannequin.gltf': 2.21,
  'gltf/kaykit-movement.glb': 1.22,
  'gltf/unreal-rig.glb': 1.63,
  'gltf/unreal-zombie.glb': 2.56,
  'vrm/godette-vrm0.vrm': 1.5,
  'vrm/godette-vrm1.vrm': 1.5,
  'vrm/spring-capsule.vrm': 0.6,
  'vrm/spring-sphere.vrm': 0.6,
};

describe.skipIf(noShared())('every rig comes in and is packed, in metres and upright', () => {
  const files = noShared() ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' });

  it.each(
    some(
      files.filter((file) => /\.(fbx|glb|gltf|vrm|bvh)$/.test(file)),
      10,
    ),
  )('%s', async (file) => {
    const read = (name: string) => new Uint8Array(readFileSync(path.join(folder, name)));
    const resolve = (uri: string) => Promise.resolve(read(path.join(path.dirname(file), uri)));
    const model = addStickFigure(await importModel(read(file), { resolve }));
    const { joints, clips, bounds, vertexCount } = packCharacter(model);
    expect([joints.length > 3, clips.length, vertexCount > 0]).toEqual([true, model.clips.length, true]);
    expect((bounds.max[1]! - bounds.min[1]!) / HEIGHTS[file]!).toBeCloseTo(1, 2);
  });
});

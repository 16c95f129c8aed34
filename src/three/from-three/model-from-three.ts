import type { CharacterModel } from '../../character/model.ts';
import { finish, type Steps } from '../../character/pack/index.ts';
import { refuse } from '../../import/model-builder/issue-list.ts';
import { readClips, targetTracks } from './clips.ts';
import { readJoints } from './joints.ts';
import { readMeshes } from './meshes.ts';
import { placeOf, scanScene, type Scene, type ScanOptions } from './scan.ts';
import { readSource, sourceName, type ThreeSource } from './source.ts';

/** Options for reading a scene. */
export interface ModelOptions extends Pick<ScanOptions, 'isShown'> {
  /**
   * Name of the character in messages. Candidates for the default are the names of a `.gltf` file's buffer, the scene, its children and
   * its largest mesh. The first one that is not a generic name of an export tool is used. three's loaders do not keep the file's name.
   */
  readonly name?: string;
}

/**
 * Converts what three has loaded to a model of a character: skeleton, palette, meshes, morph targets, clips, materials. The current
 * pose becomes the rest pose. `packCharacter`, or better `characterFromModel`, makes a character from it. To add coarser meshes, call
 * `addLods` of maniple/import before that.
 *
 * Reads skinned, rigid and morphed meshes with any storage format of attributes, and tracks of positions, rotations, scales and morph
 * weights. Unsupported things are left out and listed in `issues`: instances, points and lines, tracks of colours or visibility.
 *
 * Cost: some milliseconds for a character of 10,000 vertices.
 *
 * @throws ManipleError THREE_UNSUPPORTED (not something that three has loaded), GLTF_NO_MESH, GLTF_INVALID, GLTF_JOINT_OUT_OF_RANGE, GLTF_INDEX_OUT_OF_RANGE, CHARACTER_TOO_MANY_JOINTS
 * @example const model = modelFromThree(await new GLTFLoader().loadAsync('knight.glb'));
 */
export function modelFromThree(source: ThreeSource, options: ModelOptions = {}): CharacterModel {
  return finish(readThree(source, options)).model;
}

/** Does the same in steps, and also returns the scene. */
export function* readThree(
  source: ThreeSource,
  options: ModelOptions,
): Steps<{ readonly model: CharacterModel; readonly scene: Scene }> {
  const { scene: root, animations } = readSource(source);
  const clips = yield* targetTracks(animations, root);
  const targets = clips.flatMap(({ tracks }) => tracks.map(({ target }) => target));
  const moved = new Set(
    targets.flatMap((target) => (typeof target === 'string' || target.path === 'weights' ? [] : [target.object])),
  );
  const scene = scanScene(root, { ...options, moved });
  const { issues } = scene;
  if (scene.meshes.length === 0) {
    issues.error('GLTF_NO_MESH', placeOf(root), 'The object has no mesh that can be drawn');
    issues.throwIfErrors();
  }
  const joints = readJoints(scene);
  const { meshes, bindings, morphSets, materials, morphSetOf } = yield* readMeshes(scene, joints);
  if (meshes.length === 0) refuse('GLTF_NO_MESH', placeOf(root), 'none of its meshes draws anything');
  const model: CharacterModel = {
    name: options.name ?? sourceName(source, root),
    joints: joints.joints,
    bindings,
    meshes,
    morphSets,
    clips: yield* readClips(clips, { joints, morphSets, morphSetOf }, issues),
    materials,
    images: [],
    issues: issues.list(),
  };
  return { model, scene };
}

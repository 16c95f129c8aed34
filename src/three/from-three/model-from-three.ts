import type { CharacterModel } from '../../asset/model.ts';
import { finish, type Steps } from '../../asset/pack/index.ts';
import { refuse } from '../../import/gltf/issue-list.ts';
import { readClips, targetTracks } from './clips.ts';
import { readJoints } from './joints.ts';
import { readMeshes } from './meshes.ts';
import { placeOf, scanScene, type Scene, type ScanOptions } from './scan.ts';
import { readSource, sourceName, type ThreeSource } from './source.ts';

/** What to take of a scene. */
export interface ModelOptions extends Pick<ScanOptions, 'isShown'> {
  /**
   * What messages call it. Default: the name of a `.gltf` file's buffer, else of the scene, of what is in it, or of its largest mesh,
   * whichever is not one of those that tools give to everything. Loaders of three.js do not keep the file's own.
   */
  readonly name?: string;
}

/**
 * What three has loaded as a model of a character: skeleton, palette, meshes, morph targets, clips, materials. Poses are those
 * of the moment: it rests as it stands. `packCharacter`, or better `characterFromModel`, makes a character of it, and `addLods`
 * of maniple/import coarser meshes before that.
 *
 * Skinned, rigid and morphed meshes are taken, whatever their attributes are stored as, with tracks of positions, rotations,
 * scales and morph weights. What characters cannot have is left out and listed in `issues`: instances, points and lines,
 * tracks of colours or visibility.
 *
 * Cost: some milliseconds for a character of 10,000 vertices.
 *
 * @throws ManipleError THREE_UNSUPPORTED (nothing that three has loaded), GLTF_NO_MESH, GLTF_INVALID, GLTF_JOINT_OUT_OF_RANGE, GLTF_INDEX_OUT_OF_RANGE, CHARACTER_TOO_MANY_JOINTS
 * @example const model = modelFromThree(await new GLTFLoader().loadAsync('knight.glb'));
 */
export function modelFromThree(source: ThreeSource, options: ModelOptions = {}): CharacterModel {
  return finish(readThree(source, options)).model;
}

/** The same in steps, and what else was found. */
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
    issues.error('GLTF_NO_MESH', placeOf(root), 'there is no mesh that can be drawn');
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

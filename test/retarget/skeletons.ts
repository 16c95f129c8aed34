import path from 'node:path';
import type { ClipModel, CharacterModel } from '../../src/character/model.ts';
import { findHumanoid, loadModel } from '../../src/import/index.ts';
import { type Body, bodyOf } from '../../src/retarget/body.ts';
import { shared } from '../support/shared.ts';

/** Characters of all conventions of the shared files, and clips that they have. */

const root = path.resolve(import.meta.dirname, '../..');

export const TARGETS: Readonly<Record<string, string>> = {
  unreal: 'rigs/fbx/unreal-mannequin.glb',
  zombie: 'rigs/gltf/unreal-zombie.glb',
  kaykit: 'assets/characters/kaykit-knight.glb',
  mannequin: 'rigs/gltf/kaykit-mannequin.gltf',
  quaternius: 'rigs/fbx/quaternius-knight.glb',
  cyberpunk: 'assets/characters/cyberpunk-character.glb',
  bee: 'assets/characters/astronaut-bee-draco.glb',
  robot: 'assets/characters/robot-expressive.glb',
  godette0: 'rigs/vrm/godette-vrm0.vrm',
  godette1: 'rigs/vrm/godette-vrm1.vrm',
  legionary: 'characters/legionary.glb',
  godot: 'assets/characters/godot-robot-player.glb',
  cmu: 'mocap/cmu02.glb',
  mixamo: 'rigs/fbx/mixamo-names.fbx',
  kenney: 'rigs/fbx/maya-kenney-character.fbx',
  pab: 'rigs/fbx/pab-character.fbx',
  motionbuilder: 'rigs/fbx/motionbuilder-walk01.fbx',
};

/** Files with clips, and which of them are taken: names, or what is in them. */
export const SOURCES: readonly (readonly [name: string, file: string, clips: RegExp])[] = [
  ['cmu', 'mocap/cmu02.glb', /02_0[1345]$/],
  ['bandai', 'mocap/bandai1.glb', /walk_active|byebye_active|run_tired|guide_angry/],
  ['kaykit', 'assets/characters/kaykit-knight.glb', /^(Walking_A|Running_A|Cheer|1H_Melee_Attack_Chop)$/],
  ['movement', 'rigs/gltf/kaykit-movement.glb', /Walking_C$|Jump_Full_Long$/],
  ['quaternius', 'rigs/fbx/quaternius-knight.glb', /Walking$|Run$/],
  ['cyberpunk', 'assets/characters/cyberpunk-character.glb', /\|Walk$|Kick_Left$/],
  ['bee', 'assets/characters/astronaut-bee-draco.glb', /^(Walk|Wave)$/],
  ['robot', 'assets/characters/robot-expressive.glb', /^(Dance|Walking)$/],
  ['legionary', 'characters/legionary.glb', /^(walk|attack_1|strafe_left)$/],
  ['unreal', 'rigs/fbx/unreal-mannequin.glb', /./],
  ['cmu-bvh', 'rigs/bvh/cmu-12-01-walk.bvh', /./],
  ['mixamo-bvh', 'rigs/bvh/mixamo-names.bvh', /./],
  ['mocapbank', 'rigs/bvh/mocapbank.bvh', /./],
  ['motionbuilder', 'rigs/bvh/motionbuilder-walk01.bvh', /./],
  ['pab', 'rigs/fbx/pab-run.fbx', /./],
  ['poser', 'rigs/fbx/cmu-91-48.fbx', /./],
  ['spine3', 'rigs/bvh/spine3-75frames.bvh', /./],
];

const bodies = new Map<string, Promise<Body>>();

export function loadBody(file: string): Promise<Body> {
  let body = bodies.get(file);
  if (!body) bodies.set(file, (body = load(file)));
  return body;
}

async function load(file: string): Promise<Body> {
  const model = await loadModel(path.join(file.startsWith('characters/') ? root : shared, file));
  return bodyOf(model, findHumanoid(model).map);
}

export function clipsLike({ clips }: CharacterModel, pattern: RegExp): readonly ClipModel[] {
  return clips.filter(({ name }) => pattern.test(name));
}

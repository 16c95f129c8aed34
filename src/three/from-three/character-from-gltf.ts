import type { Character } from '../../character/character.ts';
import type { CharacterModel } from '../../character/model.ts';
import {
  checkPackOptions,
  chooseClips,
  type ClipSelection,
  inSlices,
  namesOfOthers,
  type PackAsyncOptions,
  packCharacter,
  packCharacterAsync,
  type PackOptions,
} from '../../character/pack/index.ts';
import { fail, quoted } from '../../errors.ts';
import type { BindClipsOptions, ClipSource } from '../../retarget/index.ts';
import { sourceGeometries } from '../sources.ts';
import { sourceOfMesh } from './meshes.ts';
import {
  modelFromThree,
  type ModelOptions,
  readSource,
  readThree,
  sourceName,
  type ThreeSource,
} from './model-from-three.ts';

/** Options for making a character from what three has loaded. */
export interface CharacterFromGltfOptions extends PackOptions, ModelOptions {}

/** The same options, for reading in slices and packing in a worker. */
export interface CharacterFromGltfAsyncOptions extends Omit<PackAsyncOptions, 'clips'>, ModelOptions {
  /**
   * Clips to pack, and sources of more: what three has loaded, or models of `loadModel`. All clips of a source are packed, after the
   * object's own: those that are named, or else all. They are bound by `bindClips`, so other skeletons are fine.
   */
  readonly clips?: ClipSelection | readonly (string | number | ThreeSource | CharacterModel | ClipSource)[];
  /** How clips of sources are bound. */
  readonly binding?: BindClipsOptions;
}

/**
 * Makes a character from what three has loaded: GLTFLoader's GLTF, an object with clips as from FBXLoader, or `{ scene, animations }`.
 * The character keeps references to three's materials and geometries, which `ManipleCrowd` draws it with. Its vertices equal those that
 * three shows, to 0.1 mm.
 *
 * The root's own transform is left out, because crowds place characters. The current pose becomes the rest pose.
 *
 * Only packed clips are read. With a `controller`, those are the clips that it names. Clips of other files: `characterFromGltfAsync`, because
 * what binds them is loaded on demand.
 *
 * Cost: as `packCharacter`, tens of milliseconds for each clip that is packed.
 *
 * @throws ManipleError as `modelFromThree` and `packCharacter`
 * @example const soldier = characterFromGltf(await new GLTFLoader().loadAsync('soldier.glb'), { name: 'soldier' });
 */
export function characterFromGltf(source: ThreeSource, options: CharacterFromGltfOptions = {}): Character {
  if (Array.isArray(options.clips) && options.clips.some(isSource)) {
    const message = 'The option `clips` has sources of other clips.';
    fail('CROWD_BAD_ARGUMENT', 'clips', message, 'Use characterFromGltfAsync, which loads what binds them.');
  }
  const { read, name, unreadClips } = choose(source, options);
  const model = { ...modelFromThree(read, { ...options, name }), unreadClips };
  return characterFromModel(model, { ...options, clips: () => true });
}

/**
 * Does the same as `characterFromGltf` without blocking the page. Reads in slices of 5 ms and packs in a worker, as
 * `packCharacterAsync` does. Do not change the scene until the promise resolves.
 *
 * Clips of other files, in `clips`, are retargeted where skeletons differ. The character's `issues` say how far limbs are off, and what is
 * left out (CLIP_RETARGETED). The code for it is loaded then.
 *
 * @throws ManipleError as `characterFromGltf`, `packCharacterAsync` and `bindClips`; the reason of an aborted signal
 * @example const soldier = await characterFromGltfAsync(gltf, { controller, onProgress: ({ done, total }) => show(done / total) });
 * @example const hero = await characterFromGltfAsync(gltf, { clips: ['Idle', await new FBXLoader().loadAsync('dance.fbx')] });
 */
export async function characterFromGltfAsync(
  source: ThreeSource,
  options: CharacterFromGltfAsyncOptions = {},
): Promise<Character> {
  const { clips, ...rest } = options;
  const listed = Array.isArray(clips) ? (clips as readonly unknown[]) : [];
  const [sources, names] = [listed.filter(isSource), listed.filter((clip) => !isSource(clip)) as (string | number)[]];
  const selection = sources.length === 0 ? (clips as ClipSelection | undefined) : names.length > 0 ? names : undefined;
  const { read, name, unreadClips } = choose(source, selection === undefined ? rest : { ...rest, clips: selection });
  const { model } = await inSlices(readThree(read, { ...rest, name }), options.signal);
  const whole = { ...model, unreadClips };
  const bound = sources.length === 0 ? whole : await withSources(whole, sources, options);
  return characterFromModelAsync(bound, { ...rest, clips: () => true });
}

type Source = ThreeSource | CharacterModel | ClipSource;

function isSource(value: unknown): value is Source {
  return typeof value === 'object' && value !== null;
}

/** A model with the clips of other objects and models. */
async function withSources(
  model: CharacterModel,
  sources: readonly Source[],
  { binding, signal }: CharacterFromGltfAsyncOptions,
): Promise<CharacterModel> {
  const { bindClips } = await import('../../retarget/index.ts');
  const models: (CharacterModel | ClipSource)[] = [];
  for (const source of sources) {
    if ('joints' in source || 'model' in source) models.push(source);
    else models.push((await inSlices(readThree(source, {}, false), signal)).model);
  }
  return bindClips(model, models, binding).model;
}

/** Packs a model from `modelFromThree`, including later changes to it. See `characterFromGltf`. */
export function characterFromModel(model: CharacterModel, options: PackOptions = {}): Character {
  return remembered(packCharacter(model, options), model);
}

/** Packs such a model in a worker. See `packCharacterAsync`. */
export async function characterFromModelAsync(
  model: CharacterModel,
  options: PackAsyncOptions = {},
): Promise<Character> {
  return remembered(await packCharacterAsync(model, options), model);
}

/** Chooses the clips to pack, so that others are not read. */
function choose(source: ThreeSource, options: CharacterFromGltfOptions) {
  checkPackOptions(options);
  const { scene, animations } = readSource(source);
  const clips = animations.map((clip) => clip.name);
  const name = options.name ?? sourceName(source, scene);
  if (clips.length === 0 && 'isObject3D' in source && Array.isArray(options.clips) && options.clips.length > 0) {
    const message = `The option \`clips\` names ${quoted(options.clips[0])}, and the object has no clips.`;
    fail('CLIP_NOT_FOUND', name, message, 'Pass what GLTFLoader loaded, which has them, not its scene.');
  }
  const chosen = chooseClips(clips, options, name);
  const read = { scene, animations: chosen.map((index) => animations[index]!) };
  return { read, name, unreadClips: namesOfOthers(clips, chosen) };
}

/** Registers the source geometries of a character's primitives, and returns the character. */
function remembered(character: Character, model: CharacterModel): Character {
  character.primitives.forEach((primitive, index) => {
    const source = sourceOfMesh.get(model.meshes[index]!);
    if (source) sourceGeometries.set(primitive, source);
  });
  return character;
}

import type { AnimationClip, AnimationMixer, Material, Object3D } from 'three';
import type { Character } from '../../character/character.ts';
import { finish, type PackOptions } from '../../character/pack/index.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import type { CharacterGroup } from '../../crowd/group.ts';
import { fail, type Issue, quoted } from '../../errors.ts';
import { IssueList } from '../../import/model-builder/issue-list.ts';
import { characterFromModel } from './character-from-gltf.ts';
import { readThree } from './model-from-three.ts';
import { type PlayedActions, playedActions, activeActions } from './played-actions.ts';
import { nameInFile, partOwner, placeOf } from './scan.ts';
import { objectsOf, Structures } from './structure.ts';
import { decompose, type Trs } from '../../import/model-builder/node-transforms.ts';

/** An object that a mixer animates, for example a GLTF's scene, or a clone of it. */
export interface MixedRoot {
  readonly root: Object3D;
  /** A mixer that was created for this root. */
  readonly mixer: AnimationMixer;
  /** Clips that it may play. Default: `clips` of the options. */
  readonly clips?: readonly AnimationClip[];
}

/** Options for making a crowd from what mixers play. */
export interface FromMixersOptions extends Omit<PackOptions, 'clips' | 'controller'> {
  /** Clips for roots without clips of their own. */
  readonly clips?: readonly AnimationClip[];
  /** Treatment of the roots after spawning: `hide` makes them invisible, `remove` removes them from the scene and stops their mixers. */
  readonly originals?: 'keep' | 'hide' | 'remove';
  /** Key of a material. Roots of one type must have equal keys. Default: the material itself. */
  readonly look?: (material: Material) => unknown;
}

/** Roots of one character type, and the state of each. */
interface RootType {
  readonly character: Character;
  readonly members: readonly Member[];
}

interface Member {
  readonly root: Object3D;
  readonly mixer: AnimationMixer;
  readonly place: Trs;
  readonly played: PlayedActions;
  readonly hidden: readonly string[];
}

/** Characters and states of animated roots, ready to spawn in a crowd. */
export class MixedCrowd {
  readonly #types: readonly RootType[];
  readonly #originals: FromMixersOptions['originals'];
  /** Differences between characters and what the mixers showed: THREE_SIMPLIFIED. A character keeps its own issues. */
  readonly issues: readonly Issue[];

  /** @internal */
  constructor(types: readonly RootType[], originals: FromMixersOptions['originals'], issues: readonly Issue[]) {
    this.#types = types;
    this.#originals = originals;
    this.issues = issues;
  }

  /** One character for each type of root. */
  get characters(): readonly Character[] {
    return this.#types.map(({ character }) => character);
  }

  /** Number of roots. A crowd needs at least that capacity. */
  get count(): number {
    return this.#types.reduce((sum, { members }) => sum + members.length, 0);
  }

  /** Largest number of clips that one root plays at once, including fades. A crowd needs at least that many `motions`. */
  get maxClips(): number {
    const needed = ({ played: { clips, fade } }: Member) => clips.length + (fade ? 1 : 0);
    return this.#types.reduce((most, { members }) => Math.max(most, ...members.map(needed)), 1);
  }

  /**
   * Spawns one character for each root. It has the root's transform and state from when `crowdFromMixers` was called.
   *
   * @param crowd A `ManipleCrowd` or a `Crowd`.
   * @returns A group for each of `characters`, with its members in the order of the roots.
   * @throws ManipleError as `Crowd.spawn` and `Crowd.motions`
   */
  spawn(crowd: Pick<Crowd, 'spawn'>): CharacterGroup[] {
    const groups = this.#types.map(({ character, members }) => {
      const group = crowd.spawn(character, {
        count: members.length,
        place: (index, at) => {
          const { translation, rotation, scale } = members[index]!.place;
          at.position.set(...translation);
          at.rotation.set(...rotation);
          at.scale = scale[0];
        },
      });
      group.setClips((index) => members[index]!.played.clips);
      members.forEach(({ played: { fade }, hidden }, index) => {
        if (fade) group.play(fade.clip, fade.options, [index]);
        for (const part of hidden) group.hideParts(part, [index]);
      });
      return group;
    });
    for (const { root, mixer } of this.#types.flatMap(({ members }) => members)) {
      if (this.#originals === 'hide') root.visible = false;
      if (this.#originals !== 'remove') continue;
      mixer.stopAllAction();
      root.removeFromParent();
    }
    return groups;
  }
}

/**
 * Makes a crowd from a scene in which each character has a mixer. Roots that share geometries, materials, skeleton structure and clips
 * become one type. Each character has the transform of its root (with an even scale) and shows the same parts. It continues what the
 * mixer plays: clips, times, weights, speeds, and current crossfades. Differences are listed in `issues`.
 *
 * To read the rest pose of a type, the actions of one of its roots are stopped and started again, which ends its fades. A root without
 * fades is chosen if there is one.
 *
 * Cost: as `characterFromGltf` for each type, and some microseconds for each object of each root.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT (a root that is scaled unevenly, mirrored or sheared; a mixer of another object), and as
 *   `characterFromGltf`
 * @example
 *   const soldiers = crowdFromMixers(roots.map((root, i) => ({ root, mixer: mixers[i] })), { clips: gltf.animations, originals: 'remove' });
 *   const crowd = await ManipleCrowd.create(renderer, { characters: soldiers.characters, capacity: soldiers.count, maxClips: soldiers.maxClips });
 *   const [army] = soldiers.spawn(crowd);
 */
export function crowdFromMixers(roots: readonly MixedRoot[], options: FromMixersOptions = {}): MixedCrowd {
  const { clips: shared = [], originals = 'keep', look = (material) => material, ...pack } = options;
  const issues = new IssueList();
  for (const mixer of new Set(roots.map(({ mixer }) => mixer))) mixer.update(0);
  const structures = new Structures(look);
  const byStructure = new Map<string, MixedRoot[]>();
  for (const entry of roots) {
    const { root, mixer, clips = shared } = entry;
    checkMixer(root, mixer);
    const key = structures.key(root, clips);
    byStructure.set(key, [...(byStructure.get(key) ?? []), entry]);
  }
  const types = Array.from(byStructure.values(), (entries) => readType(entries, shared, pack, issues));
  return new MixedCrowd(types, originals, issues.list());
}

function checkMixer(root: Object3D, mixer: AnimationMixer): void {
  if (mixer.getRoot() === root) return;
  fail('CROWD_BAD_ARGUMENT', placeOf(root), 'The mixer was made for another object.', 'Pass the mixer’s own root.');
}

function readType(
  entries: readonly MixedRoot[],
  shared: readonly AnimationClip[],
  pack: PackOptions,
  issues: IssueList,
): RootType {
  const { clips = shared } = entries[0]!;
  const listed = entries.map(({ root }) => objectsOf(root));
  const played = entries.map(({ root, mixer }) => playedActions(root, mixer, clips, issues));
  const steady = played.findIndex(({ isSteady }) => isSteady);
  const chosen = steady < 0 ? 0 : steady;
  const { root: sitter, mixer } = entries[chosen]!;
  const objects = listed[chosen]!;
  // the mesh contains every part that any root shows
  const shown = new Set(objects.filter((_, i) => listed.some((others) => others[i]!.visible)));
  const isShown = (object: Object3D) => shown.has(object);
  const read = () => finish(readThree({ scene: sitter, animations: clips }, { isShown }));
  const { model, scene } = atRest(sitter, mixer, clips, read);
  const character = characterFromModel(model, pack);
  const steps = scene.space ? stepsUp(sitter, scene.space) : undefined;
  const parts = scene.meshes.map((mesh) => ({ name: nameInFile(partOwner(mesh)), index: objects.indexOf(mesh) }));
  const members = entries.map(({ root, mixer: own }, i): Member => ({
    root,
    mixer: own,
    place: placeIn(root, steps),
    played: played[i]!,
    hidden: hiddenParts(parts, listed[i]!, root, issues),
  }));
  return { character, members };
}

/** Number of parents from a root up to its character's space. */
function stepsUp(root: Object3D, space: Object3D): number {
  let steps = 0;
  for (let object = root; object !== space; object = object.parent!) steps++;
  return steps;
}

/** World transform of the object `steps` parents above a root. The identity if `steps` is undefined. */
function placeIn(root: Object3D, steps: number | undefined): Trs {
  let space: Object3D | null = steps === undefined ? null : root;
  for (let i = 0; i < (steps ?? 0); i++) space = space?.parent ?? null;
  space?.updateWorldMatrix(true, false);
  const { outer, inner } = decompose(space?.matrixWorld.elements ?? [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  const [x, y, z] = outer.scale;
  const isEven = !inner && x > 0 && Math.max(x, y, z) - Math.min(x, y, z) <= 1e-4 * x;
  if (isEven) return outer;
  const message = `The root is ${inner ? 'sheared' : `scaled by ${x}, ${y}, ${z}`}; characters have one positive scale.`;
  const hint = 'Scale what is inside the root instead: that is part of the character.';
  return fail('CROWD_BAD_ARGUMENT', placeOf(root), message, hint);
}

/** Names of the parts that are hidden in a root. */
function hiddenParts(
  parts: readonly { readonly name: string; readonly index: number }[],
  objects: readonly Object3D[],
  root: Object3D,
  issues: IssueList,
): string[] {
  const isVisible = (index: number): boolean => {
    for (let o: Object3D | null = objects[index]!; o && o !== root; o = o.parent) if (!o.visible) return false;
    return true;
  };
  const visible = new Set(parts.filter(({ index }) => isVisible(index)).map(({ name }) => name));
  const hidden = new Set(parts.filter(({ index }) => !isVisible(index)).map(({ name }) => name));
  for (const name of hidden) {
    if (!visible.has(name)) continue;
    const message = `of several parts named ${quoted(name)} some are hidden, which takes names of their own; all are shown`;
    issues.warn('THREE_SIMPLIFIED', placeOf(root), message);
    hidden.delete(name);
  }
  return [...hidden];
}

/**
 * Calls `look` while a root is in its rest pose, and then resumes its mixer. A mixer restores the rest pose only when its actions stop,
 * so they are stopped and started again. This ends current fades, and starts scheduled actions at once.
 */
function atRest<T>(root: Object3D, mixer: AnimationMixer, clips: readonly AnimationClip[], look: () => T): T {
  const stopped = activeActions(root, mixer, clips).map(({ action }) => {
    const { enabled, paused, time } = action;
    const weight = enabled ? action.getEffectiveWeight() : action.weight;
    const timeScale = paused ? action.timeScale : action.getEffectiveTimeScale();
    action.stop();
    return () => {
      action.play();
      Object.assign(action, { enabled, paused, time });
      action.setEffectiveWeight(weight).setEffectiveTimeScale(timeScale);
    };
  });
  try {
    return look();
  } finally {
    for (const again of stopped) again();
    mixer.update(0);
  }
}

import { AnimationMixer, AnimationUtils, type AnimationClip, type SkinnedMesh } from 'three/webgpu';
import { LEGIONARY, soldierController } from '../../src/battle/soldier.ts';
import { drawChange } from '../../src/bench/baselines/soldier-changes.ts';
import { copyOf } from '../../src/bench/three/copy-of.ts';
import { type Soldier, soldierOf } from '../../src/bench/three/soldier.ts';
import type { Character } from '../../src/character/character.ts';
import type { CharacterModel, JointModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { CharacterId, CharacterTransform, ControllerState, Crowd } from '../../src/index.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';

export const DT: number = 1 / 60;
/** Metres between neighbours. */
export const SPACING: number = 1.5;
/** Seconds of a crowd before its clips are handed to the mixers. */
const WARM_UP = 3;
/** Parts of the body that the controller's second layer moves. */
const UPPER_BODY = 'spine_1';

/** A legionary with the battle's controller of two layers, and the same in three.js. */
export interface Performer {
  readonly character: Character;
  readonly soldier: Soldier;
  /** Clips that are added by a layer, by name. */
  readonly additive: ReadonlyMap<string, AnimationClip>;
}

/** @param character Packed from the model. Default: without levels of detail. */
export async function performerOf(model: CharacterModel, character?: Character): Promise<Performer> {
  const soldier = await soldierOf(
    model,
    1,
    model.clips.map(({ name }) => name),
  );
  const upper = descendants(model.joints, UPPER_BODY);
  const additive = soldier.animations.map((clip) => {
    const own = AnimationUtils.makeClipAdditive(clip.clone());
    own.tracks = own.tracks.filter(({ name }) => upper.has(name.slice(0, name.lastIndexOf('.'))));
    return [clip.name, own] as const;
  });
  character ??= packCharacter(model, { controller: soldierController(LEGIONARY) });
  return { character, soldier, additive: new Map(additive) };
}

/** Names of the joints below a joint, and its own. */
function descendants(joints: readonly JointModel[], root: string): ReadonlySet<string> {
  const names = new Set([root]);
  for (const { name, parentIndex } of joints) if (names.has(joints[parentIndex]?.name ?? '')) names.add(name);
  return names;
}

/** Characters side by side in a square, at `SPACING`. */
export function squareOf(count: number): { side: number; place: (i: number, at: CharacterTransform) => void } {
  const side = Math.ceil(Math.sqrt(count));
  const place = (i: number, at: CharacterTransform) =>
    at.position.set((i % side) * SPACING, 0, Math.floor(i / side) * SPACING);
  return { side, place };
}

/**
 * Lets equal crowds run until their characters differ. Returns a function that changes their parameters as a game does: each about
 * once a second, and triggers.
 */
export async function performed(crowds: readonly Crowd[], ids: readonly CharacterId[]): Promise<() => void> {
  const random = new SeededRandom(5);
  const drive = (isFirst = false) => {
    for (const id of ids) {
      const { set, trigger } = drawChange(random, isFirst);
      for (const crowd of crowds) {
        for (const [name, value] of Object.entries(set)) crowd.setParameter(id, name, value);
        if (trigger) crowd.trigger(id, trigger);
      }
    }
  };
  drive(true);
  for (let frame = 0; frame < WARM_UP / DT; frame++) {
    for (const crowd of crowds) crowd.update({ dt: DT, views: [] });
    // a device's frames must not pile up
    if (frame % 8 === 7) await Promise.all(crowds.map((crowd) => crowd.workDone()));
    drive();
  }
  await Promise.all(crowds.map((crowd) => crowd.workDone()));
  return drive;
}

/** Mixers that play what characters of a crowd show. */
export interface Mixers {
  /** Clips that a character shows, on average: as many actions its mixer plays. */
  readonly clipsPerCharacter: number;
  /** A frame of the mixers: samples, matrices of the bones, palettes of the skeletons. */
  readonly mix: (dt: number) => void;
}

/** A mixer and a skeleton for each character, with an action for each clip that its controller shows. */
export async function mixersOf(
  { soldier, additive }: Performer,
  crowd: Crowd,
  ids: readonly CharacterId[],
): Promise<Mixers> {
  const shown: readonly ControllerState[] = await crowd.readControllers(ids);
  const clips = new Map(soldier.animations.map((clip) => [clip.name, clip]));
  let actions = 0;
  const all = shown.map(({ layers }, i) => {
    const { scene, mesh } = copyOf(soldier.scene);
    const mixer = new AnimationMixer(scene);
    layers.forEach(({ motions }, layer) => {
      for (const { clip: name, phase, weight } of motions) {
        const clip = (layer === 0 ? clips : additive).get(name)!;
        const action = mixer.clipAction(clip);
        action.time = phase * clip.duration;
        const share = layer === 0 ? 1 : crowd.getParameter(ids[i]!, 'alertness');
        action.setEffectiveWeight(weight * share).play();
        actions++;
      }
    });
    return { scene, mixer, skeleton: (mesh as SkinnedMesh).skeleton };
  });
  const mix = (dt: number) => {
    for (const { scene, mixer, skeleton } of all) {
      mixer.update(dt);
      scene.updateMatrixWorld();
      skeleton.update();
    }
  };
  return { clipsPerCharacter: actions / ids.length, mix };
}

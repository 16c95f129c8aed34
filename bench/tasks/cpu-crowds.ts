import { AnimationMixer, AnimationUtils, type AnimationClip, type SkinnedMesh } from 'three/webgpu';
import { LEGIONARY, soldierController } from '../../src/battle/soldier.ts';
import { drawChange } from '../../src/bench/baselines/playcanvas.ts';
import { copyOf } from '../../src/bench/three/copy-of.ts';
import { type Soldier, soldierOf } from '../../src/bench/three/soldier.ts';
import type { Character } from '../../src/character/character.ts';
import type { CharacterModel, JointModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { CharacterTransform, ControllerState, Crowd, CrowdView } from '../../src/index.ts';
import { SeededRandom } from '../../src/math/seeded-random.ts';
import { type Camera, clipFromWorld } from '../../src/render/camera.ts';

/** The same soldiers twice: on the CPU backend, and on mixers of three.js that play what their controllers show. */
export interface CpuCrowds {
  readonly crowd: Crowd;
  readonly views: readonly CrowdView[];
  /** The same crowd on a device. */
  readonly host: Crowd | undefined;
  /** Clips that a character shows, on average: as many actions its mixer plays. */
  readonly clipsPerCharacter: number;
  /** A frame of the mixers: samples, matrices of the bones, palettes of the skeletons. */
  mix(dt: number): void;
  /** Changes parameters of the crowds as a game does: each about once a second, and triggers. */
  drive(): void;
  destroy(): void;
}

const SPACING = 1.5;
const DT = 1 / 60;
/** Seconds of the crowd before its clips are handed to the mixers. */
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

export async function performerOf(model: CharacterModel): Promise<Performer> {
  const controller = soldierController(LEGIONARY);
  const character = packCharacter(model, { controller });
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
  return { character, soldier, additive: new Map(additive) };
}

/** Names of the joints below a joint, and its own. */
function descendants(joints: readonly JointModel[], root: string): ReadonlySet<string> {
  const names = new Set([root]);
  for (const { name, parentIndex } of joints) if (names.has(joints[parentIndex]?.name ?? '')) names.add(name);
  return names;
}

/** @param device Makes a second crowd there. */
export async function cpuCrowds(performer: Performer, count: number, device?: GPUDevice): Promise<CpuCrowds> {
  const { character } = performer;
  const options = {
    characters: [character],
    capacity: count,
    skin: 'vertex',
    maxClips: 8,
    updateRates: false,
  } as const;
  const crowd = await createCrowd(undefined, { ...options, backend: 'cpu' });
  const host = device && (await createCrowd(device, options));
  const all = host ? [crowd, host] : [crowd];
  const side = Math.ceil(Math.sqrt(count));
  const place = (i: number, at: CharacterTransform) =>
    void at.position.set((i % side) * SPACING, 0, Math.floor(i / side) * SPACING);
  const [army] = all.map((each) => each.spawn(character, { count, place }));
  const random = new SeededRandom(5);
  const drive = (isFirst = false) => {
    for (const id of army!.ids) {
      const { set, trigger } = drawChange(random, isFirst);
      for (const each of all) {
        for (const [name, value] of Object.entries(set)) each.setParameter(id, name, value);
        if (trigger) each.trigger(id, trigger);
      }
    }
  };
  drive(true);
  for (let frame = 0; frame < WARM_UP / DT; frame++) {
    for (const each of all) each.update({ dt: DT, views: [] });
    drive();
  }
  await Promise.all(all.map((each) => each.workDone()));
  const shown = await crowd.readControllers(army!.ids);
  const alertness = army!.ids.map((id) => crowd.getParameter(id, 'alertness'));
  const middle = ((side - 1) * SPACING) / 2;
  const camera: Camera = { eye: [middle, 2 * side + 10, 4 * side + 10], target: [middle, 0, middle] };
  const views = [{ clipFromWorld: clipFromWorld(camera, 16 / 9), height: 1080 }];
  const clips = shown.reduce((sum, { layers }) => sum + layers.reduce((of, { motions }) => of + motions.length, 0), 0);
  return {
    crowd,
    views,
    host,
    clipsPerCharacter: clips / count,
    mix: mixers(performer, shown, alertness),
    drive,
    destroy: () => all.forEach((each) => each.destroy()),
  };
}

/** A mixer and a skeleton for each character, with an action for each clip that its controller shows. */
function mixers({ soldier, additive }: Performer, shown: readonly ControllerState[], weights: readonly number[]) {
  const clips = new Map(soldier.animations.map((clip) => [clip.name, clip]));
  const all = shown.map(({ layers }, i) => {
    const { scene, mesh } = copyOf(soldier.scene);
    const mixer = new AnimationMixer(scene);
    layers.forEach(({ motions }, layer) => {
      for (const { clip: name, phase, weight } of motions) {
        const clip = (layer === 0 ? clips : additive).get(name)!;
        const action = mixer.clipAction(clip);
        action.time = phase * clip.duration;
        action.setEffectiveWeight(layer === 0 ? weight : weight * weights[i]!).play();
      }
    });
    return { scene, mixer, skeleton: (mesh as SkinnedMesh).skeleton };
  });
  return (dt: number) => {
    for (const { scene, mixer, skeleton } of all) {
      mixer.update(dt);
      scene.updateMatrixWorld();
      skeleton.update();
    }
  };
}

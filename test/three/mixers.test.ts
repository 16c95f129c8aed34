import {
  AnimationClip,
  AnimationMixer,
  AnimationUtils,
  Bone,
  BoxGeometry,
  type BufferGeometry,
  Euler,
  Group,
  LoopOnce,
  LoopPingPong,
  type Mesh,
  MeshStandardMaterial,
  type Object3D,
  Quaternion,
  QuaternionKeyframeTrack,
  Skeleton,
  SkinnedMesh,
  Vector3,
  VectorKeyframeTrack,
} from 'three';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { describe, expect, test } from 'vitest';
import { createCrowd } from '../support/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import {
  crowdFromMixers,
  type FromMixersOptions,
  type MixedCrowd,
  type MixedRoot,
} from '../../src/three/from-three/mixers.ts';
import { named, skinByHeight } from '../support/three-objects.ts';
import { distanceFromThree } from '../support/three-scene.ts';
import { thrownBy } from '../support/thrown-by.ts';
import { updateAndWait } from '../support/update-and-wait.ts';
import { internalsOf } from '../../src/crowd/internals.ts';

const EXACT = 2e-5;

const angles = (...xyz: [number, number, number][]) =>
  xyz.flatMap((angle) => new Quaternion().setFromEuler(new Euler(...angle)).toArray());

const WALK = new AnimationClip('walk', 1.5, [
  new QuaternionKeyframeTrack('upper.quaternion', [0, 0.6, 1.5], angles([0, 0, 0], [0.9, 0.2, 0], [0, 0, 0])),
  new VectorKeyframeTrack('lower.position', [0, 0.75, 1.5], [0, 0, 0, 0, 0.3, 0.4, 0, 0, 0]),
]);
const DUCK = new AnimationClip('duck', 2, [
  new QuaternionKeyframeTrack('upper.quaternion', [0, 2], angles([0.2, 0, 0], [1.2, 0, 0.7])),
]);
const SLIDE = new AnimationClip('slide', 1, [new VectorKeyframeTrack('lower.position', [0, 1], [0, 0, 0, 2, 0, 1])]);
const HOP = new AnimationClip('hop', 0.8, [
  new VectorKeyframeTrack('lower.position', [0, 0.4, 0.8], [0, 0, 0, 0.1, 1, 0, 0, 0, 0]),
]);
const CLIPS = [WALK, DUCK, SLIDE, HOP];

/** A column of two bones, with a hat. */
function column(material = new MeshStandardMaterial()): Group {
  const trunk = new BoxGeometry(0.4, 2, 0.4, 1, 6, 1).translate(0, 1, 0);
  const brim = new BoxGeometry(0.6, 0.1, 0.6).translate(0, 2, 0);
  const upper = named(new Bone(), 'upper');
  const lower = named(new Bone(), 'lower', upper);
  upper.position.y = 1;
  upper.rotation.set(0.1, 0.2, 0);
  const skinned = (name: string, geometry: BufferGeometry) => named(new SkinnedMesh(geometry, material), name);
  const body = skinned(
    'body',
    skinByHeight(trunk, (height) => [0, 1, height / 2]),
  );
  const hat = skinned(
    'hat',
    skinByHeight(brim, () => [1, 0, 0]),
  );
  const root = new Group();
  root.add(body, hat, lower);
  root.updateMatrixWorld(true);
  const skeleton = new Skeleton([lower, upper]);
  body.bind(skeleton);
  hat.bind(skeleton);
  return root;
}

/** Copies of a column that stand about, each with a mixer that something has been done to. */
function scene(...doings: ((mixer: AnimationMixer, root: Object3D) => void)[]): MixedRoot[] {
  const master = column();
  return doings.map((act, i) => {
    const root = clone(master);
    root.position.set(i, 0.5 * i, -i);
    root.rotation.set(0.2 * i, i, 0);
    root.scale.setScalar(1 + i / 4);
    const mixer = new AnimationMixer(root);
    act(mixer, root);
    root.updateMatrixWorld(true);
    return { root, mixer };
  });
}

/** A crowd on the CPU of what mixers play, and its first group. */
function spawned(mixed: MixedCrowd): { crowd: Crowd; group: CharacterGroup } {
  const { characters, count: capacity, maxClips } = mixed;
  const crowd = createCrowd(undefined, { characters, capacity, maxClips, backend: 'cpu' });
  return { crowd, group: mixed.spawn(crowd)[0]! };
}

/** How far the crowd of a scene's mixers is from them, now and after some seconds, metres in each root's space. */
async function drift(roots: MixedRoot[], steps = [0, 0.31, 0.4]): Promise<number[]> {
  const mixed = crowdFromMixers(roots, { clips: CLIPS, errorBudget: 0 });
  const { crowd, group } = spawned(mixed);
  const worst: number[] = roots.map(() => 0);
  for (const dt of steps) {
    await updateAndWait(crowd, { dt });
    for (const [i, { root, mixer }] of roots.entries()) {
      mixer.update(dt);
      root.updateMatrixWorld(true);
      const own = (mesh: Mesh) => root.getObjectByName(mesh.name) as Mesh;
      const distance = await distanceFromThree(crowd, group.id(i), mixed.characters[0]!, root, own);
      worst[i] = Math.max(worst[i]!, distance);
    }
  }
  crowd.destroy();
  return worst;
}

describe('a crowd continues what mixers play', () => {
  test('clips at other times, speeds, pauses and weights', async () => {
    const roots = scene(
      (mixer) => {
        mixer.clipAction(WALK).play();
        mixer.update(0.37);
      },
      (mixer) => {
        const action = mixer.clipAction(WALK).play();
        mixer.update(0.8);
        action.paused = true;
      },
      (mixer) => {
        mixer.clipAction(DUCK).setEffectiveTimeScale(-0.5).play().time = 1.2;
      },
      (mixer) => {
        // half and half, where a mean of quaternions is what slerp gives
        mixer.clipAction(WALK).setEffectiveWeight(0.5).play();
        mixer.clipAction(DUCK).setEffectiveWeight(0.5).play();
        mixer.update(0.2);
      },
      (mixer) => {
        mixer.clipAction(SLIDE).setEffectiveWeight(0.4).play();
        mixer.timeScale = 0.5;
        mixer.update(0.3);
      },
      (mixer) => {
        const action = mixer.clipAction(SLIDE).setLoop(LoopOnce, 1).play();
        action.clampWhenFinished = true;
        mixer.update(0.8);
      },
      () => undefined,
    );
    for (const distance of await drift(roots)) expect(distance).toBeLessThan(EXACT);
  });

  test('crossfades that are under way, or begin', async () => {
    const roots = scene(
      (mixer) => {
        const slide = mixer.clipAction(SLIDE).play();
        mixer.clipAction(HOP).play().crossFadeFrom(slide, 1);
        mixer.update(0.2);
      },
      (mixer) => {
        const slide = mixer.clipAction(SLIDE).play();
        mixer.timeScale = 2;
        mixer.clipAction(HOP).play().crossFadeFrom(slide, 1);
        mixer.update(0.35);
      },
      (mixer) => {
        // from the rest pose
        mixer.clipAction(HOP).play().fadeIn(0.5);
        mixer.update(0.1);
      },
      (mixer) => {
        mixer.clipAction(HOP).play().crossFadeFrom(mixer.clipAction(SLIDE).play(), 0.6);
      },
      // how all of them rest is seen here, where nothing fades
      () => undefined,
    );
    const times = () => roots.map(({ mixer }) => [mixer.time, mixer.existingAction(HOP)?.time]);
    const before = times();
    const mixed = crowdFromMixers(roots, { clips: CLIPS });
    expect(mixed.maxClips).toBe(3);
    expect(mixed.issues).toEqual([]);
    expect(times()).toEqual(before);
    for (const distance of await drift(roots, [0, 0.11, 0.09, 0.4, 0.3, 0.5])) expect(distance).toBeLessThan(EXACT);
  });

  test('how a type rests is seen, though its mixers run', async () => {
    const roots = scene((mixer) => {
      mixer.clipAction(WALK).play();
      mixer.update(0.6);
    });
    const { root, mixer } = roots[0]!;
    const before = root.getObjectByName('upper')!.quaternion.clone();
    const { characters } = crowdFromMixers(roots, { clips: CLIPS, errorBudget: 0 });
    // the mixer goes on as if nothing had been
    expect(root.getObjectByName('upper')!.quaternion.toArray()).toEqual(before.toArray());
    expect(mixer.existingAction(WALK)!.isRunning()).toBe(true);
    expect(mixer.existingAction(WALK)!.time).toBeCloseTo(0.6);
    mixer.stopAllAction();
    root.updateMatrixWorld(true);
    const crowd = createCrowd(undefined, { characters, capacity: 1, backend: 'cpu' });
    const id = crowd.spawn(characters[0]!).id(0);
    await updateAndWait(crowd, { dt: 0 });
    expect(await distanceFromThree(crowd, id, characters[0]!, root)).toBeLessThan(EXACT);
    crowd.destroy();
  });

  test('characters have the positions and scales of the roots', async () => {
    const roots = scene(...Array.from({ length: 3 }, () => () => undefined));
    const parent = new Group();
    parent.position.set(10, 20, 30);
    parent.add(...roots.map(({ root }) => root));
    const mixed = crowdFromMixers(roots, { clips: CLIPS });
    const { crowd, group } = spawned(mixed);
    await updateAndWait(crowd, { dt: 0 });
    const places = await crowd.readTransforms(group.ids);
    places.forEach(({ position, rotation, scale }, i) => {
      const { root } = roots[i]!;
      const [at, turned] = [root.getWorldPosition(new Vector3()), root.getWorldQuaternion(new Quaternion())];
      expect(at.distanceTo(new Vector3(position.x, position.y, position.z))).toBeLessThan(EXACT);
      expect(turned.angleTo(new Quaternion(rotation.x, rotation.y, rotation.z, rotation.w))).toBeLessThan(1e-3);
      expect(scale).toBeCloseTo(root.scale.x);
    });
    crowd.destroy();
  });
});

describe('types', () => {
  const mixed = (roots: readonly Object3D[], options: FromMixersOptions = {}) =>
    crowdFromMixers(
      roots.map((root) => ({ root, mixer: new AnimationMixer(root) })),
      { clips: CLIPS, ...options },
    );

  test('are one for roots that share what they are made of', () => {
    const [one, other] = [column(), column()];
    expect(mixed([one, clone(one), other, clone(other), clone(one)]).characters).toHaveLength(2);
    const painted = clone(one);
    const paint = new MeshStandardMaterial({ color: 0xff0000 });
    painted.traverse((object) => Object.assign(object, 'material' in object ? { material: paint } : {}));
    expect(mixed([one, painted]).characters).toHaveLength(2);
    expect(mixed([one, painted], { look: () => 'any' }).characters).toHaveLength(1);
    const taller = clone(one);
    taller.getObjectByName('hat')!.position.y = 1;
    expect(mixed([one, taller]).characters).toHaveLength(2);
    // where clips move bones they may be anywhere
    const bent = clone(one);
    bent.getObjectByName('upper')!.rotation.x = 1;
    expect(mixed([one, bent]).characters).toHaveLength(1);
  });

  test('have the parts that any of their roots shows', () => {
    const one = column();
    one.getObjectByName('hat')!.visible = false;
    const hatted = clone(one);
    hatted.getObjectByName('hat')!.visible = true;
    const crowdOf = mixed([one, hatted]);
    const [character] = crowdOf.characters;
    expect(character!.parts).toEqual(['body', 'hat']);
    const { crowd, group } = spawned(crowdOf);
    const { residents, ids } = internalsOf(crowd).host;
    const shown = group.ids.map((id) => residents.parts(ids.index(id))[0] & 3);
    expect(shown).toEqual([1, 3]);
    crowd.destroy();
  });
});

describe('originals', () => {
  test.each(['keep', 'hide', 'remove'] as const)('%s', (originals) => {
    const roots = scene((mixer) => void mixer.clipAction(WALK).play());
    const { root, mixer } = roots[0]!;
    const parent = new Group().add(root);
    const mixed = crowdFromMixers(roots, { clips: CLIPS, originals });
    const crowd = createCrowd(undefined, { characters: mixed.characters, capacity: 1, backend: 'cpu' });
    expect(root.visible && root.parent === parent).toBe(true);
    mixed.spawn(crowd);
    expect(root.visible).toBe(originals !== 'hide');
    expect(root.parent).toBe(originals === 'remove' ? null : parent);
    expect(mixer.existingAction(WALK)!.isRunning()).toBe(originals !== 'remove');
    crowd.destroy();
  });
});

describe('what a crowd does otherwise', () => {
  const told = (act: (mixer: AnimationMixer) => void, clips = CLIPS) =>
    crowdFromMixers(scene(act), { clips }).issues.map(({ code, message }) => `${code} ${message}`);

  test('is reported', () => {
    const leaving = told((mixer) => {
      mixer.clipAction(WALK).play();
      mixer.clipAction(DUCK).play().fadeOut(1);
      mixer.update(0.25);
    });
    expect(leaving).toEqual([expect.stringContaining('weight stays 0.750')]);
    expect(told((mixer) => void mixer.clipAction(WALK).setLoop(LoopPingPong, Infinity).play())).toEqual([
      expect.stringMatching(/^THREE_SIMPLIFIED .*to and fro/),
    ]);
    expect(told((mixer) => void mixer.clipAction(WALK).setLoop(LoopOnce, 1).play())).toHaveLength(1);
    expect(told((mixer) => void mixer.clipAction(WALK).startAt(5).play())).toEqual([
      expect.stringContaining('begin later'),
    ]);
    const warping = told((mixer) => {
      mixer.clipAction(WALK).warp(1, 0.5, 2).play();
      mixer.update(1);
    });
    expect(warping).toEqual([expect.stringContaining('speed stays 0.750')]);
    const added = AnimationUtils.makeClipAdditive(DUCK.clone());
    expect(told((mixer) => void mixer.clipAction(added).play(), [added])).toEqual([
      expect.stringContaining('additive layer'),
    ]);
    expect(told((mixer) => void mixer.clipAction(WALK).play())).toEqual([]);
  });

  test('what cannot be a crowd is refused', () => {
    const refusal = (roots: MixedRoot[]) => thrownBy(() => crowdFromMixers(roots, { clips: CLIPS })).code;
    const [uneven] = scene((_, root) => void root.scale.set(1, 2, 1));
    expect(refusal([uneven!])).toBe('CROWD_BAD_ARGUMENT');
    const [mirrored] = scene((_, root) => void root.scale.set(-1, 1, 1));
    expect(refusal([mirrored!])).toBe('CROWD_BAD_ARGUMENT');
    expect(refusal([{ root: column(), mixer: new AnimationMixer(column()) }])).toBe('CROWD_BAD_ARGUMENT');
  });
});

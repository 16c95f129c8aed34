import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeJoints, evaluatePose } from '../../src/character/evaluate.ts';
import type { CharacterModel, ClipModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { bindClips, loadModel } from '../../src/import/index.ts';
import { noShared, shared } from '../support/setup.ts';
import { thrownBy } from '../support/thrown-by.ts';
import { SOURCES } from './skeletons.ts';

const load = (file: string): Promise<CharacterModel> => loadModel(path.join(shared, file));
const clipOf = (model: CharacterModel, name: string): ClipModel => model.clips.find((clip) => clip.name === name)!;

/** The largest distance between joints of two models in a clip each, at some moments. */
function distance(a: CharacterModel, clipA: ClipModel, b: CharacterModel, clipB: ClipModel): number {
  let worst = 0;
  for (const share of [0, 0.3, 0.7, 1]) {
    const [p, q] = [[a, clipA], [b, clipB]].map(([model, clip]) => composeJoints(model as CharacterModel, evaluatePose(model as CharacterModel, clip as ClipModel, share * clipA.duration))); // prettier-ignore
    p!.forEach((value, i) => (worst = Math.max(worst, Math.abs(value - q![i]!))));
  }
  return worst;
}

describe.skipIf(noShared())('bindClips', () => {
  it('changes nothing on the same skeleton', async () => {
    for (const [, file, pattern] of SOURCES) {
      if (!file.includes('.')) continue;
      const model = await loadModel(file.startsWith('characters/') ? file : path.join(shared, file));
      const index = model.clips.findIndex(({ name }) => pattern.test(name));
      const { clips, reports } = bindClips({ ...model, clips: [] }, [{ model, clips: [index] }]);
      expect(reports).toMatchObject([{ method: 'direct', error: 0 }]);
      expect(distance(model, model.clips[index]!, model, clips[0]!), file).toBeLessThanOrEqual(1e-5);
    }
  }, 60_000);

  it('an armature scaled by 100 walks', async () => {
    const [bee, punk] = await Promise.all([
      load('assets/characters/astronaut-bee-draco.glb'),
      load('assets/characters/cyberpunk-character.glb'),
    ]);
    const { model, clips, reports } = bindClips(punk, [{ model: bee, clips: ['Walk'] }]);
    expect(reports).toMatchObject([{ method: 'humanoid', bones: 19 }]);
    const hips = punk.joints.findIndex(({ name }) => name === 'Body');
    const head = punk.joints.findIndex(({ name }) => name === 'Head');
    for (const share of [0, 0.25, 0.5, 0.75]) {
      const joints = composeJoints(punk, evaluatePose(punk, clips[0], share * clips[0]!.duration));
      const [low, high] = [joints[12 * hips + 7]!, joints[12 * head + 7]!];
      expect(low).toBeGreaterThan(0.4);
      expect(low).toBeLessThan(0.9);
      expect(high - low).toBeGreaterThan(0.4);
      expect(high - low).toBeLessThan(0.7);
    }
    expect(
      packCharacter(model, { clips: [clips[0]!.name === 'Walk' ? model.clips.length - 1 : 0] }).issues,
    ).toContainEqual(expect.objectContaining({ code: 'CLIP_RETARGETED', path: 'Walk' }));
  }, 60_000);

  it('gives names that are free, and adds issues to the model', async () => {
    const [knight, movement] = await Promise.all([
      load('assets/characters/kaykit-knight.glb'),
      load('rigs/gltf/kaykit-movement.glb'),
    ]);
    const source = {
      ...movement,
      clips: movement.clips.map((clip) => ({ ...clip, name: clip.name.replace('Rig_Medium|', '') })),
    };
    const { model, clips } = bindClips(knight, [{ model: source, clips: ['Walking_A', 'T-Pose'] }]);
    expect(clips.map(({ name }) => name)).toEqual(['Walking_A 2', 'T-Pose 2']);
    expect(model.clips).toHaveLength(knight.clips.length + 2);
    expect(model.issues.length).toBe(knight.issues.length + 2);
  });

  it('mirrors: twice is once nothing', async () => {
    const unreal = await load('rigs/fbx/unreal-mannequin.glb');
    const once = bindClips({ ...unreal, clips: [] }, [unreal], { mirror: true, feet: false });
    const [left, right] = ['hand_l', 'hand_r'].map((name) => unreal.joints.findIndex((joint) => joint.name === name));
    const at = (clip: ClipModel, joint: number): number[] => {
      const joints = composeJoints(unreal, evaluatePose(unreal, clip, 0.6));
      return [3, 7, 11].map((c) => joints[12 * joint + c]!);
    };
    const [x, y, z] = at(unreal.clips[0]!, left!);
    at(once.clips[0]!, right!).forEach((value, c) => expect(value).toBeCloseTo([-x!, y!, z!][c]!, 2));
    const twice = bindClips({ ...unreal, clips: [] }, [{ ...unreal, clips: once.clips }], {
      mirror: true,
      feet: false,
    });
    for (const joint of [left!, right!, 7, 59, 64])
      at(twice.clips[0]!, joint).forEach((value, c) => expect(value).toBeCloseTo(at(unreal.clips[0]!, joint)[c]!, 4));
  });

  it('scales root motion by the legs', async () => {
    const [knight, unreal] = await Promise.all([
      load('assets/characters/kaykit-knight.glb'),
      load('rigs/fbx/unreal-mannequin.glb'),
    ]);
    const root = {
      times: Float32Array.of(0, 1),
      positions: Float32Array.of(0, 0, 0, 0, 0, 1),
      rotations: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1),
    };
    const source = { ...knight, clips: [{ ...clipOf(knight, 'Walking_A'), root }] };
    const { clips } = bindClips(unreal, [source]);
    expect(clips[0]!.root!.positions[5]).toBeCloseTo(0.84 / 0.377, 1);
  });

  it('leaves fingers at rest if it should', async () => {
    const [unreal, zombie] = await Promise.all([
      load('rigs/fbx/unreal-mannequin.glb'),
      load('rigs/gltf/unreal-zombie.glb'),
    ]);
    const moved = (fingers: boolean) =>
      bindClips(zombie, [unreal], { fingers }).clips[0]!.tracks.filter(({ targetIndex }) =>
        /index|thumb/.test(zombie.joints[targetIndex]!.name),
      ).length;
    expect(moved(true)).toBe(12);
    expect(moved(false)).toBe(0);
  });

  it('joins animals by names, scaled and turned', async () => {
    const wolf = await load('assets/creatures/wolf.glb');
    const walk = clipOf(wolf, 'AnimalArmature|Walk');
    // the same wolf, twice as large and without the scale of its armature
    const large = {
      ...wolf,
      joints: wolf.joints.map((joint, i) => ({
        ...joint,
        scale: [1, 1, 1] as const,
        translation: joint.translation.map((v) => (i > 1 ? 200 * v : v)) as unknown as readonly [
          number,
          number,
          number,
        ],
      })),
      clips: [],
    };
    const { clips, reports } = bindClips(large, [{ model: wolf, clips: [walk.name] }]);
    expect(reports[0]!.method).toBe('joints');
    for (const share of [0, 0.4]) {
      const [a, b] = [
        composeJoints(wolf, evaluatePose(wolf, walk, share * walk.duration)),
        composeJoints(large, evaluatePose(large, clips[0], share * walk.duration)),
      ];
      for (const joint of [10, 28, 46])
        for (const c of [3, 7, 11]) expect(b[12 * joint + c]! / 2).toBeCloseTo(a[12 * joint + c]!, 2);
    }
  });

  it('joins joints by a map', async () => {
    const [wolf, fox] = await Promise.all([
      load('assets/creatures/wolf.glb'),
      load('assets/creatures/khronos-fox.glb'),
    ]);
    const joints = { Neck1: 'b_Neck_04', Head: 'b_Head_05', Torso: 'b_Spine01_02' };
    const { clips, reports } = bindClips(fox, [{ model: wolf, clips: ['AnimalArmature|Walk'], joints }]);
    expect(reports).toMatchObject([{ method: 'joints', bones: 3 }]);
    const names = new Set(clips[0]!.tracks.map(({ targetIndex }) => fox.joints[targetIndex]!.name));
    expect([...names].every((name) => Object.values(joints).includes(name))).toBe(true);
    const wrong = { Neck1: 'b_Nack' };
    expect(() => bindClips(fox, [{ model: wolf, joints: wrong }])).toThrow('HUMANOID_INVALID');
  });

  it('refuses clips that take too much, and maps without bones that are required', async () => {
    const [cmu, unreal] = await Promise.all([load('mocap/cmu02.glb'), load('rigs/fbx/unreal-mannequin.glb')]);
    const long = { ...cmu, clips: [{ ...cmu.clips[0]!, duration: 3600 }] };
    expect(thrownBy(() => bindClips(unreal, [long])).code).toBe('CLIP_TOO_LONG');
    expect(thrownBy(() => bindClips(unreal, [cmu], { humanoid: { hips: 2 } })).code).toBe('HUMANOID_INVALID');
  });

  it('refuses what nothing connects, and unknown clips', async () => {
    const [bee, fish] = await Promise.all([load('assets/creatures/bee.glb'), load('assets/creatures/clownfish.glb')]);
    const none = { ...fish, joints: fish.joints.map((joint) => ({ ...joint, name: `f ${joint.name}` })) };
    expect(thrownBy(() => bindClips(bee, [none])).code).toBe('HUMANOID_NOT_FOUND');
    expect(thrownBy(() => bindClips(bee, [{ model: fish, clips: ['Walk'] }])).code).toBe('CLIP_NOT_FOUND');
  });
});

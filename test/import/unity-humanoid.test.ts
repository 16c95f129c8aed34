// Unity's clips of muscles on a character: by importModel and bindClips, by bindUnityClip, and by the command.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeJoints, evaluatePose } from '../../src/character/evaluate.ts';
import { readBaked } from '../../src/character/index.ts';
import type { CharacterModel, ClipModel } from '../../src/character/model.ts';
import { ManipleError } from '../../src/errors.ts';
import {
  bindClips,
  bindUnityClip,
  findHumanoid,
  importModel,
  importUnityClip,
  loadModel,
} from '../../src/import/index.ts';
import { answer, legionary, readGlb } from '../cli/maniple.ts';
import { full, runSeed } from '../support/setup.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { brokenPromises, mutateBytes, randomFrom } from './model-promises.ts';
import { humanoidText, SQUAT, T_POSE, WALK } from './unity-humanoid.ts';
import { unity } from './unity-yaml.ts';

const folder = temporaryFolder();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hero = await loadModel(legionary);
const { map } = findHumanoid(hero);

/** The direction from one bone to another, and a bone's place, at a time. */
function placesOf(model: CharacterModel, clip: ClipModel, time = 0) {
  const affine = composeJoints(model, evaluatePose(model, clip, time));
  const at = (bone: keyof typeof map): number[] => [3, 7, 11].map((row) => affine[12 * map[bone]! + row]!);
  const direction = (from: keyof typeof map, to: keyof typeof map): number[] => {
    const [a, b] = [at(from), at(to)];
    const length = Math.hypot(...b.map((value, c) => value - a[c]!));
    return b.map((value, c) => (value - a[c]!) / length);
  };
  return { at, direction };
}

const BAKED = ['Orientation', 'PositionY', 'PositionXZ'].map((part) => `\nm_LoopBlend${part}: 1`).join('');
const RANGE = 'm_StartTime: 0\nm_StopTime: 1\nm_LoopTime: 1';

describe('a clip of muscles', () => {
  it('is a model, which bindClips carries to a character', async () => {
    const source = await importModel(bytes(humanoidText(T_POSE)), { name: 'tpose' });
    expect(source).toMatchObject({ name: 'tpose', clips: [{ name: 'Made' }] });
    const { clips, reports, model } = bindClips(hero, [source]);
    expect(reports).toMatchObject([{ method: 'humanoid', error: expect.closeTo(0, 1) as number }]);
    expect(model.issues).toContainEqual(expect.objectContaining({ code: 'CLIP_APPROXIMATE', path: 'Made' }));
    const pose = placesOf(hero, clips[0]!);
    expect(pose.direction('leftUpperArm', 'leftLowerArm')[0]).toBeGreaterThan(0.999);
    expect(pose.direction('rightUpperArm', 'rightLowerArm')[0]).toBeLessThan(-0.999);
    expect(pose.direction('leftUpperLeg', 'leftLowerLeg')[1]).toBeLessThan(-0.99);
  });

  it('holds planted feet on the ground', async () => {
    const range = 'm_StartTime: 0\nm_StopTime: 2\nm_LoopTime: 1';
    const source = await importModel(bytes(humanoidText(SQUAT, range + BAKED)));
    const { clips, reports } = bindClips(hero, [source]);
    expect(reports[0]!.footSlide!.high).toBeLessThan(0.03);
    const [up, down] = [placesOf(hero, clips[0]!, 0), placesOf(hero, clips[0]!, 1)];
    expect(up.at('hips')[1]! - down.at('hips')[1]!).toBeGreaterThan(0.3);
    for (const time of [0, 0.5, 1, 1.5, 2])
      expect(placesOf(hero, clips[0]!, time).at('leftFoot')[1]!).toBeCloseTo(up.at('leftFoot')[1]!, 1);
  });

  it('moves the character by the length of its legs', async () => {
    const source = await importModel(bytes(humanoidText(WALK, RANGE)));
    const { clips } = bindClips(hero, [source]);
    const { root } = clips[0]!;
    // legs of the normalised body are 0.857 m
    const still = placesOf(hero, bindClips(hero, [await importModel(bytes(humanoidText(T_POSE)))]).clips[0]!);
    const leg = still.at('leftUpperLeg')[1]! - still.at('leftFoot')[1]!;
    expect(root!.positions.at(-1)! / leg).toBeCloseTo(1.4 / 0.857, 1);
    const inPose = bindClips(hero, [await importModel(bytes(humanoidText(WALK, RANGE + BAKED)))]).clips[0]!;
    expect(inPose.root).toBeUndefined();
    const moved = placesOf(hero, inPose, 1).at('hips')[2]! - placesOf(hero, inPose, 0).at('hips')[2]!;
    expect(moved).toBeCloseTo(root!.positions.at(-1)!, 2);
  });

  it('wins over transforms of its bones; others and morph weights are bound by name', () => {
    const { tracks } = bindUnityClip(importUnityClip(humanoidText(T_POSE)), hero).clip;
    const moved = new Set(tracks.map(({ targetIndex }) => targetIndex));
    const helper = hero.joints.findIndex((_, joint) => joint > 0 && !moved.has(joint));
    const [bone, other] = [hero.joints[map.head!]!.name, hero.joints[helper]!.name];
    const rotation = (name: string) => unity.curve([{ time: 0, value: [0, 0.6, 0, 0.8] }], `path: ${name}`);
    const text = humanoidText(T_POSE, undefined, { m_RotationCurves: [rotation(bone), rotation(other)] });
    const { clip, unmatched, report, issues } = bindUnityClip(importUnityClip(text), hero);
    const tracksOf = (joint: number) => clip.tracks.filter(({ path: channel, targetIndex }) => channel === 'rotation' && targetIndex === joint);
    expect(tracksOf(map.head!)).toHaveLength(1);
    expect(Math.abs(tracksOf(map.head!)[0]!.values[1]!)).toBeLessThan(0.1);
    expect(tracksOf(helper)[0]!.values[1]).toBeCloseTo(-0.6, 6);
    expect(unmatched).toEqual([]);
    expect(report).toMatchObject({ method: 'humanoid' });
    expect(issues.map(({ code }) => code)).toEqual(['CLIP_RETARGETED', 'CLIP_APPROXIMATE']);
  }); // prettier-ignore

  it('says what does not fit a default body', async () => {
    const rotation = unity.curve([{ time: 0, value: [0, 0, 0, 1] }], 'path: Tail');
    const { issues } = await importModel(bytes(humanoidText(T_POSE, 'm_Mirror: 1', { m_RotationCurves: [rotation] })));
    expect(issues.map(({ code }) => code)).toEqual(['CLIP_APPROXIMATE', 'UNITY_UNSUPPORTED', 'UNITY_UNSUPPORTED']);
  });
});

describe('other files of Unity', () => {
  it('with transforms only belong to one skeleton', async () => {
    const text = unity.text(unity.clip({ curves: { m_PositionCurves: [unity.curve([{ time: 0, value: [0, 0, 0] }], 'path: A')] } })); // prettier-ignore
    await expect(importModel(bytes(text))).rejects.toMatchObject({ code: 'UNITY_UNSUPPORTED' });
  });

  it('that are binary are refused by name, with what to do', async () => {
    for (const lead of [20, 48]) {
      const file = Uint8Array.from([...new Uint8Array(lead), ...bytes('2022.3.5f1\0'), 0x13, 0, 0, 0]);
      const refused = importModel(file);
      await expect(refused).rejects.toMatchObject({ code: 'FILE_NOT_A_MODEL' });
      await expect(refused).rejects.toThrow(/binary Unity asset.*Force Text/s);
    }
  });

  it('that are damaged are refused with codes, or sound', async () => {
    const whole = bytes(humanoidText(WALK, RANGE));
    const random = randomFrom(runSeed);
    for (let round = 0; round < (full ? 1000 : 60); round++) {
      const cut = round % 2 === 0 ? whole.subarray(0, Math.floor(random() * whole.length)) : mutateBytes(whole, random);
      const elapsed = stopwatch();
      try {
        expect(brokenPromises(await importModel(cut)), `round ${round}`).toEqual([]);
      } catch (thrown) {
        if (!(thrown instanceof ManipleError)) throw new Error(`round ${round}`, { cause: thrown });
        expect(thrown.issues.some(({ code }) => code === 'INTERNAL')).toBe(false);
      }
      expect(elapsed()).toBeLessThan(5_000);
    }
  });
});

describe('masks of body parts', () => {
  it('with clips of muscles play on a character with known bones', async () => {
    const guid = 'c'.repeat(32);
    const file = (name: string, text: string): string => (writeFileSync(path.join(folder, name), text), name);
    const flags = Array.from({ length: 13 }, (_, part) => (part < 5 ? '00000000' : '01000000')).join('');
    file('Arms.mask', unity.text(unity.object(319, 31900000, 'AvatarMask', `m_Name: Arms\nm_Mask: ${flags}\nm_Elements: []`)));
    file('Arms.mask.meta', `fileFormatVersion: 2\nguid: ${guid}\n`);
    file('Squat.anim', humanoidText(SQUAT));
    file('Squat.anim.meta', `fileFormatVersion: 2\nguid: ${'d'.repeat(32)}\n`);
    const motion = `{fileID: 7400000, guid: ${'d'.repeat(32)}, type: 2}`;
    const layers = [
      { name: 'Base', machine: 1 },
      { name: 'Upper', machine: 2, more: `m_Mask: {fileID: 31900000, guid: ${guid}, type: 2}\nm_DefaultWeight: 1` },
    ];
    const machines = [1, 2].map((id) => unity.machine(id, `M${id}`, { states: [10 * id], start: 10 * id }));
    const states = [1, 2].map((id) => unity.state(10 * id, 'Squat', { motion }));
    const controller = file('Two.controller', unity.text(unity.controller(layers), ...machines, ...states));
    const script = file('script.json', '[{"dt": 0.5}]');
    const { issues } = await answer<{ issues: { code: string; severity: string }[] }>([
      'simulate', path.join(folder, controller), '--script', path.join(folder, script), '--character', legionary, '--backend', 'cpu',
    ]);
    const said = new Set(issues.filter(({ severity }) => severity !== 'info').map(({ code }) => code));
    expect([...said]).toEqual(['CLIP_APPROXIMATE']);
  }); // prettier-ignore
});

describe('the command', () => {
  const anim = path.join(folder, 'Walk.anim');
  writeFileSync(anim, humanoidText(WALK, RANGE));

  it('bakes, retargets and inspects them', async () => {
    const [baked, glb] = [path.join(folder, 'hero.maniple'), path.join(folder, 'hero.glb')];
    const said = await answer<{ clips: { clip: string; method: string }[]; issues: { code: string; path: string }[] }>([
      'bake', legionary, '--clips', 'idle', anim, anim, '--out', baked,
    ]); // prettier-ignore
    expect(said.clips).toMatchObject([{ clip: 'Made', method: 'humanoid' }, { clip: 'Made 2' }]);
    expect(said.issues).toContainEqual(expect.objectContaining({ code: 'CLIP_APPROXIMATE', path: `${anim}:Made` }));
    expect(readBaked(readFileSync(baked)).clips.map(({ name }) => name)).toEqual(['idle', 'Made', 'Made 2']);
    await answer(['retarget', legionary, '--clips', anim, '--out', glb]);
    const { animations } = readGlb(readFileSync(glb)) as unknown as { animations: { name: string }[] };
    expect(animations.at(-1)!.name).toBe('Made');
    const seen = await answer<{ clips: { name: string }[]; issues: { code: string }[] }>(['inspect', anim]);
    expect(seen.clips).toMatchObject([{ name: 'Made' }]);
    expect(seen.issues.map(({ code }) => code)).toContain('CLIP_APPROXIMATE');
  }, 60_000);
});

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HumanBone, HUMAN_BONES } from '../../src/character/humanoid.ts';
import { findHumanoid, readHumanoidMap } from '../../src/humanoid/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { importFile } from '../import/pose-model.ts';
import { hasTurn, noShared, shared, some } from '../support/setup.ts';
import { thrownBy } from '../support/thrown-by.ts';
import { fingerTruth, type Joints, jointsOfBvh, jointsOfTree, type Truth, truthOf } from './rig-trees.ts';
import * as truth from './truth.ts';

/** Bones that are wrong, missing or too many, as text. */
function mistakes(model: Joints, table: Truth, prefix = ''): { wrong: string[]; total: number } {
  const expected = truthOf(table);
  const { map } = findHumanoid(model);
  const wrong = HUMAN_BONES.flatMap((bone: HumanBone) => {
    const want = expected[bone] === undefined ? undefined : prefix + expected[bone];
    const got = map[bone] === undefined ? undefined : model.joints[map[bone]]!.name;
    return want === got ? [] : [`${bone}: ${got} instead of ${want}`];
  });
  return { wrong, total: Object.keys(expected).length };
}

const FILES: readonly (readonly [file: string, convention: string, truth: Truth])[] = [
  ['rigs/fbx/unreal-mannequin.glb', 'Unreal', truth.UNREAL],
  ['rigs/gltf/unreal-zombie.glb', 'Unreal', truth.UNREAL_TWO_FINGERS],
  ['rigs/gltf/kaykit-mannequin.gltf', 'KayKit', truth.KAYKIT],
  ['rigs/gltf/kaykit-movement.glb', 'KayKit', truth.KAYKIT],
  ['assets/characters/kaykit-knight.glb', 'KayKit', truth.KAYKIT],
  ['assets/characters/kaykit-barbarian.glb', 'KayKit', truth.KAYKIT],
  ['rigs/fbx/quaternius-knight.glb', 'Quaternius', truth.QUATERNIUS_KNIGHT],
  ['assets/characters/cyberpunk-character.glb', 'Quaternius', truth.CYBERPUNK],
  ['assets/characters/mech-george.glb', 'Quaternius', truth.MECH_GEORGE],
  ['assets/characters/robot-expressive.glb', 'Quaternius', truth.ROBOT_EXPRESSIVE],
  ['assets/characters/astronaut-bee-draco.glb', 'Quaternius', truth.ASTRONAUT_BEE],
  ['assets/characters/godot-robot-player.glb', 'other', truth.GODOT_ROBOT],
  ['mocap/cmu02.glb', 'ASF', truth.ASF],
  ['mocap/bandai1.glb', 'Bandai', truth.BANDAI],
  ['../characters/legionary.glb', 'Blender', truth.LEGIONARY],
];

describe.skipIf(noShared() || !hasTurn(2))('the humanoid of a file', () => {
  it.each(some(FILES, 8))('%s', async (file, convention, table) => {
    const folder = file.startsWith('../') ? path.join(import.meta.dirname, '..') : shared;
    const model = await importFile(path.join(folder, file));
    expect(mistakes(model, table).wrong).toEqual([]);
    expect(findHumanoid(model).convention).toBe(convention);
    expect(findHumanoid(model).confidence).toBeGreaterThan(0.7);
  });

  it.each(['godette-vrm0.vrm', 'godette-vrm1.vrm'])('%s, by names where the file is not asked', async (file) => {
    const model = await importFile(path.join(shared, 'rigs/vrm', file));
    expect(mistakes({ name: model.name, joints: model.joints }, truth.GODETTE).wrong).toEqual([]);
  });

  it.each([
    ['cmu-12-01-walk.bvh', truth.CMU_BVH],
    ['bandai-dash.bvh', truth.BANDAI],
    ['mocapbank.bvh', truth.MOCAPBANK],
    ['biovision-two-frames.bvh', truth.BIOVISION],
    ['motionbuilder-walk01.bvh', truth.MOTIONBUILDER],
    ['spine3-75frames.bvh', truth.SPINE3],
  ])('%s', (file, table) => {
    expect(mistakes(jointsOfBvh(path.join(shared, 'rigs/bvh', file)), table).wrong).toEqual([]);
  });

  it('mixamo-names.bvh, with eyes', () => {
    const model = jointsOfBvh(path.join(shared, 'rigs/bvh/mixamo-names.bvh'));
    const eyes = { ...truth.MIXAMO, sided: `${truth.MIXAMO.sided} Eye:*Eye` };
    expect(mistakes(model, eyes, 'mixamorig:').wrong).toEqual([]);
  });

  it.each([
    ['mixamo-names.fbx', truth.MIXAMO, 'mixamorig:', 'Mixamo'],
    ['unreal-zup.fbx', truth.UNREAL, '', 'Unreal'],
    ['quaternius-knight.fbx', truth.QUATERNIUS_KNIGHT, '', 'Quaternius'],
    ['maya-kenney-character.fbx', truth.KENNEY, '', 'HumanIK'],
    ['maya-humanik-ascii.fbx', truth.MIXAMO, 'Character1_', 'HumanIK'],
    ['motionbuilder-walk01.fbx', truth.MOTIONBUILDER_TOES, '', 'HumanIK'],
    ['pab-character.fbx', truth.PAB, '', 'HumanIK'],
    ['pab-run.fbx', truth.PAB, '', 'HumanIK'],
    ['cmu-91-48.fbx', truth.POSER, '', 'Poser'],
  ])('%s', async (file, table, prefix, convention) => {
    const model = await loadModel(path.join(shared, 'rigs/fbx', file));
    expect(mistakes(model, table, prefix).wrong).toEqual([]);
    expect(findHumanoid(model).convention).toBe(convention);
  });

  it.each(['godette-vrm0.vrm', 'godette-vrm1.vrm'])('%s: names and the file agree', async (file) => {
    const model = await loadModel(path.join(shared, 'rigs/vrm', file));
    expect(findHumanoid({ joints: model.joints }).map).toEqual(findHumanoid(model).map);
  });

  it.each(['quaternius-trex.fbx', 'blender-sausage-3takes.fbx', 'max-skin-zup.fbx'])('not in %s', async (file) => {
    expect(findHumanoid(await loadModel(path.join(shared, 'rigs/fbx', file))).map).toEqual({});
  });

  it('without names, by its structure', async () => {
    const { map, convention } = findHumanoid(await importFile(path.join(shared, 'assets/characters/cesium-man.glb')));
    expect(convention).toBe('structure');
    expect(map).toMatchObject({ hips: 2, spine: 3, chest: 4, neck: 5, head: 6 });
    // it faces +X
    expect([map.leftUpperArm, map.leftLowerArm, map.leftHand, map.leftUpperLeg, map.leftFoot]).toEqual([
      7, 8, 9, 13, 15,
    ]);
  });

  it.each(['bee', 'clownfish', 'cow', 'horse', 'khronos-fox', 'spider', 'trex', 'wolf'])(
    'not in a %s',
    async (name) => {
      const { map, confidence, doubts } = findHumanoid(
        await importFile(path.join(shared, `assets/creatures/${name}.glb`)),
      );
      expect(map).toEqual({});
      expect(confidence).toBe(0);
      expect(doubts).toHaveLength(1);
    },
  );
});

/** A tree of joints at places of a standing person, so that structure agrees with names. */
function standing(names: Readonly<Record<string, string>>): Joints {
  const name = (key: string): string => names[key] ?? key;
  const side = (s: string, x: number): string => `
    ${name(`${s}UpperLeg`)} ${0.09 * x} -0.05 0
      ${name(`${s}LowerLeg`)} 0 -0.4 0.01
        ${name(`${s}Foot`)} 0 -0.4 -0.03
          ${name(`${s}Toes`)} 0 -0.08 0.15`;
  const arm = (s: string, x: number): string => `
          ${name(`${s}Shoulder`)} ${0.05 * x} 0.1 0
            ${name(`${s}UpperArm`)} ${0.12 * x} 0 0
              ${name(`${s}LowerArm`)} ${0.28 * x} 0 0
                ${name(`${s}Hand`)} ${0.25 * x} 0 0
                  ${name(`${s}Thumb1`)} ${0.03 * x} -0.02 0.03
                    ${name(`${s}Thumb2`)} ${0.03 * x} 0 0.02
                      ${name(`${s}Thumb3`)} ${0.03 * x} 0 0.02
                  ${name(`${s}Index1`)} ${0.09 * x} 0 0.03
                    ${name(`${s}Index2`)} ${0.03 * x} 0 0
                      ${name(`${s}Index3`)} ${0.03 * x} 0 0`;
  const tree = `${name('root')}
  ${name('hips')} 0 0.95 0${side('left', 1)}${side('right', -1)}
    ${name('spine')} 0 0.1 0
      ${name('chest')} 0 0.15 0
        ${name('upperChest')} 0 0.15 0${arm('left', 1)}${arm('right', -1)}
          ${name('neck')} 0 0.2 0
            ${name('head')} 0 0.1 0`;
  return jointsOfTree(tree);
}

/** Names of all joints of `standing` by patterns, `*` for the side. */
function named(marks: readonly [string, string], middle: string, sided: string): Record<string, string> {
  const pairs = (text: string) => text.split(/,\s*/).map((pair) => pair.split(/:(.*)/s) as [string, string]);
  const sides = ['left', 'right'].flatMap((side, s) =>
    pairs(sided).map(([bone, name]) => [`${side}${bone}`, name.replaceAll('*', marks[s]!)]),
  );
  return Object.fromEntries([...pairs(middle), ...sides]) as Record<string, string>;
}

const CONVENTIONS: readonly (readonly [convention: string, names: Record<string, string>])[] = [
  ['Mixamo', named(['Left', 'Right'], 'root:Armature, hips:mixamorig:Hips, spine:mixamorig:Spine, chest:mixamorig:Spine1, upperChest:mixamorig:Spine2, neck:mixamorig:Neck, head:mixamorig:Head', 'UpperLeg:mixamorig:*UpLeg, LowerLeg:mixamorig:*Leg, Foot:mixamorig:*Foot, Toes:mixamorig:*ToeBase, Shoulder:mixamorig:*Shoulder, UpperArm:mixamorig:*Arm, LowerArm:mixamorig:*ForeArm, Hand:mixamorig:*Hand, Thumb1:mixamorig:*HandThumb1, Thumb2:mixamorig:*HandThumb2, Thumb3:mixamorig:*HandThumb3, Index1:mixamorig:*HandIndex1, Index2:mixamorig:*HandIndex2, Index3:mixamorig:*HandIndex3')], // prettier-ignore
  ['Mixamo', named(['Left', 'Right'], 'root:Armature, hips:mixamorig9Hips, spine:mixamorig9Spine, chest:mixamorig9Spine1, upperChest:mixamorig9Spine2, neck:mixamorig9Neck, head:mixamorig9Head', 'UpperLeg:mixamorig9*UpLeg, LowerLeg:mixamorig9*Leg, Foot:mixamorig9*Foot, Toes:mixamorig9*ToeBase, Shoulder:mixamorig9*Shoulder, UpperArm:mixamorig9*Arm, LowerArm:mixamorig9*ForeArm, Hand:mixamorig9*Hand, Thumb1:mixamorig9*HandThumb1, Thumb2:mixamorig9*HandThumb2, Thumb3:mixamorig9*HandThumb3, Index1:mixamorig9*HandIndex1, Index2:mixamorig9*HandIndex2, Index3:mixamorig9*HandIndex3')], // prettier-ignore
  ['Rigify', named(['L', 'R'], 'root:root, hips:DEF-spine, spine:DEF-spine.001, chest:DEF-spine.002, upperChest:DEF-spine.003, neck:DEF-spine.004, head:DEF-spine.006', 'UpperLeg:DEF-thigh.*, LowerLeg:DEF-shin.*, Foot:DEF-foot.*, Toes:DEF-toe.*, Shoulder:DEF-shoulder.*, UpperArm:DEF-upper_arm.*, LowerArm:DEF-forearm.*, Hand:DEF-hand.*, Thumb1:DEF-thumb.01.*, Thumb2:DEF-thumb.02.*, Thumb3:DEF-thumb.03.*, Index1:DEF-f_index.01.*, Index2:DEF-f_index.02.*, Index3:DEF-f_index.03.*')], // prettier-ignore
  ['Blender', named(['L', 'R'], 'root:metarig, hips:spine, spine:spine.001, chest:spine.002, upperChest:spine.003, neck:spine.004, head:spine.006', 'UpperLeg:thigh.*, LowerLeg:shin.*, Foot:foot.*, Toes:toe.*, Shoulder:shoulder.*, UpperArm:upper_arm.*, LowerArm:forearm.*, Hand:hand.*, Thumb1:thumb.01.*, Thumb2:thumb.02.*, Thumb3:thumb.03.*, Index1:f_index.01.*, Index2:f_index.02.*, Index3:f_index.03.*')], // prettier-ignore
  ['Biped', named(['L', 'R'], 'root:Bip01, hips:Bip01 Pelvis, spine:Bip01 Spine, chest:Bip01 Spine1, upperChest:Bip01 Spine2, neck:Bip01 Neck, head:Bip01 Head', 'UpperLeg:Bip01 * Thigh, LowerLeg:Bip01 * Calf, Foot:Bip01 * Foot, Toes:Bip01 * Toe0, Shoulder:Bip01 * Clavicle, UpperArm:Bip01 * UpperArm, LowerArm:Bip01 * Forearm, Hand:Bip01 * Hand, Thumb1:Bip01 * Finger0, Thumb2:Bip01 * Finger01, Thumb3:Bip01 * Finger02, Index1:Bip01 * Finger1, Index2:Bip01 * Finger11, Index3:Bip01 * Finger12')], // prettier-ignore
  ['DAZ', named(['l', 'r'], 'root:Genesis, hips:hip, spine:abdomenLower, chest:chestLower, upperChest:chestUpper, neck:neckLower, head:head', 'UpperLeg:*ThighBend, LowerLeg:*Shin, Foot:*Foot, Toes:*Toe, Shoulder:*Collar, UpperArm:*ShldrBend, LowerArm:*ForearmBend, Hand:*Hand, Thumb1:*Thumb1, Thumb2:*Thumb2, Thumb3:*Thumb3, Index1:*Index1, Index2:*Index2, Index3:*Index3')], // prettier-ignore
  ['VRoid', named(['L', 'R'], 'root:Root, hips:J_Bip_C_Hips, spine:J_Bip_C_Spine, chest:J_Bip_C_Chest, upperChest:J_Bip_C_UpperChest, neck:J_Bip_C_Neck, head:J_Bip_C_Head', 'UpperLeg:J_Bip_*_UpperLeg, LowerLeg:J_Bip_*_LowerLeg, Foot:J_Bip_*_Foot, Toes:J_Bip_*_ToeBase, Shoulder:J_Bip_*_Shoulder, UpperArm:J_Bip_*_UpperArm, LowerArm:J_Bip_*_LowerArm, Hand:J_Bip_*_Hand, Thumb1:J_Bip_*_Thumb1, Thumb2:J_Bip_*_Thumb2, Thumb3:J_Bip_*_Thumb3, Index1:J_Bip_*_Index1, Index2:J_Bip_*_Index2, Index3:J_Bip_*_Index3')], // prettier-ignore
  ['HumanIK', named(['Left', 'Right'], 'root:Character1_Reference, hips:Character1_Hips, spine:Character1_Spine, chest:Character1_Spine1, upperChest:Character1_Spine2, neck:Character1_Neck, head:Character1_Head', 'UpperLeg:Character1_*UpLeg, LowerLeg:Character1_*Leg, Foot:Character1_*Foot, Toes:Character1_*ToeBase, Shoulder:Character1_*Shoulder, UpperArm:Character1_*Arm, LowerArm:Character1_*ForeArm, Hand:Character1_*Hand, Thumb1:Character1_*HandThumb1, Thumb2:Character1_*HandThumb2, Thumb3:Character1_*HandThumb3, Index1:Character1_*HandIndex1, Index2:Character1_*HandIndex2, Index3:Character1_*HandIndex3')], // prettier-ignore
  ['Character Creator', named(['L', 'R'], 'root:CC_Base_BoneRoot, hips:CC_Base_Hip, spine:CC_Base_Waist, chest:CC_Base_Spine01, upperChest:CC_Base_Spine02, neck:CC_Base_Neck, head:CC_Base_Head', 'UpperLeg:CC_Base_*_Thigh, LowerLeg:CC_Base_*_Calf, Foot:CC_Base_*_Foot, Toes:CC_Base_*_ToeBase, Shoulder:CC_Base_*_Clavicle, UpperArm:CC_Base_*_Upperarm, LowerArm:CC_Base_*_Forearm, Hand:CC_Base_*_Hand, Thumb1:CC_Base_*_Thumb1, Thumb2:CC_Base_*_Thumb2, Thumb3:CC_Base_*_Thumb3, Index1:CC_Base_*_Index1, Index2:CC_Base_*_Index2, Index3:CC_Base_*_Index3')], // prettier-ignore
  ['Unity', named(['Left', 'Right'], 'root:Root, hips:Hips, spine:Spine, chest:Chest, upperChest:UpperChest, neck:Neck, head:Head', 'UpperLeg:*UpperLeg, LowerLeg:*LowerLeg, Foot:*Foot, Toes:*Toes, Shoulder:*Shoulder, UpperArm:*UpperArm, LowerArm:*LowerArm, Hand:*Hand, Thumb1:*ThumbProximal, Thumb2:*ThumbIntermediate, Thumb3:*ThumbDistal, Index1:*IndexProximal, Index2:*IndexIntermediate, Index3:*IndexDistal')], // prettier-ignore
  // names that a loader has cleaned, in small letters
  ['other', named(['l', 'r'], 'root:root, hips:pelvis, spine:spine01, chest:spine02, upperChest:spine03, neck:neck, head:head', 'UpperLeg:thigh*, LowerLeg:calf*, Foot:foot*, Toes:ball*, Shoulder:clavicle*, UpperArm:upperarm*, LowerArm:lowerarm*, Hand:hand*, Thumb1:thumb01*, Thumb2:thumb02*, Thumb3:thumb03*, Index1:index01*, Index2:index02*, Index3:index03*')], // prettier-ignore
];

const STANDING_BONES: Readonly<Record<string, string>> = {
  Thumb1: 'ThumbMetacarpal', Thumb2: 'ThumbProximal', Thumb3: 'ThumbDistal',
  Index1: 'IndexProximal', Index2: 'IndexIntermediate', Index3: 'IndexDistal',
}; // prettier-ignore

describe.runIf(hasTurn(2))('the humanoid of names', () => {
  it.each(CONVENTIONS)('of %s, %#', (convention, names) => {
    const model = standing(names);
    const finding = findHumanoid(model);
    const expected = Object.entries(names).flatMap(([key, name]) => {
      const bone = key.replace(/(Thumb|Index)\d$/, (part) => STANDING_BONES[part]!);
      return key === 'root' ? [] : [[bone, name]];
    });
    const got = Object.entries(finding.map).map(([bone, joint]) => [bone, model.joints[joint]!.name]);
    expect(Object.fromEntries(got)).toEqual(Object.fromEntries(expected));
    expect(finding.convention).toBe(convention);
  });

  it('leaves out controls, twist helpers and ends', () => {
    const text = `root
  HipsCtrl
    Hips 0 1 0
      LeftUpLeg 0.1 -0.05 0
        LeftUpLegTwist 0 -0.1 0
        LeftLeg 0 -0.4 0
          LeftFoot 0 -0.4 0
            LeftToes 0 -0.05 0.1
              LeftToes_end 0 0 0.1
      RightUpLeg -0.1 -0.05 0
        RightLeg 0 -0.4 0
          RightFoot 0 -0.4 0
            RightToes 0 -0.05 0.1
      Spine 0 0.1 0
        LeftShoulder 0.05 0.3 0
          LeftArm 0.1 0 0
            LeftForeArm 0.3 0 0
              LeftHand 0.25 0 0
        RightShoulder -0.05 0.3 0
          RightArm -0.1 0 0
            RightForeArm -0.3 0 0
              RightHand -0.25 0 0
        Neck 0 0.4 0
          Head 0 0.1 0
            Head_end 0 0.2 0
  LeftFootCtrl 0.1 0.1 0
    LeftFootIK
  LeftKneeCtrl 0.1 0.5 1`;
    const model = jointsOfTree(text);
    const names = Object.values(findHumanoid(model).map).map((joint) => model.joints[joint]!.name);
    expect(names).toHaveLength(20);
    expect(names.filter((name) => /ctrl|ik|twist|end/i.test(name))).toEqual([]);
  });

  it('takes a map that the file names', () => {
    const model = standing({});
    const map = findHumanoid(model).map;
    const { chest, ...named } = map;
    expect(findHumanoid({ ...model, humanoid: named })).toEqual({
      map: named,
      convention: 'file',
      confidence: 1,
      doubts: [],
      bones: Object.fromEntries(Object.keys(named).map((bone) => [bone, 1])),
    });
    expect(chest).toBeDefined();
    const finding = findHumanoid({ ...model, humanoid: { hips: 3, spine: 4 } });
    expect(finding).toMatchObject({ convention: 'file', confidence: 0 });
    expect(finding.doubts[0]).toContain('The map has no head');
  });

  it('finds none where an arm is missing, and says what is', () => {
    const { joints } = standing({});
    const model = { joints: joints.map((joint) => ({ ...joint, name: joint.name.replace('leftLowerArm', 'x') })) };
    const { map, doubts } = findHumanoid(model);
    expect(map).toEqual({});
    expect(doubts[0]).toContain('leftLowerArm');
  });
});

describe.runIf(hasTurn(2))('a map as JSON', () => {
  const model = standing({});
  const found = findHumanoid(model).map;

  it('replaces what was found', () => {
    const map = readHumanoidMap({ chest: 'upperChest', upperChest: null }, model, found);
    expect(model.joints[map.chest!]!.name).toBe('upperChest');
    expect(map.upperChest).toBeUndefined();
    expect(map.hips).toBe(found.hips);
  });

  it('takes a joint from the bone that it was found to be', () => {
    const map = readHumanoidMap({ spine: 'chest' }, model, found);
    expect(model.joints[map.spine!]!.name).toBe('chest');
    expect(map.chest).toBeUndefined();
  });

  it.each([
    [[], 'Expected an object'],
    [{ tail: 'hips' }, '"tail" is not a bone'],
    [{ hips: 'pelvis' }, 'has no joint "pelvis"'],
    [{ hips: 7 }, 'has no joint 7'],
    [{ hips: 'spine', spine: 'spine' }, 'is hips already'],
  ])('%j is refused', (json, message) => {
    const { code, issues } = thrownBy(() => readHumanoidMap(json, model, found));
    expect(code).toBe('HUMANOID_INVALID');
    expect(issues[0]!.message).toContain(message);
  });
});

it('fingerTruth writes what it should', () => {
  expect(fingerTruth('#_%_*', ['thumb'], 1, 2)).toBe(
    'ThumbMetacarpal:thumb_01_* ThumbProximal:thumb_02_* ThumbDistal:thumb_03_*',
  );
});

import { describe, expect, it, test } from 'vitest';
import { jointAt } from '../../test/support/small-model.ts';
import { View } from '../layout/index.ts';
import { mirrorPairs, mirrorTable } from './mirror.ts';
import { MIRROR_KEEPS, MirrorLane } from './format/rig-layout.ts';

describe('pairs by name', () => {
  test.each([
    ['LeftArm', 'RightArm'],
    ['leftArm', 'rightArm'],
    ['mixamorig:LeftHandThumb1', 'mixamorig:RightHandThumb1'],
    ['Character1_LeftUpLeg', 'Character1_RightUpLeg'],
    ['ARM_LEFT', 'ARM_RIGHT'],
    ['Bip01 L Thigh', 'Bip01 R Thigh'],
    ['thigh_l', 'thigh_r'],
    ['thigh_twist_01_l', 'thigh_twist_01_r'],
    ['Thigh.L', 'Thigh.R'],
    ['thigh.L.001', 'thigh.R.001'],
    ['hand-l', 'hand-r'],
    ['L_hand', 'R_hand'],
    ['l_hand', 'r_hand'],
    ['J_Bip_L_UpperArm', 'J_Bip_R_UpperArm'],
    ['handL', 'handR'],
    ['lShldrBend', 'rShldrBend'],
    ['LArm', 'RArm'],
    ['b_LeftUpperArm_09', 'b_RightUpperArm_06'],
    ['arm_l_12', 'arm_r_13'],
    // not every mark tells sides apart: "right" within a word, both sides in one name
    ['Bright_L', 'Bright_R'],
    ['LeftUpright', 'RightUpright'],
    ['aim_l_at_left', 'aim_r_at_right'],
  ])('%s and %s', (left, right) => {
    expect(Array.from(mirrorPairs(['Hips', left, right]))).toEqual([0, 2, 1]);
    expect(Array.from(mirrorPairs([right, 'Spine', left]))).toEqual([2, 1, 0]);
  });

  it('need both names', () => {
    expect(Array.from(mirrorPairs(['LeftArm', 'Upright', 'L5', 'RightLeg', '']))).toEqual([0, 1, 2, 3, 4]);
  });

  it('need each of them once', () => {
    expect(Array.from(mirrorPairs(['arm_l', 'arm_r', 'arm_r']))).toEqual([0, 1, 2]);
  });

  it('distinguish serial numbers from those that are part of the name', () => {
    expect(Array.from(mirrorPairs(['l_toe_1', 'l_toe_2', 'r_toe_2', 'r_toe_1', 'l_eye_7', 'r_eye_8']))).toEqual([
      3, 2, 1, 0, 5, 4,
    ]);
    // two left ones: nobody knows which
    expect(Array.from(mirrorPairs(['l_toe_1', 'l_toe_2', 'r_toe_3']))).toEqual([0, 1, 2]);
  });

  it('are mutual', () => {
    // "arm_L left" has two candidates, and the likelier one is taken by its own counterpart
    const names = ['a left_L', 'a right_L', 'a left_R', 'a right_R'];
    const pairs = mirrorPairs(names);
    pairs.forEach((other, joint) => expect(pairs[other]).toBe(joint));
    expect(pairs[0]).not.toBe(0);
  });

  it('take time in proportion to the names', () => {
    const long = 'l_left'.repeat(100_000);
    expect(Array.from(mirrorPairs([long, 'x']))).toEqual([0, 1]);
  });
});

describe('the mirror table', () => {
  const named = (parents: readonly number[]) => parents.map((parentIndex) => jointAt([0, 0, 0], { parentIndex }));
  const read = (words: Uint32Array<ArrayBuffer>) => {
    const view = new View(MirrorLane, words.buffer);
    return Array.from({ length: view.count }, (_, lane) => ({
      pair: view.get(lane, 'pairLane'),
      keeps: view.get(lane, 'flags') === MIRROR_KEEPS,
    }));
  };

  it('keeps what hangs on one side only, and all below it', () => {
    // hips; left hand, right hand; a sword in the right one with a tassel left and right
    const joints = named([-1, 0, 0, 2, 3, 3]);
    const { words, unmirrored } = mirrorTable(joints, [0, 2, 1, 3, 5, 4], 6);
    expect(unmirrored).toEqual([3]);
    expect(read(words)).toEqual([
      { pair: 0, keeps: false },
      { pair: 2, keeps: false },
      { pair: 1, keeps: false },
      { pair: 3, keeps: true },
      { pair: 4, keeps: true },
      { pair: 5, keeps: true },
    ]);
  });

  it('keeps joints with pairs that do not point back, or point nowhere', () => {
    const { words, unmirrored } = mirrorTable(named([-1, -1, -1]), [1, 2, 7], 3);
    expect(unmirrored).toEqual([0, 1, 2]);
    expect(read(words).map(({ pair }) => pair)).toEqual([0, 1, 2]);
    expect(mirrorTable(named([-1]), [], 1).unmirrored).toEqual([0]);
  });

  it('keeps morph weights', () => {
    const { words, unmirrored } = mirrorTable(named([-1]), [0], 3);
    expect(unmirrored).toEqual([]);
    expect(read(words)).toEqual([
      { pair: 0, keeps: false },
      { pair: 1, keeps: true },
      { pair: 2, keeps: true },
    ]);
  });

  it('turns by what the reflection of the rest pose leaves', () => {
    // a quarter turn about Z, and its counterpart unturned: C = (S(R_pair))⁻¹ R
    const quarter = [0, 0, Math.SQRT1_2, Math.SQRT1_2] as const;
    const joints = [jointAt([0, 0, 0], { rotation: quarter }), jointAt([0, 0, 0])];
    const view = new View(MirrorLane, mirrorTable(joints, [1, 0], 2).words.buffer);
    const expected = [
      [0, 0, Math.SQRT1_2, Math.SQRT1_2], // identity⁻¹ × 90°
      [0, 0, Math.SQRT1_2, Math.SQRT1_2], // (−90°)⁻¹ × identity
    ];
    expected.forEach((post, lane) => {
      view.get(lane, 'post').forEach((value, c) => expect(value).toBeCloseTo(post[c]!, 6));
      view.get(lane, 'pre').forEach((value, c) => expect(value).toBeCloseTo(c === 3 ? 1 : 0, 6));
    });
  });
});

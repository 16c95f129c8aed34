import { describe, expect, it } from 'vitest';
import { maskWeights } from './mask.ts';

/** As files have them: a scene root and an armature stand above what a tool calls the root. */
const JOINTS = [
  ['Scene', -1],
  ['Armature', 0],
  ['Hips', 1],
  ['Spine', 2],
  ['Arm', 3],
  ['Hand', 4],
  ['Leg', 2],
  ['Hand', 6], // a monkey
] as const;
const joints = JOINTS.map(([name, parentIndex]) => ({ name, parentIndex }));

const weights = (mask: Record<string, number>, laneCount = joints.length) =>
  Array.from(maskWeights(mask, joints, laneCount).bytes);

describe('parts of a body', () => {
  const body = [
    ['root', -1],
    ['hips', 0],
    ['spine', 1],
    ['head', 2],
    ['hair', 3],
    ['arm', 2],
    ['twist', 5],
    ['hand', 5],
    ['index', 7],
    ['sword', 7],
    ['thigh', 1],
  ].map(([name, parentIndex]) => ({ name: name as string, parentIndex: parentIndex as number }));
  const humanoid = { hips: 1, spine: 2, head: 3, leftUpperArm: 5, leftHand: 7, leftIndexProximal: 8, leftUpperLeg: 10 };
  const weighed = (mask: Record<string, number>) =>
    body.filter((_, i) => maskWeights(mask, body, body.length, humanoid).bytes[i] === 255).map(({ name }) => name);

  it('are their bones and what hangs below them', () => {
    expect(weighed({ 'humanoid:leftArm': 1 })).toEqual(['arm', 'twist', 'hand', 'sword']);
    expect(weighed({ 'humanoid:leftFingers': 1 })).toEqual(['index']);
    expect(weighed({ 'humanoid:head': 1, 'humanoid:body': 1 })).toEqual(['spine', 'head', 'hair']);
    expect(weighed({ 'humanoid:root': 1, 'humanoid:leftLeg': 1 })).toEqual(['root', 'hips', 'thigh']);
    expect(weighed({ '**': 1, 'humanoid:leftLeg': 0, 'humanoid:root': 0 })).not.toContain('hips');
  });

  it('decide about bones; paths decide about other joints that they name', () => {
    expect(weighed({ 'humanoid:leftArm': 1, sword: 0, hand: 0 })).toEqual(['arm', 'twist', 'hand']);
    expect(weighed({ 'humanoid:leftArm': 0, sword: 1, hand: 1 })).toEqual(['sword']);
    expect(weighed({ '**': 1, 'humanoid:leftArm': 0 })).not.toContain('twist');
  });

  it('match nothing without bones', () => {
    const { bytes, unmatched } = maskWeights({ 'humanoid:leftArm': 1, hair: 1 }, body, body.length);
    expect([bytes[4], bytes[5], unmatched]).toEqual([255, 0, ['humanoid:leftArm']]);
    expect(maskWeights({ 'humanoid:tail': 1 }, body, body.length, humanoid).unmatched).toEqual(['humanoid:tail']);
  });
});

describe('a mask', () => {
  it('means every joint of a name', () => {
    expect(weights({ Hand: 1, Spine: 1 })).toEqual([0, 0, 0, 255, 0, 255, 0, 255]);
  });

  it('means joints with a path that ends with it, name by name', () => {
    expect(weights({ 'Arm/Hand': 1 })).toEqual([0, 0, 0, 0, 0, 255, 0, 0]);
    expect(weights({ 'Hips/Spine/Arm': 1 })).toEqual([0, 0, 0, 0, 255, 0, 0, 0]);
    expect(weights({ 'Scene/Armature/Hips': 1 })).toEqual([0, 0, 255, 0, 0, 0, 0, 0]);
    // "m/Hand" ends the text of Arm/Hand, but no name is "m"; nothing stands above Scene
    const { bytes, unmatched } = maskWeights(
      { 'm/Hand': 1, and: 1, 'X/Scene': 1, '/Scene': 1, 'Hips/Arm': 1, '': 1 },
      joints,
      joints.length,
    );
    expect(Array.from(bytes)).toEqual(joints.map(() => 0));
    expect(unmatched).toEqual(['m/Hand', 'and', 'X/Scene', '/Scene', 'Hips/Arm', '']);
  });

  it('means all below as well with /**', () => {
    expect(weights({ 'Spine/**': 1 })).toEqual([0, 0, 0, 255, 255, 255, 0, 0]);
    expect(weights({ 'Hips/Leg/**': 0.2 })).toEqual([0, 0, 0, 0, 0, 0, 51, 51]);
    expect(weights({ '/**': 1 })).toEqual(joints.map(() => 255));
    expect(weights({ '**': 0.2 })).toEqual(joints.map(() => 51));
    expect(maskWeights({ 'Tail/**': 1 }, joints, 8).unmatched).toEqual(['Tail/**']);
  });

  it('lets later entries win', () => {
    expect(weights({ '**': 1, 'Spine/**': 0, 'Arm/Hand': 0.6 })).toEqual([255, 255, 255, 0, 0, 153, 255, 255]);
    expect(weights({ 'Arm/Hand': 1, 'Spine/**': 0.2 })).toEqual([0, 0, 0, 51, 51, 51, 0, 0]);
  });

  it('is everything when it is empty', () => {
    expect(weights({}, 10)).toEqual(Array.from({ length: 10 }, () => 255));
  });

  it('does not change morph weights', () => {
    expect(weights({ Scene: 1 }, 10)).toEqual([255, 0, 0, 0, 0, 0, 0, 0, 255, 255]);
    expect(weights({ '**': 0 }, 9)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 255]);
  });

  it('clamps weights, and takes values that are not numbers for 0', () => {
    expect(weights({ Scene: 7, Armature: -1, Hips: NaN, Spine: 0.5 }).slice(0, 4)).toEqual([255, 0, 0, 128]);
  });

  it('finds names that hold a slash, and repeat along a chain', () => {
    const chain = ['a', 'a', 'x/a', 'a'].map((name, index) => ({ name, parentIndex: index - 1 }));
    expect(Array.from(maskWeights({ 'a/a': 1 }, chain, 4).bytes)).toEqual([0, 255, 0, 0]);
    expect(Array.from(maskWeights({ 'x/a': 1 }, chain, 4).bytes)).toEqual([0, 0, 255, 0]);
    expect(Array.from(maskWeights({ 'a/x/a/a': 1 }, chain, 4).bytes)).toEqual([0, 0, 0, 255]);
  });

  it('never means joints without a name by an empty path', () => {
    expect(maskWeights({ '': 1 }, [{ name: '', parentIndex: -1 }], 1).unmatched).toEqual(['']);
  });

  it('takes a bounded time on deep chains of one name', () => {
    const chain = Array.from({ length: 4096 }, (_, index) => ({ name: 'a', parentIndex: index - 1 }));
    const path = Array.from({ length: 4000 }, () => 'a').join('/');
    expect(maskWeights({ [path]: 1 }, chain, 4096).bytes.indexOf(255)).toBe(3999);
  });
});

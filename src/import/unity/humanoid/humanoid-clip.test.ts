import { describe, expect, it } from 'vitest';
import { readClip } from '../../../../test/import/unity-clip.ts';
import { type HumanoidCurves, humanoidFloats, T_POSE, WALK } from '../../../../test/import/unity-humanoid.ts';
import { composeJoints, evaluatePose } from '../../../character/evaluate.ts';
import type { HumanBone } from '../../../character/humanoid.ts';
import type { ManipleError } from '../../../errors.ts';
import { SeededRandom } from '../../../math/seeded-random.ts';
import {
  angleBetween,
  NO_ROTATION,
  normalized,
  type Rotation,
  subtract,
  type Vector3,
} from '../../../math/rotations.ts';
import { MUSCLES } from './muscles.ts';

type Values = Readonly<Record<string, number>>;

const clipOf = (curves: HumanoidCurves, settings?: string) =>
  readClip({ curves: { m_FloatCurves: humanoidFloats(curves) }, ...(settings === undefined ? {} : { settings }) });
const still = (values: Values) => clipOf(values);

/** Positions of all bones, and rotations to their parents, at a time. */
function poseOf({ humanoid }: ReturnType<typeof readClip>, time = 0) {
  const pose = evaluatePose(humanoid!, humanoid!.clips[0]!, time);
  const affine = composeJoints(humanoid!, pose);
  const index = (bone: HumanBone): number => humanoid!.humanoid![bone]!;
  return {
    at: (bone: HumanBone): Vector3 => [3, 7, 11].map((row) => affine[12 * index(bone) + row]!) as unknown as Vector3,
    turn: (bone: HumanBone): Rotation =>
      [0, 1, 2, 3].map((c) => pose[10 * index(bone) + 3 + c]!) as unknown as Rotation,
    direction(from: HumanBone, to: HumanBone): Vector3 {
      return normalized(subtract(this.at(to), this.at(from)));
    },
  };
}

const near = (actual: readonly number[], expected: readonly number[], digits = 5): void =>
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, digits));
const degrees = (angle: number): number => (angle * 180) / Math.PI;

describe('the T-pose', () => {
  const pose = poseOf(still(T_POSE));

  it('has arms sideways, legs down, feet on the ground', () => {
    near(pose.direction('leftUpperArm', 'leftHand'), [1, 0, 0]);
    near(pose.direction('rightUpperArm', 'rightHand'), [-1, 0, 0]);
    near(pose.direction('leftUpperLeg', 'leftFoot'), [0, -1, 0]);
    near(pose.direction('hips', 'head'), [0, 1, 0]);
    const height = pose.at('head')[1] / 0.88;
    expect(pose.at('leftFoot')[1]).toBeCloseTo(0.039 * height, 3);
  });
});

describe('muscles', () => {
  const turned = (bone: HumanBone, values: Values): number =>
    degrees(angleBetween(poseOf(still(values)).turn(bone), poseOf(still({ [Object.keys(values)[0]!]: 0 })).turn(bone)));

  it.each([...MUSCLES].filter(([name]) => !name.includes('Twist In-Out') || name.includes('Foot')))(
    'turns by its limits at ±1: %s',
    (name, { bone, least, most }) => {
      for (const [value, limit] of [[-1, least], [1, most]] as const)
        expect(turned(bone, { [name]: value })).toBeCloseTo(Math.abs(degrees(limit)), 3);
    },
  ); // prettier-ignore

  it('of the neutral pose bend knees and elbows by 80°, and raise the thighs by 30°', () => {
    const pose = poseOf(still({ 'Spine Front-Back': 0, 'RootT.y': 1, 'RootQ.w': 1 }));
    const [thigh, shin] = [pose.direction('leftUpperLeg', 'leftLowerLeg'), pose.direction('leftLowerLeg', 'leftFoot')];
    near(thigh, [0, -Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)], 1);
    const bend = Math.acos(thigh[1] * shin[1] + thigh[2] * shin[2]);
    expect(degrees(bend)).toBeCloseTo(80, 3);
    expect(shin[2]).toBeLessThan(0);
    expect(pose.direction('leftLowerArm', 'leftHand')[2]).toBeGreaterThan(0.5);
  });

  it.each([
    ['Left Arm Down-Up', 1, 'leftUpperArm', 'leftLowerArm', 1, 1],
    ['Left Arm Down-Up', -1, 'leftUpperArm', 'leftLowerArm', 1, -1],
    ['Left Arm Front-Back', -0.5, 'leftUpperArm', 'leftLowerArm', 2, 1],
    ['Right Arm Front-Back', -0.5, 'rightUpperArm', 'rightLowerArm', 2, 1],
    ['Right Upper Leg Front-Back', -0.5, 'rightUpperLeg', 'rightLowerLeg', 2, 1],
    ['Right Upper Leg In-Out', 1, 'rightUpperLeg', 'rightLowerLeg', 0, -1],
    ['Left Foot Up-Down', 1, 'leftFoot', 'leftToes', 1, -1],
    ['Head Nod Down-Up', -1, 'head', 'leftEye', 2, 1],
    ['LeftHand.Index.Spread', 1, 'leftIndexProximal', 'leftIndexIntermediate', 2, 1],
    ['LeftHand.Little.Spread', 1, 'leftLittleProximal', 'leftLittleIntermediate', 2, -1],
  ] as const)('%s at %d moves the right way', (name, value, from, to, axis, sign) => {
    const [before, after] = [T_POSE, { ...T_POSE, [name]: value }].map((values) => {
      const pose = poseOf(still({ ...values, 'Head Nod Down-Up': 0, ...(name.startsWith('Head') ? { [name]: values[name] ?? 0 } : {}) }));
      return pose.direction(from, to)[axis]!;
    }); // prettier-ignore
    expect(sign * (after! - before!)).toBeGreaterThan(0.1);
  });

  it('of both sides are mirror images', () => {
    const random = new SeededRandom(7);
    const values: Record<string, number> = { ...T_POSE };
    const mirrored: Record<string, number> = { ...T_POSE };
    for (const name of MUSCLES.keys()) {
      const value = random.range(-1, 1);
      const isAcross = /Left-Right|Turn/.test(name);
      values[name] = value;
      mirrored[name.replace(/^(Left|Right)/, (side) => (side === 'Left' ? 'Right' : 'Left'))] = isAcross
        ? -value
        : value;
    }
    const [one, other] = [poseOf(still(values)), poseOf(still(mirrored))];
    for (const part of ['LowerArm', 'Hand', 'IndexDistal', 'ThumbDistal', 'LowerLeg', 'Foot', 'Toes'] as const) {
      const [x, y, z] = one.at(`left${part}`);
      near(other.at(`right${part}`), [-x, y, z]);
    }
  });

  it('share the twist of a limb with the next bone, which keeps its place and direction', () => {
    const straight = poseOf(still(T_POSE));
    const twisted = poseOf(still({ ...T_POSE, 'Left Arm Twist In-Out': 1 }));
    expect(degrees(angleBetween(straight.turn('leftUpperArm'), twisted.turn('leftUpperArm')))).toBeCloseTo(45, 3);
    expect(degrees(angleBetween(straight.turn('leftLowerArm'), twisted.turn('leftLowerArm')))).toBeCloseTo(45, 3);
    near(twisted.at('leftHand'), straight.at('leftHand'));
  });

  it('of a hand alone leave the body in the T-pose', () => {
    const pose = poseOf(still({ 'LeftHand.Index.1 Stretched': -1 }));
    near(pose.direction('leftUpperArm', 'leftHand'), [1, 0, 0]);
    near(pose.turn('rightIndexProximal'), NO_ROTATION);
    expect(pose.direction('leftIndexProximal', 'leftIndexIntermediate')[1]).toBeLessThan(-0.9);
  });
});

describe('the root', () => {
  const range = 'm_StartTime: 0\nm_StopTime: 1';

  it('moves the hips where it is baked into the pose', () => {
    const clip = clipOf(WALK, `${range}\nm_LoopBlendOrientation: 1\nm_LoopBlendPositionY: 1\nm_LoopBlendPositionXZ: 1`);
    expect(clip.root).toBeUndefined();
    expect(poseOf(clip, 1).at('hips')[2] - poseOf(clip, 0).at('hips')[2]).toBeCloseTo(1.4, 4);
  });

  it('moves the character otherwise', () => {
    const clip = clipOf(WALK, range);
    near(Array.from(clip.root!.positions).slice(-3), [0, 0, 1.4], 4);
    expect(poseOf(clip, 1).at('hips')[2]).toBeCloseTo(poseOf(clip, 0).at('hips')[2], 4);
    expect(clip.humanoid!.clips[0]!.root).toBe(clip.root);
  });

  it('turns hips and character: X is the other way in Unity', () => {
    const half = Math.SQRT1_2;
    const lean = still({ ...T_POSE, 'RootQ.x': half, 'RootQ.w': half });
    // a quarter turn about Unity's +X takes up to forward
    near(poseOf(lean).direction('hips', 'head'), [0, 0, 1], 4);
    const turn = clipOf(
      {
        ...T_POSE,
        'RootQ.y': [{ time: 0, value: 0, out: half }, { time: 1, value: half, in: half }],
        'RootQ.w': [{ time: 0, value: 1 }, { time: 1, value: half }],
      },
      range,
    ); // prettier-ignore
    near(Array.from(turn.root!.rotations).slice(-4), [0, -half, 0, half], 3);
    near(poseOf(turn, 1).direction('rightUpperLeg', 'leftUpperLeg'), [1, 0, 0], 3);
  });
});

describe('a clip of muscles', () => {
  it('is marked as approximate, and says what is left out', () => {
    const clip = still({ ...T_POSE, 'LeftFootT.x': 1, 'Jaw Close': 0, Speed: 1 });
    expect(clip.humanoid!.issues.map(({ code, path }) => `${code} ${path}`)).toEqual(['CLIP_APPROXIMATE Made']);
    expect(clip.issues.map(({ severity, path }) => `${severity} ${path}`)).toEqual(['info Made/m_FloatCurves', 'warning Made/m_FloatCurves']);
    expect(clip.issues[1]!.message).toContain('"Jaw Close", "Speed"');
  }); // prettier-ignore

  it('is refused if it takes over a million rotations', () => {
    expect(() => clipOf({ 'Spine Front-Back': 0 }, 'm_StartTime: 0\nm_StopTime: 1e9')).toThrowError(
      expect.objectContaining({ code: 'UNITY_LIMIT' }) as ManipleError,
    );
  });
});

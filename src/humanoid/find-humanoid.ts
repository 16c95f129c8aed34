import { expectModel } from '../character/arguments.ts';
import { HUMAN_BONES, type HumanBone, type HumanoidMap } from '../character/humanoid.ts';
import type { CharacterModel } from '../character/model.ts';
import { conventionOf } from './conventions.ts';
import { boneOf, findFingers, findLimbs, type FoundBones } from './limbs.ts';
import type { Side } from './names.ts';
import { distance, Skeleton } from './skeleton.ts';
import { findByStructure } from './structure.ts';
import { findTrunk } from './trunk.ts';
import { isAnimalWord } from './words.ts';

/** Result of {@link findHumanoid}. */
export interface HumanoidFinding {
  /** Joints by bone; empty for a skeleton that is not a humanoid's. */
  readonly map: HumanoidMap;
  /** Family of names: Mixamo, Unreal, KayKit …; `file` if the file names the bones, `structure` without usable names. */
  readonly convention: string;
  /** How sure each bone of the map is, 0 to 1. */
  readonly bones: Readonly<Partial<Record<HumanBone, number>>>;
  /** How sure the whole map is, 0 to 1; 0 for a skeleton that is not a humanoid's. */
  readonly confidence: number;
  /** Sentences about missing bones, and about names and structures that contradict each other. */
  readonly doubts: readonly string[];
}

/** Bones without which a skeleton is not a humanoid's. VRM also requires hands, which many skeletons of games lack. */
const REQUIRED: readonly HumanBone[] = [
  'hips',
  'spine',
  'head',
  ...(['left', 'right'] as const).flatMap((side) =>
    (['upperLeg', 'lowerLeg', 'foot', 'upperArm', 'lowerArm'] as const).map((part) => boneOf(side, part)),
  ),
];
const SIDES = ['left', 'right'] as const satisfies readonly Side[];

/**
 * Finds the bones of a humanoid among a model's joints, by names and structure: Mixamo, HumanIK, Unreal, Unity,
 * Rigify and Blender, VRM, Ready Player Me, Biped, KayKit, Quaternius, Poser and DAZ, CMU, Bandai, Biovision, and names
 * like theirs. Where a word has several meanings, the hierarchy decides: `LeftShoulder` is the upper arm if a
 * `LeftCollar` is above it. Controls, IK targets, twist helpers and end joints are not bones. A map that the file names
 * is taken as it is.
 *
 * Cost: in proportion to the joints, some 1 ms for a hundred.
 */
export function findHumanoid(model: Pick<CharacterModel, 'joints' | 'humanoid'>): HumanoidFinding {
  expectModel(model, ['joints']);
  const skeleton = new Skeleton(model);
  if (model.humanoid?.hips !== undefined) return namedByFile(skeleton, model.humanoid);
  const found: FoundBones = new Map();
  const names = model.joints.map(({ name }) => name);
  let convention = conventionOf(names);
  for (const side of SIDES) findLimbs(skeleton, side, found);
  findTrunk(skeleton, found);
  if (found.size === 0 && findByStructure(skeleton, found)) convention = 'structure';
  for (const side of SIDES) findFingers(skeleton, side, found);
  const reasons = refusals(skeleton, found);
  if (reasons.length > 0) return { map: {}, convention, bones: {}, confidence: 0, doubts: reasons };
  const isSwapped = facesBackwards(skeleton, found);
  const finding = judged(skeleton, isSwapped ? swapSides(found) : found, convention);
  if (!isSwapped) return finding;
  const doubt = 'Toes or knees point backwards for the sides that the names say: left and right are exchanged.';
  return { ...finding, confidence: 0.8 * finding.confidence, doubts: [doubt, ...finding.doubts] };
}

/** The map of a file, if it has all bones that are required, each a joint of its own, at different places. */
function namedByFile(skeleton: Skeleton, map: HumanoidMap): HumanoidFinding {
  const indices = Object.values(map);
  const wrong = indices.find((joint) => !(Number.isInteger(joint) && joint >= 0 && joint < skeleton.jointCount));
  const lost = wrong === undefined ? [] : [`The map names joint ${wrong} of ${skeleton.jointCount}.`];
  const twice = new Set(indices).size < indices.length ? ['The map gives a joint to two bones.'] : [];
  const faults = [...lost, ...twice];
  if (faults.length > 0) return { map: {}, convention: 'file', bones: {}, confidence: 0, doubts: faults };
  const bones = Object.fromEntries(Object.keys(map).map((bone) => [bone, 1]));
  const missing = REQUIRED.filter((bone) => map[bone] === undefined);
  if (missing.length > 0)
    return { map, convention: 'file', bones, confidence: 0, doubts: [`The map has no ${missing.join(', ')}.`] };
  const doubts = flatLimbs(skeleton, (bone) => map[bone]!);
  return { map, convention: 'file', bones, confidence: doubts.length > 0 ? 0 : 1, doubts };
}

/** A sentence about limbs without a length; none if they have one. */
function flatLimbs(skeleton: Skeleton, jointOf: (bone: HumanBone) => number): string[] {
  const flat = SIDES.flatMap((side) =>
    ([['UpperLeg', 'LowerLeg'], ['LowerLeg', 'Foot'], ['UpperArm', 'LowerArm']] as const).filter(([from, to]) => {
      const [a, b] = [from, to].map((part) => skeleton.positionOf(jointOf(`${side}${part}` as HumanBone)));
      return !(distance(a!, b!) > 0);
    }),
  ); // prettier-ignore
  return flat.length > 0 ? ['A limb has no length: its joints are at one place.'] : [];
}

/** Reasons why a skeleton is not a humanoid's; none if it is. */
function refusals(skeleton: Skeleton, found: FoundBones): string[] {
  const missing = REQUIRED.filter((bone) => !found.has(bone));
  const animal = skeleton.names.filter(({ word }) => isAnimalWord(word)).length;
  if (animal >= 4) return ['The names of front and back legs are those of an animal.'];
  if (missing.length > 0) return [`Not found: ${missing.join(', ')}.`];
  const flat = flatLimbs(skeleton, (bone) => found.get(bone)!.joint);
  if (flat.length > 0) return flat;
  return isQuadruped(skeleton, found)
    ? ['At rest, arms and legs point the same way, across the spine: an animal on four legs.']
    : [];
}

/** Offsets of knees, as shares of the leg, that show which way they bend; a leg with more is not a person's. */
const KNEE_SHOWN = { least: 0.02, most: 0.15 };

/** Returns true if toes point against left × up, or knees of feet without toes do. */
function facesBackwards(skeleton: Skeleton, found: FoundBones): boolean {
  const at = (bone: HumanBone) => {
    const entry = found.get(bone);
    return entry && skeleton.positionOf(entry.joint);
  };
  const [left, right] = [at('leftUpperLeg')!, at('rightUpperLeg')!];
  // left × up, for up = +Y
  const [fx, fz] = [right[2] - left[2], left[0] - right[0]];
  const across = Math.hypot(fx, fz) || 1;
  const forward = (x: number, z: number): number => (x * fx + z * fz) / across;
  return SIDES.every((side) => {
    const part = (name: 'upperLeg' | 'lowerLeg' | 'foot'): V => at(boneOf(side, name))!;
    const [hip, knee, foot] = [part('upperLeg'), part('lowerLeg'), part('foot')]; // prettier-ignore
    const length = distance(hip, foot);
    if (hip[1] - foot[1] < 0.7 * length) return false;
    const toes = at(boneOf(side, 'toes'));
    if (toes) return forward(toes[0] - foot[0], toes[2] - foot[2]) < -0.5 * distance(toes, foot);
    const share = (hip[1] - knee[1]) / (hip[1] - foot[1]);
    const bend = forward(knee[0] - hip[0] - share * (foot[0] - hip[0]), knee[2] - hip[2] - share * (foot[2] - hip[2]));
    return -bend > KNEE_SHOWN.least * length && -bend < KNEE_SHOWN.most * length;
  });
}

type V = readonly [number, number, number];

function swapSides(found: FoundBones): FoundBones {
  const other = (bone: HumanBone): HumanBone =>
    bone.replace(/^(left|right)/, (side) => (side === 'left' ? 'right' : 'left')) as HumanBone;
  return new Map(Array.from(found, ([bone, entry]) => [other(bone), entry]));
}

function isQuadruped(skeleton: Skeleton, found: FoundBones): boolean {
  const at = (bone: HumanBone) => skeleton.positionOf(found.get(bone)!.joint);
  const direction = (from: HumanBone, to: HumanBone): number[] => {
    const [a, b] = [at(from), at(to)];
    const length = distance(a, b) || 1;
    return b.map((value, axis) => (value - a[axis]!) / length);
  };
  const dot = (a: readonly number[], b: readonly number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
  const spine = direction('hips', found.has('neck') ? 'neck' : 'head');
  return SIDES.every((side) => {
    const arm = direction(boneOf(side, 'upperArm'), boneOf(side, 'lowerArm'));
    const leg = direction(boneOf(side, 'upperLeg'), boneOf(side, 'foot'));
    return dot(arm, leg) > 0.7 && Math.abs(dot(spine, leg)) < 0.5;
  });
}

function judged(skeleton: Skeleton, found: FoundBones, convention: string): HumanoidFinding {
  const doubts: string[] = [];
  const bones: Partial<Record<HumanBone, number>> = {};
  const map: Partial<Record<HumanBone, number>> = {};
  for (const bone of HUMAN_BONES) {
    const entry = found.get(bone);
    if (!entry) continue;
    map[bone] = entry.joint;
    bones[bone] = entry.chance;
  }
  doubtLimbs(skeleton, map, bones, doubts);
  const required = REQUIRED.map((bone) => bones[bone]!);
  const mean = required.reduce((sum, value) => sum + value, 0) / required.length;
  return { map, convention, bones, confidence: Math.min(mean, 0.5 + Math.min(...required) / 2), doubts };
}

/** Lowers the confidence of limbs that differ between the sides, have odd lengths, or hang where names do not fit. */
function doubtLimbs(
  skeleton: Skeleton,
  map: HumanoidMap,
  bones: Partial<Record<HumanBone, number>>,
  doubts: string[],
): void {
  const lengthOf = (from: number | undefined, to: number | undefined): number =>
    from === undefined || to === undefined ? 0 : distance(skeleton.positionOf(from), skeleton.positionOf(to));
  const lower = (bone: HumanBone, factor: number): void => {
    if (bones[bone] !== undefined) bones[bone] *= factor;
  };
  for (const [upper, middle, end] of [
    ['upperLeg', 'lowerLeg', 'foot'],
    ['upperArm', 'lowerArm', 'hand'],
  ] as const) {
    // prettier-ignore
    const [left, right] = SIDES.map((side) => [
      lengthOf(map[boneOf(side, upper)], map[boneOf(side, middle)]),
      lengthOf(map[boneOf(side, middle)], map[boneOf(side, end)]),
    ]) as [number[], number[]];
    if (left.every((length, i) => Math.abs(length - right[i]!) <= 0.25 * Math.max(length, right[i]!))) continue;
    doubts.push(`The lengths of ${upper} and ${middle} differ between left and right.`);
    for (const side of SIDES) for (const part of [upper, middle, end]) lower(boneOf(side, part), 0.9);
  }
  for (const side of SIDES) {
    const [leg, foot, upper] = (['lowerLeg', 'foot', 'upperLeg'] as const).map((part) => map[boneOf(side, part)]!);
    if (!skeleton.isBelow(foot!, leg!))
      doubts.push(`The ${side} foot does not hang below the leg; it is moved with it.`);
    const between = skeleton.between(upper!, leg!).filter((joint) => !skeleton.names[joint]!.isHelper);
    const far = between.filter((joint) => lengthOf(upper, joint) > 0.15 * lengthOf(upper, leg));
    if (far.length > 0) {
      doubts.push(`The ${side} leg has a further joint between upperLeg and lowerLeg; it keeps its rest.`);
      lower(boneOf(side, 'lowerLeg'), 0.8);
    }
    if (map[boneOf(side, 'hand')] === undefined) doubts.push(`The ${side} arm has no hand.`);
  }
}

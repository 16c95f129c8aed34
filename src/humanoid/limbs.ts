import type { HumanBone } from '../character/humanoid.ts';
import type { Side } from './names.ts';
import type { Skeleton } from './skeleton.ts';
import { FINGERS, type Finger, type Part } from './words.ts';

/** A bone that was found: its joint, and how sure its name is, 0 to 1. */
export interface Found {
  readonly joint: number;
  readonly chance: number;
}

export type FoundBones = Map<HumanBone, Found>;

interface Link {
  readonly part: Part;
  readonly isOptional: boolean;
}

const ARM: readonly Link[] = [
  { part: 'shoulder', isOptional: true },
  { part: 'upperArm', isOptional: false },
  { part: 'lowerArm', isOptional: false },
  { part: 'hand', isOptional: true },
];
const LEG: readonly Link[] = [
  { part: 'upperLeg', isOptional: false },
  { part: 'lowerLeg', isOptional: false },
  { part: 'foot', isOptional: true },
  { part: 'toes', isOptional: true },
];

/** The share of a name's chance that is left to a foot that hangs below another joint than its leg. */
const DETACHED = 0.7;

/** Finds the bones of one arm and one leg. */
export function findLimbs(skeleton: Skeleton, side: Side, out: FoundBones): void {
  for (const links of [ARM, LEG]) {
    const chain = bestChain(skeleton, side, links);
    for (const [part, found] of chain ?? []) out.set(boneOf(side, part), found);
  }
  if (out.has(boneOf(side, 'lowerLeg'))) findDetachedFoot(skeleton, side, out);
}

/** The chain of joints, each below the last, with the surest names. */
function bestChain(skeleton: Skeleton, side: Side, links: readonly Link[]): Map<Part, Found> | undefined {
  let best: { score: number; chain: Map<Part, Found> } | undefined;
  const candidates = links.map(({ part }) => skeleton.named(part, side).slice(0, 8));
  const walk = (index: number, above: number, score: number, chain: Map<Part, Found>): void => {
    if (index === links.length) {
      if (!best || score > best.score + 1e-9) best = { score, chain: new Map(chain) };
      return;
    }
    const { part, isOptional } = links[index]!;
    for (const joint of candidates[index]!) {
      if (above >= 0 && (joint === above || !skeleton.isBelow(joint, above))) continue;
      const chance = skeleton.chance(joint, part);
      // of equal names the one nearer to the root: `upper_arm` and `upper_arm.001`
      const near = 1e-3 / (1 + skeleton.depthOf(joint));
      walk(index + 1, joint, score + chance + near, new Map(chain).set(part, { joint, chance }));
    }
    if (isOptional) walk(index + 1, above, score, chain);
  };
  walk(0, -1, 0, new Map());
  return best?.chain;
}

/** Feet that IK moves are exported below the root, as Quaternius's are. */
function findDetachedFoot(skeleton: Skeleton, side: Side, out: FoundBones): void {
  const leg = out.get(boneOf(side, 'lowerLeg'))!.joint;
  const foot = skeleton.named('foot', side).find((joint) => !skeleton.isBelow(joint, leg));
  const chance = foot === undefined ? 0 : DETACHED * skeleton.chance(foot, 'foot');
  if (foot === undefined || (out.get(boneOf(side, 'foot'))?.chance ?? 0) >= chance) return;
  out.set(boneOf(side, 'foot'), { joint: foot, chance });
  const toes = skeleton.named('toes', side).find((joint) => skeleton.isBelow(joint, foot));
  if (toes !== undefined) out.set(boneOf(side, 'toes'), { joint: toes, chance: skeleton.chance(toes, 'toes') });
}

const SEGMENTS: Readonly<Record<Finger, readonly string[]>> = {
  thumb: ['ThumbMetacarpal', 'ThumbProximal', 'ThumbDistal'],
  index: ['IndexProximal', 'IndexIntermediate', 'IndexDistal'],
  middle: ['MiddleProximal', 'MiddleIntermediate', 'MiddleDistal'],
  ring: ['RingProximal', 'RingIntermediate', 'RingDistal'],
  little: ['LittleProximal', 'LittleIntermediate', 'LittleDistal'],
};

/**
 * Finds the fingers of a hand: chains below the hand, or below the lower arm of an arm without a hand. A thumb that is not
 * below the hand moves the hand up to the joint that carries both.
 */
export function findFingers(skeleton: Skeleton, side: Side, out: FoundBones): void {
  const arm = out.get(boneOf(side, 'lowerArm'));
  if (!arm) return;
  const chains = fingerChains(skeleton, arm.joint);
  liftHand(skeleton, side, chains, out);
  nameUnnamed(skeleton, side, chains, out);
  for (const { finger, joints, chance } of chains) {
    if (finger === undefined) continue;
    // a thumb of two joints lacks the one inside the palm
    const segments = SEGMENTS[finger].slice(finger === 'thumb' && joints.length < 3 ? 1 : 0);
    segments.forEach((segment, i) => {
      const bone = `${side}${segment}` as HumanBone;
      if (joints[i] !== undefined && !out.has(bone)) out.set(bone, { joint: joints[i], chance });
    });
  }
}

interface FingerChain {
  finger: Finger | undefined;
  readonly joints: readonly number[];
  chance: number;
}

/** Chains below an arm that names call fingers, first joints first. Only the thumb's chain includes a metacarpal. */
function fingerChains(skeleton: Skeleton, arm: number): FingerChain[] {
  const chains: FingerChain[] = [];
  const kindOf = (joint: number): Finger | 'finger' | undefined =>
    ([...FINGERS, 'finger'] as const).find((kind) => partChance(skeleton, joint, kind) > 0);
  const nextOf = (joint: number, kind: Finger | 'finger'): number | undefined =>
    skeleton.children[joint]!.find((child) => kindOf(child) === kind || isUnnamedSegment(skeleton, child));
  const isExtra = (joint: number): boolean => /meta|palm|inhand/.test(skeleton.names[joint]!.word);
  // deep files would exhaust the stack of a recursion
  const open = [...skeleton.children[arm]!].toReversed();
  for (let joint = open.pop(); joint !== undefined; joint = open.pop()) {
    const kind = kindOf(joint);
    if (kind === undefined) {
      open.push(...skeleton.children[joint]!.toReversed());
      continue;
    }
    const joints: number[] = [];
    for (let at: number | undefined = joint; at !== undefined; at = nextOf(at, kind))
      if (!skeleton.names[at]!.isHelper) joints.push(at);
    const kept = kind === 'thumb' ? joints : joints.filter((at) => !isExtra(at));
    const finger = kind === 'finger' ? bipedFinger(skeleton, joint) : kind;
    if (kept.length > 0) chains.push({ finger, joints: kept, chance: finger === undefined ? 0.5 : 1 });
  }
  return chains;
}

/** 3ds Max's Biped numbers fingers: Finger0 is the thumb, Finger01 and Finger02 its next joints. */
function bipedFinger(skeleton: Skeleton, joint: number): Finger | undefined {
  const siblings = skeleton.children[skeleton.parentOf(joint)]!;
  const numbers = siblings.flatMap((each) =>
    skeleton.names[each]!.word === 'finger' ? [skeleton.names[each]!.number] : [],
  );
  const { number } = skeleton.names[joint]!;
  const isBiped = numbers.length > 1 && numbers.includes(0) && new Set(numbers).size === numbers.length;
  return isBiped && number !== undefined ? FINGERS[number] : undefined;
}

function partChance(skeleton: Skeleton, joint: number, part: Part): number {
  const side = skeleton.names[joint]!.side;
  return side === undefined ? 0 : skeleton.chance(joint, part);
}

/** Letters instead of words: `f2a`, `f2b`, `f2c`. */
function isUnnamedSegment(skeleton: Skeleton, joint: number): boolean {
  return /^f[a-e]$/.test(skeleton.names[joint]!.word);
}

/** A hand that does not carry the thumb is the fingers' first joint: the hand is what carries them all. */
function liftHand(skeleton: Skeleton, side: Side, chains: readonly FingerChain[], out: FoundBones): void {
  const hand = out.get(boneOf(side, 'hand'));
  const arm = out.get(boneOf(side, 'lowerArm'))!.joint;
  if (!hand || chains.length === 0) return;
  const first = chains.map(({ joints }) => joints[0]!);
  const carrier = skeleton.commonAncestor([hand.joint, ...first]);
  if (carrier === hand.joint || carrier === arm || !skeleton.isBelow(carrier, arm)) return;
  if (skeleton.chance(carrier, 'hand') > 0) out.set(boneOf(side, 'hand'), { joint: carrier, chance: hand.chance });
}

/** Three or four chains without names, and a thumb: index, middle, (ring,) little, by their distance from it. */
function nameUnnamed(skeleton: Skeleton, side: Side, chains: FingerChain[], out: FoundBones): void {
  const hand = out.get(boneOf(side, 'hand'));
  const thumb = chains.find(({ finger }) => finger === 'thumb');
  if (!hand || !thumb) return;
  for (const child of skeleton.children[hand.joint]!) {
    if (chains.some(({ joints }) => joints.includes(child)) || !isUnnamedSegment(skeleton, child)) continue;
    const joints = [child];
    for (let at = skeleton.children[child]![0]; at !== undefined; at = skeleton.children[at]![0]) joints.push(at);
    chains.push({ finger: undefined, joints, chance: 0.5 });
  }
  const unnamed = chains.filter(({ finger }) => finger === undefined);
  if (unnamed.length < 3 || unnamed.length > 4 || unnamed.length + 1 !== chains.length) return;
  const from = skeleton.positionOf(thumb.joints[0]!);
  const far = (chain: FingerChain): number => {
    const at = skeleton.positionOf(chain.joints[0]!);
    return Math.hypot(at[0] - from[0], at[1] - from[1], at[2] - from[2]);
  };
  unnamed.sort((a, b) => far(a) - far(b));
  const order: readonly Finger[] = unnamed.length === 3 ? ['index', 'middle', 'little'] : FINGERS.slice(1);
  unnamed.forEach((chain, i) => {
    chain.finger = order[i];
    chain.chance = 0.7;
  });
}

export function boneOf(side: Side, part: Part): HumanBone {
  return `${side}${part[0]!.toUpperCase()}${part.slice(1)}` as HumanBone;
}

import type { HumanBone } from '../character/humanoid.ts';
import type { FoundBones } from './limbs.ts';
import { distance, type Skeleton } from './skeleton.ts';

/** The confidence of bones that no name supports. */
const CHANCE = 0.6;

/** The longest way from a joint to a leaf below it, without the joint itself. */
type Chain = readonly number[];

/**
 * Finds the bones of a skeleton without usable names. A joint has two equal chains downwards (legs) and one upwards.
 * On the latter, a joint has two equal chains (arms) and one more (head). Left is +X of a character that faces +Z.
 *
 * @returns True if the skeleton has that form.
 */
export function findByStructure(skeleton: Skeleton, out: FoundBones): boolean {
  for (let hips = 0; hips < skeleton.jointCount; hips++) {
    const legs = pairOf(skeleton, hips, 3, -1);
    if (!legs) continue;
    for (const first of skeleton.children[hips]!) {
      if (legs.some((leg) => leg[0] === first)) continue;
      const spine = [first];
      for (;;) {
        const bearer = spine.at(-1)!;
        const arms = pairOf(skeleton, bearer, 3, 0);
        const rest = skeleton.children[bearer]!.filter((child) => !arms?.some((arm) => arm[0] === child));
        if (arms && rest.length > 0)
          return fill(skeleton, out, { hips, legs, spine, arms, head: longest(skeleton, rest[0]!) });
        if (skeleton.children[bearer]!.length !== 1) break;
        spine.push(skeleton.children[bearer]![0]!);
      }
    }
  }
  return false;
}

interface Body {
  readonly hips: number;
  readonly legs: readonly [Chain, Chain];
  readonly spine: readonly number[];
  readonly arms: readonly [Chain, Chain];
  readonly head: Chain;
}

function fill(skeleton: Skeleton, out: FoundBones, { hips, legs, spine, arms, head }: Body): boolean {
  const set = (bone: HumanBone, joint: number | undefined): void => {
    if (joint !== undefined) out.set(bone, { joint, chance: CHANCE });
  };
  set('hips', hips);
  const trunk = [...spine, ...(head.length > 1 ? [head[0]!] : [])];
  ['spine', 'chest', 'upperChest'].forEach((bone, i) => set(bone as HumanBone, spine[i]));
  if (head.length > 1) set('neck', trunk.at(-1));
  set('head', head.length > 1 ? head[1] : head[0]);
  // arms of four joints begin with a shoulder
  const legBones = ['UpperLeg', 'LowerLeg', 'Foot', 'Toes'];
  const armBones = arms[0].length > 3 ? ['Shoulder', 'UpperArm', 'LowerArm', 'Hand'] : ['UpperArm', 'LowerArm', 'Hand'];
  for (const [pair, bones] of [
    [legs, legBones],
    [arms, armBones],
  ] as const)
    // prettier-ignore
    for (const [s, side] of (['left', 'right'] as const).entries())
      bones.forEach((bone, i) => set(`${side}${bone}` as HumanBone, sideOf(skeleton, hips, pair, s)[i]));
  return true;
}

/** The left (0) or right (1) one of two chains, for the facing that the feet show. */
function sideOf(skeleton: Skeleton, hips: number, pair: readonly [Chain, Chain], side: number): Chain {
  const left = leftOf(skeleton, hips);
  const across = ([joint]: Chain): number => {
    const at = skeleton.positionOf(joint!);
    return at[0] * left[0] + at[2] * left[1];
  };
  return across(pair[0]) > across(pair[1]) === (side === 0) ? pair[0] : pair[1];
}

/** x and z of the direction to the left: across the line of the legs, so that their last joints are in front. */
function leftOf(skeleton: Skeleton, hips: number): [number, number] {
  const legs = pairOf(skeleton, hips, 3, -1)!;
  const [a, b] = [skeleton.positionOf(legs[0][0]!), skeleton.positionOf(legs[1][0]!)];
  const left: [number, number] = [b[0] - a[0], b[2] - a[2]];
  const toes = legs.reduce((sum, leg) => {
    const [ankle, toe] = [skeleton.positionOf(leg.at(-2)!), skeleton.positionOf(leg.at(-1)!)];
    // forward = left × up
    return sum + (toe[0] - ankle[0]) * -left[1] + (toe[2] - ankle[2]) * left[0];
  }, 0);
  return toes < 0 ? [-left[0], -left[1]] : left;
}

/** Two chains of equal length below a joint, both downwards (−1) or not (0), with at least `least` joints. */
function pairOf(skeleton: Skeleton, joint: number, least: number, down: -1 | 0): [Chain, Chain] | undefined {
  const from = skeleton.positionOf(joint);
  const ends = skeleton.children[joint]!.flatMap((top) => {
    const end = skeleton.positionOf(skeleton.endBelow[top]!);
    const isDown = from[1] - end[1] > 0.7 * distance(from, end);
    const count = skeleton.countBelow[top]!;
    return count >= least && (down === 0 || isDown) ? [{ top, count, at: skeleton.positionOf(top), end }] : [];
  });
  // bodies have few limbs: more chains would only cost time
  for (const [i, a] of ends.slice(0, MOST_CHAINS).entries())
    for (const b of ends.slice(i + 1, MOST_CHAINS)) {
      const [la, lb] = [distance(a.at, a.end), distance(b.at, b.end)];
      const isAlike = a.count === b.count && Math.abs(la - lb) < 0.1 * Math.max(la, lb);
      if (isAlike && distance(a.at, b.at) > 0.05 * la) return [longest(skeleton, a.top), longest(skeleton, b.top)];
    }
  return undefined;
}

const MOST_CHAINS = 32;

/** The longest way down from a joint: found once for all joints, from the leaves up. */
function longest(skeleton: Skeleton, joint: number): Chain {
  const chain = [joint];
  for (let at = skeleton.nextBelow[joint]!; at >= 0; at = skeleton.nextBelow[at]!) chain.push(at);
  return chain;
}

import { boneOf, type FoundBones } from './limbs.ts';
import type { Skeleton } from './skeleton.ts';

/**
 * Finds hips, spine, neck and head between limbs that are known. Hips carry both legs and the trunk. The spine is the
 * path from them to the joint that carries the arms; names only say which of its joints is the chest.
 */
export function findTrunk(skeleton: Skeleton, out: FoundBones): void {
  const joint = (bone: ReturnType<typeof boneOf>): number | undefined => out.get(bone)?.joint;
  const legs = [joint('leftUpperLeg'), joint('rightUpperLeg')].filter((at) => at !== undefined);
  const arms = [
    joint('leftShoulder') ?? joint('leftUpperArm'),
    joint('rightShoulder') ?? joint('rightUpperArm'),
  ].filter((at) => at !== undefined);
  if (legs.length < 2 || arms.length < 2) return;
  const hips = findHips(skeleton, legs, arms);
  const bearer = armBearer(skeleton, arms);
  if (hips < 0 || bearer < 0 || !skeleton.isBelow(bearer, hips)) return;
  out.set('hips', { joint: hips, chance: Math.max(skeleton.chance(hips, 'hips'), 0.6) });
  const head = findHead(skeleton, hips, bearer, arms);
  const tops = head === undefined ? [bearer] : skeleton.between(hips, head);
  const isNeck = (at: number): boolean => skeleton.chance(at, 'neck') > 0;
  const named = tops.findIndex(isNeck);
  const above = tops.findIndex((at) => skeleton.isBelow(at, bearer) && at !== bearer);
  // an arm may hang below a neck, as mech-george's do
  const firstNeck = named >= 0 ? named : above >= 0 && head !== undefined ? above : tops.length;
  const neck = tops[firstNeck];
  if (head !== undefined) out.set('head', { joint: head, chance: skeleton.chance(head, 'head') || 0.6 });
  if (neck !== undefined) out.set('neck', { joint: neck, chance: skeleton.chance(neck, 'neck') || 0.6 });
  nameSpine(skeleton, tops.slice(0, firstNeck), out);
  if (head !== undefined) findFace(skeleton, head, out);
}

function findHips(skeleton: Skeleton, legs: readonly number[], arms: readonly number[]): number {
  const carrier = skeleton.commonAncestor([...legs, ...arms]);
  if (carrier < 0) return -1;
  // Biped may hang the legs below the spine; its pelvis is above. Hips may have a pelvis below.
  for (let at = carrier; at >= 0; at = skeleton.parentOf(at)) {
    const parent = skeleton.parentOf(at);
    const isNamed = skeleton.chance(at, 'hips') === 1;
    const hasNamedParent = parent >= 0 && skeleton.chance(parent, 'hips') === 1;
    if (isNamed && !hasNamedParent) return at;
    if (!isNamed && !hasNamedParent) break;
  }
  return carrier;
}

/** The joint of the spine that carries both arms. */
function armBearer(skeleton: Skeleton, arms: readonly number[]): number {
  const common = skeleton.commonAncestor(arms);
  return arms.includes(common) ? skeleton.parentOf(common) : common;
}

/** The joint called head that is not below an arm; without such a name, the end of the chain above the arms. */
function findHead(skeleton: Skeleton, hips: number, bearer: number, arms: readonly number[]): number | undefined {
  const isInTrunk = (at: number): boolean =>
    at !== hips && skeleton.isBelow(at, hips) && !arms.some((arm) => skeleton.isBelow(at, arm));
  const named = skeleton.named('head').filter(isInTrunk);
  const best = named.find((at) => skeleton.isBelow(at, bearer)) ?? named[0];
  if (best !== undefined) return best;
  const next = (at: number): number | undefined =>
    skeleton.children[at]!.find((child) => {
      const { side, isHelper } = skeleton.names[child]!;
      const isNeck = skeleton.chance(child, 'neck') + skeleton.chance(child, 'spine') > 0;
      return side === undefined && !isHelper && isNeck && isInTrunk(child);
    });
  let end: number | undefined = next(bearer);
  for (let at = end; at !== undefined; at = next(at)) end = at;
  return end;
}

/** Names the joints between hips and neck: spine, chest, upperChest. */
function nameSpine(skeleton: Skeleton, path: readonly number[], out: FoundBones): void {
  // a second joint called hips at the start of the spine carries none of the legs
  const spine = path.filter(
    (at, i) => !skeleton.names[at]!.isHelper && !(i === 0 && path.length > 1 && skeleton.chance(at, 'hips') === 1),
  );
  const [first, ...rest] = spine;
  if (first === undefined) return;
  out.set('spine', { joint: first, chance: Math.max(skeleton.chance(first, 'spine'), 0.7) });
  const last = rest.at(-1);
  if (last === undefined) return;
  const upper = rest.find((at) => skeleton.chance(at, 'upperChest') > 0);
  const isChestLast = rest.length > 1 && skeleton.chance(last, 'chest') === 1 && upper === undefined;
  const chest = isChestLast ? last : rest[0]!;
  const sure = (at: number): number => Math.max(skeleton.chance(at, 'chest'), 0.9);
  out.set('chest', { joint: chest, chance: sure(chest) });
  const top = upper ?? last;
  if (top !== chest) out.set('upperChest', { joint: top, chance: sure(top) });
}

function findFace(skeleton: Skeleton, head: number, out: FoundBones): void {
  for (const side of ['left', 'right'] as const) {
    const eye = skeleton.named('eye', side).find((at) => skeleton.isBelow(at, head));
    if (eye !== undefined) out.set(boneOf(side, 'eye'), { joint: eye, chance: 1 });
  }
  const jaw = skeleton.named('jaw').find((at) => skeleton.isBelow(at, head));
  if (jaw !== undefined) out.set('jaw', { joint: jaw, chance: 1 });
}

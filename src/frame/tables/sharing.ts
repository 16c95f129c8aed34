import { CharacterType } from '../../character/format/rig-layout.ts';
import { View } from '../../layout/index.ts';
import { SHARES_NONE } from '../../stages/cull-characters/layout.ts';
import type { ShareViews } from '../../stages/cull-characters/reference.ts';
import type { Column, Word } from './column.ts';
import type { CrowdLayout, SharingPlan, SharingRules } from './crowd-layout.ts';
import { shareParams } from './parameters.ts';
import { isProvided, type CrowdType } from './crowd-types.ts';

/** Plans a shared pose for each phase of each clip of each type. Types with providers have none: those may depend on time. */
export function planSharing(types: readonly CrowdType[], rules: SharingRules, providerCount: number): SharingPlan {
  const countOf = types.map((type) => {
    const { buffer, byteOffset } = type.character.rig;
    return isProvided(type, providerCount)
      ? 0
      : new View(CharacterType, buffer, byteOffset, 1).get(0, 'clipCount') * rules.phases;
  });
  let count = 0;
  const firstOf = countOf.map((own) => (count += own) - own);
  return { ...rules, firstOf, countOf, count };
}

/** Number of rows for characters. The rows of shared poses follow them. */
export function characterCapacity({ capacity, sharing }: Pick<CrowdLayout, 'capacity' | 'sharing'>): number {
  return capacity - (sharing?.count ?? 0);
}

/** Row of the first shared pose of a type; SHARES_NONE if it has none. */
export function firstSharedRow({ capacity, sharing }: Pick<CrowdLayout, 'capacity' | 'sharing'>, type: number): number {
  if (!sharing || sharing.countOf[type] === 0) return SHARES_NONE;
  return capacity - sharing.count + sharing.firstOf[type]!;
}

/** Row counts for culling. With shared poses it is the whole capacity, because their rows are the last ones. */
export function culledRows({ capacity, sharing }: CrowdLayout, characterCount: number) {
  return { characterCount: sharing ? capacity : characterCount, sharedCount: sharing?.count ?? 0 };
}

/** Inputs of the twin of share-characters; undefined if no poses are shared. */
export function shareViews(
  shape: CrowdLayout,
  sharers: Column<typeof Word.fields> | undefined,
  frame: Parameters<typeof shareParams>[2],
  views: Pick<ShareViews, 'players' | 'modifiers' | 'animators'>,
): ShareViews | undefined {
  const { sharing, animators, tables } = shape;
  if (!sharing || !sharers) return undefined;
  sharers.takeChanges();
  const params = shareParams(shape, sharing, frame);
  return { params, sharers: sharers.view.words, regions: animators.regions, rig: tables.rig, ...views };
}

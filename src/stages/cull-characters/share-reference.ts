import { AnimatorMemory } from '../../controller/eval/memory.ts';
import { joinWide } from '../../math/fixed.ts';
import { PLAYER_LOOPS, PLAYER_NONE, RESIDENT_NONE } from '../layout.ts';
import { playerAt } from '../player-at.ts';
import { SHARES_NONE } from './layout.ts';
import { shownClips, type Shown } from './shown-reference.ts';
import type { CullViews, OnMargin, ShareViews } from './views.ts';

/** Hysteresis: a character with its own pose shares one only below this share of the limit. */
const HYSTERESIS = 0.85;

/**
 * Finds the pose that each character shows in this frame. Far characters that show little but one clip show the pose in
 * the middle of their part of the clip. The choice depends only on the character, so spawning or removing others
 * changes nothing.
 */
export function shareCharacters(views: CullViews, share: ShareViews, onMargin?: OnMargin): void {
  const { residents, decisions } = views;
  const memory = share.animators.length > 0 ? new AnimatorMemory(share.animators, share.regions) : undefined;
  const firstShared = share.params.get(0, 'firstShared');
  for (let i = 0; i < share.params.get(0, 'characterCount'); i++) {
    const known = residents.get(i, 'leader');
    // a pose source that the CPU has set stays
    if (residents.get(i, 'typeIndex') === RESIDENT_NONE || (known !== i && known < firstShared)) continue;
    const leader = leaderOf(views, share, memory, i, onMargin);
    residents.set(i, 'leader', leader);
    if (leader !== i) decisions.set(leader, 'size', Math.max(decisions.get(leader, 'size'), decisions.get(i, 'size')));
  }
}

function leaderOf(
  { slots, decisions }: CullViews,
  share: ShareViews,
  memory: AnimatorMemory | undefined,
  i: number,
  onMargin: OnMargin | undefined,
): number {
  const { params, sharers } = share;
  if (sharers[i] === SHARES_NONE || decisions.get(i, 'views') === 0) return i;
  const isKept = slots.get(i, 'slot') === 0 && slots.get(i, 'frame') + 1 === params.get(0, 'frame');
  const shared = isKept && slots.get(i, 'held') > params.get(0, 'firstShared');
  const size = decisions.get(i, 'size');
  const limit = params.get(0, 'below') * (shared ? 1 : HYSTERESIS);
  onMargin?.(i, (size - limit) / Math.max(1, limit));
  if (size >= limit) return i;
  const shown = shownClips(share, params.get(0, 'modifierCapacity'), memory, i, () => played(share, i));
  const heaviest = shown?.clips
    .filter(({ isPlain }) => isPlain)
    .reduce<Shown | undefined>((most, one) => (most && most.weight >= one.weight ? most : one), undefined);
  if (!shown || !heaviest) return i;
  const margin = heaviest.weight / shown.total - params.get(0, 'weight');
  onMargin?.(i, margin);
  if (margin < 0) return i;
  const phases = params.get(0, 'phases');
  return sharers[i]! + heaviest.clip * phases + Math.floor(((heaviest.phase >>> 16) * phases) / 2 ** 16);
}

/** Clips that the CPU plays. */
function played({ params, players }: ShareViews, i: number): Shown[] {
  const now = joinWide(params.get(0, 'timeLow'), params.get(0, 'timeHigh'));
  const capacity = params.get(0, 'playerCapacity');
  return Array.from({ length: capacity }, (_, p) => capacity * i + p)
    .filter((row) => players.get(row, 'clip') !== PLAYER_NONE)
    .map((row) => ({
      clip: (players.get(row, 'clip') & ~PLAYER_LOOPS) >>> 0,
      ...playerAt(players, row, now),
      isPlain: true,
    }))
    .filter(({ weight }) => weight > 0);
}

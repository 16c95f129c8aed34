import { wordOffsets } from '../../layout/index.ts';
import { joinWide } from '../../math/fixed.ts';
import { Player, PLAYER_LOOPS, PLAYER_NONE, Resident, RESIDENT_NONE, SlotState } from '../layout.ts';
import { playerAt } from '../player-at.ts';
import { Decision, SHARES_NONE, ShareParams } from './layout.ts';
import { ShownClips } from './shown-reference.ts';
import type { CullViews, OnMargin, ShareViews } from './views.ts';

/** Hysteresis: a character with its own pose shares one only below this share of the limit. */
const HYSTERESIS = 0.85;

const RESIDENT = /* @__PURE__ */ wordOffsets(Resident);
const DECISION = /* @__PURE__ */ wordOffsets(Decision);
const SLOT = /* @__PURE__ */ wordOffsets(SlotState);
const PARAMS = /* @__PURE__ */ wordOffsets(ShareParams);
const PLAYER = /* @__PURE__ */ wordOffsets(Player);

/**
 * Finds the pose that each character shows in this frame. Far characters that show little but one clip show the pose in
 * the middle of their part of the clip. The choice depends only on the character, so spawning or removing others
 * changes nothing.
 */
export function shareCharacters(views: CullViews, share: ShareViews, onMargin?: OnMargin): void {
  const { residents, decisions } = views;
  const { words } = share.params;
  const shown = new ShownClips(share, words[PARAMS.modifierCapacity]!);
  const now = joinWide(words[PARAMS.timeLow]!, words[PARAMS.timeHigh]!);
  const played = (out: ShownClips, i: number) => addPlayed(out, share, now, i);
  const firstShared = words[PARAMS.firstShared]!;
  const count = words[PARAMS.characterCount]!;
  for (let i = 0; i < count; i++) {
    const at = RESIDENT.SIZE * i;
    const known = residents.words[at + RESIDENT.leader]!;
    // a pose source that the CPU has set stays
    if (residents.words[at + RESIDENT.typeIndex] === RESIDENT_NONE || (known !== i && known < firstShared)) continue;
    const leader = leaderOf(views, share, shown, played, i, onMargin);
    residents.words[at + RESIDENT.leader] = leader;
    if (leader === i) continue;
    const size = DECISION.SIZE * leader + DECISION.size;
    const own = decisions.floats[DECISION.SIZE * i + DECISION.size]!;
    decisions.floats[size] = Math.max(decisions.floats[size]!, own);
  }
}

function leaderOf(
  { slots, decisions }: CullViews,
  { params, sharers }: ShareViews,
  shown: ShownClips,
  played: (out: ShownClips, i: number) => void,
  i: number,
  onMargin: OnMargin | undefined,
): number {
  const { words, floats } = params;
  if (sharers[i] === SHARES_NONE || decisions.words[DECISION.SIZE * i + DECISION.views] === 0) return i;
  const slot = SLOT.SIZE * i;
  const isKept = slots.words[slot + SLOT.slot] === 0 && slots.words[slot + SLOT.frame]! + 1 === words[PARAMS.frame];
  const shared = isKept && slots.words[slot + SLOT.held]! > words[PARAMS.firstShared]!;
  const size = decisions.floats[DECISION.SIZE * i + DECISION.size]!;
  const limit = floats[PARAMS.below]! * (shared ? 1 : HYSTERESIS);
  onMargin?.(i, (size - limit) / Math.max(1, limit));
  if (size >= limit || !shown.find(i, played)) return i;
  const heaviest = heaviestOf(shown);
  if (heaviest < 0) return i;
  const margin = shown.weights[heaviest]! / shown.total - floats[PARAMS.weight]!;
  onMargin?.(i, margin);
  if (margin < 0) return i;
  const phases = words[PARAMS.phases]!;
  const part = Math.floor(((shown.phases[heaviest]! >>> 16) * phases) / 2 ** 16);
  return sharers[i]! + shown.clips[heaviest]! * phases + part;
}

/** The first of the heaviest plain clips; −1 without one. */
function heaviestOf({ count, weights, plains }: ShownClips): number {
  let heaviest = -1;
  for (let c = 0; c < count; c++) {
    if (plains[c] === 1 && (heaviest < 0 || weights[c]! > weights[heaviest]!)) heaviest = c;
  }
  return heaviest;
}

/** Adds the clips that the CPU plays. */
function addPlayed(out: ShownClips, { params, players }: ShareViews, now: bigint, i: number): void {
  const capacity = params.words[PARAMS.playerCapacity]!;
  for (let row = capacity * i; row < capacity * (i + 1); row++) {
    const clip = players.words[PLAYER.SIZE * row + PLAYER.clip]!;
    if (clip === PLAYER_NONE) continue;
    const { phase, weight } = playerAt(players, row, now);
    if (weight > 0) out.add((clip & ~PLAYER_LOOPS) >>> 0, phase, weight, true);
  }
}

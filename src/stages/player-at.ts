import type { RigTable } from '../character/format/clip-format.ts';
import type { AnimatorRegions } from '../controller/eval/layout.ts';
import { type View, wordOffsets } from '../layout/index.ts';
import { splitSeconds } from '../math/fixed.ts';
import { type Modifier, Player, PLAYER_LOOPS } from './layout.ts';

/** Players and controllers, for twins that read what characters show. */
export interface PlayingViews {
  /** `playerCapacity` rows per character of the crowd, from `character × playerCapacity` on. */
  readonly players: View<(typeof Player)['fields']>;
  /** The same for modifiers. */
  readonly modifiers: View<(typeof Modifier)['fields']>;
  readonly regions: View<(typeof AnimatorRegions)['fields']>;
  /** Rows. Empty if no character has a controller. */
  readonly animators: Uint32Array<ArrayBuffer>;
  readonly rig: RigTable;
}

const PLAYER = /* @__PURE__ */ wordOffsets(Player);
const CYCLE = 2 ** 32;

/** Phase (0.32) and weight of a player at a time (32.32 seconds): see {@link readPlayer}. */
export function playerAt(
  players: View<(typeof Player)['fields']>,
  row: number,
  now: bigint,
): { phase: number; weight: number } {
  const out = { phase: 0, weight: 0 };
  const [low, high] = splitSeconds(now);
  readPlayer(players, row, low, high, out);
  return out;
}

/**
 * Writes phase and weight of a player at a time of 32.32 seconds. The phase is start + rate × elapsed, in exact numbers of
 * 2⁻⁵⁶ cycles. It is then cut to 2⁻³² towards the start, and wrapped or held. The weight is a straight line over the fade.
 */
export function readPlayer(
  { words, ints, floats }: View<(typeof Player)['fields']>,
  row: number,
  nowLow: number,
  nowHigh: number,
  out: { phase: number; weight: number },
): void {
  const at = PLAYER.SIZE * row;
  const low = nowLow - words[at + PLAYER.startTimeLow]!;
  const elapsedLow = low < 0 ? low + CYCLE : low;
  const elapsedHigh = (nowHigh - words[at + PLAYER.startTimeHigh]! - Number(low < 0)) >>> 0;
  const rate = ints[at + PLAYER.rate]!;
  const start = words[at + PLAYER.startPhase]!;
  const size = Math.abs(rate);
  // size × elapsed in 2⁻³² cycles, cut. The low word takes two halves of `size`, since doubles hold 53 bits
  const upper = elapsedLow * (size >>> 16);
  const lower = elapsedLow * (size & 0xffff);
  const ofLow = Math.floor(upper / 256) + Math.floor(((upper % 256) * 65536 + lower) / 2 ** 24);
  if (words[at + PLAYER.clip]! >= PLAYER_LOOPS) {
    const moved = (ofLow % CYCLE) + ((Math.imul(size, elapsedHigh) << 8) >>> 0);
    out.phase = (start + (rate < 0 ? 2 * CYCLE - moved : moved)) % CYCLE;
  } else {
    // rounded only where it is far beyond the clip
    const moved = ofLow + size * elapsedHigh * 256;
    out.phase = Math.max(0, Math.min(CYCLE - 1, rate < 0 ? start - moved : start + moved));
  }
  const seconds = elapsedHigh + elapsedLow / CYCLE;
  const fadeSeconds = floats[at + PLAYER.fadeSeconds]!;
  const share = seconds < fadeSeconds ? seconds / fadeSeconds : 1;
  out.weight = (1 - share) * floats[at + PLAYER.weightFrom]! + share * floats[at + PLAYER.weightTo]!;
}

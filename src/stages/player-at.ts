import type { RigTable } from '../character/format/clip-format.ts';
import type { AnimatorRegions } from '../controller/eval/layout.ts';
import type { View } from '../layout/index.ts';
import { joinWide } from '../math/fixed.ts';
import { PLAYER_LOOPS, type Modifier, type Player } from './layout.ts';

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

/**
 * Phase (0.32) and weight of a player at a time (32.32 seconds). The phase is start + rate × elapsed, in exact numbers
 * of 2⁻⁵⁶ cycles. It is then cut to 2⁻³² towards the start, and wrapped or held. The weight is a straight line over the
 * fade.
 */
export function playerAt(
  players: View<(typeof Player)['fields']>,
  row: number,
  now: bigint,
): { phase: number; weight: number } {
  const [low, high] = [players.get(row, 'startTimeLow'), players.get(row, 'startTimeHigh')];
  const elapsed = BigInt.asUintN(64, now - joinWide(low, high));
  const rate = BigInt(players.get(row, 'rate'));
  const exact = BigInt(players.get(row, 'startPhase')) * 2n ** 24n + rate * elapsed;
  // a shift rounds down: when it plays backwards, that is away from the start
  const cut = rate < 0n ? -(-exact >> 24n) : exact >> 24n;
  const cycle = 2n ** 32n;
  const looped = ((cut % cycle) + cycle) % cycle;
  const held = cut < 0n ? 0n : cut < cycle ? cut : cycle - 1n;
  const phase = Number(players.get(row, 'clip') >= PLAYER_LOOPS ? looped : held);

  const seconds = Number(elapsed) / 2 ** 32;
  const fadeSeconds = players.get(row, 'fadeSeconds');
  const share = seconds < fadeSeconds ? seconds / fadeSeconds : 1;
  return { phase, weight: (1 - share) * players.get(row, 'weightFrom') + share * players.get(row, 'weightTo') };
}

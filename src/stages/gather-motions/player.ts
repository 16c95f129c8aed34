import type { View } from '../../layout/index.ts';
import { cyclesIn, joinWide } from '../../math/fixed.ts';
import { PLAYER_LOOPS, type Player } from './layout.ts';

/**
 * Phase (0.32) and weight of a player at a time (32.32 seconds), as the kernel will find them. The CPU needs them when
 * one clip takes over from another.
 */
export function playedUntil(
  players: View<(typeof Player)['fields']>,
  row: number,
  now: bigint,
): { phase: number; weight: number } {
  const start = joinWide(players.get(row, 'startTimeLow'), players.get(row, 'startTimeHigh'));
  const elapsed = BigInt.asUintN(64, now - start);
  const seconds = Number(elapsed) * 2 ** -32;
  const fade = players.get(row, 'fadeSeconds');
  const progress = fade > 0 ? Math.min(1, seconds / fade) : 1;
  const [from, to] = [players.get(row, 'weightFrom'), players.get(row, 'weightTo')];
  const rate = players.get(row, 'rate');
  const cycles = cyclesIn(elapsed, Math.abs(rate));
  const moved = BigInt(players.get(row, 'startPhase')) + (rate < 0 ? -cycles : cycles);
  const loops = (players.get(row, 'clip') & PLAYER_LOOPS) >>> 0 !== 0;
  const held = moved < 0n ? 0n : moved > 0xffffffffn ? 0xffffffffn : moved;
  return { phase: Number(BigInt.asUintN(32, loops ? moved : held)), weight: from + (to - from) * progress };
}

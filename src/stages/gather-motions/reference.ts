import { resolveMotion, type RigTable } from '../../asset/clip-format.ts';
import type { View } from '../../layout/index.ts';
import { cyclesIn, joinWide } from '../../shaders/fixed.ts';
import { MOTION_END, MOTION_ROWS, Motion, type FrameParams, type VisibleCharacter } from '../layout.ts';
import { writeMotion } from '../motion-record.ts';
import { PLAYER_LOOPS, PLAYER_NONE, type Player } from './layout.ts';

/** What {@link gatherMotions} reads and writes, as the kernel binds it: a page's visible list and the crowd's players. */
export interface GatherMotionsViews {
  /** One row: clock, `visibleCount` and both capacities are read. */
  readonly params: View<(typeof FrameParams)['fields']>;
  /** A row per visible character. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  /** `playerCapacity` rows per character of the crowd, from `character × playerCapacity` on. */
  readonly players: View<(typeof Player)['fields']>;
  readonly rig: RigTable;
  /** Written: per visible character `motionCapacity` records of four rows, a row of four words, from `motionRow` on. */
  readonly motions: Uint32Array<ArrayBuffer>;
}

/**
 * Twin of gather-motions: every clip that plays becomes a motion at its phase of this moment.
 *
 * The second stage of a frame; poseJoints reads what it writes. It does not depend on turnSlots. Clip indices are not
 * checked. Some 15 µs per motion.
 */
export function gatherMotions({ params, visible, players, rig, motions }: GatherMotionsViews): void {
  const now = joinWide(params.get(0, 'timeLow'), params.get(0, 'timeHigh'));
  const [playerCapacity, motionCapacity] = [params.get(0, 'playerCapacity'), params.get(0, 'motionCapacity')];
  for (let i = 0; i < params.get(0, 'visibleCount'); i++) {
    const typeRow = visible.get(i, 'typeRow');
    const motionRow = visible.get(i, 'motionRow');
    let count = 0;
    for (let p = 0; p < playerCapacity && count < motionCapacity; p++) {
      const row = visible.get(i, 'character') * playerCapacity + p;
      const clip = players.get(row, 'clip');
      if (clip === PLAYER_NONE) continue;
      const { phase, weight } = playedUntil(players, row, now);
      if (weight <= 0) continue;
      const motion = resolveMotion(rig, typeRow, (clip & ~PLAYER_LOOPS) >>> 0, phase);
      writeMotion(motions, motionRow + count * MOTION_ROWS, motion, weight);
      count++;
    }
    if (count < motionCapacity) motions[4 * (motionRow + count * MOTION_ROWS) + Motion.offsets.kind / 4] = MOTION_END;
  }
}

/** Phase (0.32) and weight of a player at a time (32.32 seconds). */
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

import { resolveMotion, type RigTable } from '../../asset/clip-format.ts';
import type { View } from '../../layout/index.ts';
import { joinWide } from '../../shaders/fixed.ts';
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
      const { phase, weight } = playerAt(players, row, now);
      if (weight <= 0) continue;
      const motion = resolveMotion(rig, typeRow, (clip & ~PLAYER_LOOPS) >>> 0, phase);
      writeMotion(motions, motionRow + count * MOTION_ROWS, motion, weight);
      count++;
    }
    if (count < motionCapacity) motions[4 * (motionRow + count * MOTION_ROWS) + Motion.offsets.kind / 4] = MOTION_END;
  }
}

/**
 * Phase (0.32) and weight of a player at a time (32.32 seconds): phase = start + rate × elapsed, in exact numbers of
 * 2⁻⁵⁶ cycles, then cut to 2⁻³² towards the start, wrapped or held; the weight a straight line over the fade.
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

import { resolveMotion, type ClipMotion, type RigTable } from '../../asset/clip-format.ts';
import { View } from '../../layout/index.ts';
import { cyclesIn, joinWide } from '../../shaders/fixed.ts';
import {
  MOTION_END,
  MOTION_EXACT,
  MOTION_ROWS,
  MOTION_SAMPLE,
  Motion,
  type FrameParams,
  type VisibleCharacter,
} from '../layout.ts';
import { PLAYER_LOOPS, PLAYER_NONE, type Player } from './layout.ts';

export interface GatherMotionsViews {
  readonly params: View<(typeof FrameParams)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly players: View<(typeof Player)['fields']>;
  readonly rig: RigTable;
  readonly motions: Uint32Array<ArrayBuffer>;
}

/** Twin of gather-motions: every clip that plays becomes a motion at its phase of this moment. */
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

/** Writes a motion record at a row of a motion list. */
export function writeMotion(motions: Uint32Array<ArrayBuffer>, row: number, motion: ClipMotion, weight: number): void {
  const exponent = (unit: number) => {
    const float = new View(Motion, 1);
    float.set(0, 'weight', unit);
    return (float.words[Motion.offsets.weight / 4]! >>> 23) & 0xff;
  };
  const view = new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
  view.assign(0, {
    value0: motion.value0,
    value1: motion.value1,
    rate0: motion.rate0,
    rate1: motion.rate1,
    basis: motion.basis,
    weight,
    fraction: motion.fraction,
    trackPair: motion.trackPair,
    constantPair: motion.constantPair,
    bases: motion.translationBase | (motion.scaleBase << 16),
    unitExponents:
      exponent(motion.rotationRateUnit) |
      (exponent(motion.translationUnit) << 8) |
      (exponent(motion.translationRateUnit) << 16) |
      (exponent(motion.scaleUnit) << 24),
    scaleRateExponent: exponent(motion.scaleRateUnit),
    kind: motion.exact ? MOTION_EXACT : MOTION_SAMPLE,
  });
}

/** Reads a motion record: the inverse of `writeMotion`. */
export function readMotion(motions: Uint32Array<ArrayBuffer>, row: number): { motion: ClipMotion; weight: number } {
  const view = new View(Motion, motions.buffer, motions.byteOffset + row * 16, 1);
  const unit = (exponent: number) => (exponent === 0 ? 0 : 2 ** (exponent - 127));
  const exponents = view.get(0, 'unitExponents');
  const bases = view.get(0, 'bases');
  return {
    weight: view.get(0, 'weight'),
    motion: {
      value0: view.get(0, 'value0'),
      value1: view.get(0, 'value1'),
      rate0: view.get(0, 'rate0'),
      rate1: view.get(0, 'rate1'),
      basis: view.get(0, 'basis') as [number, number, number, number],
      fraction: view.get(0, 'fraction'),
      trackPair: view.get(0, 'trackPair'),
      constantPair: view.get(0, 'constantPair'),
      translationBase: bases & 0xffff,
      scaleBase: bases >>> 16,
      exact: view.get(0, 'kind') === MOTION_EXACT,
      rotationRateUnit: unit(exponents & 0xff),
      translationUnit: unit((exponents >>> 8) & 0xff),
      translationRateUnit: unit((exponents >>> 16) & 0xff),
      scaleUnit: unit(exponents >>> 24),
      scaleRateUnit: unit(view.get(0, 'scaleRateExponent')),
    },
  };
}

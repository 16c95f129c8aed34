import { RigTable } from '../../src/character/format/clip-format.ts';
import { AnimatorRegions } from '../../src/controller/eval/layout.ts';
import { View } from '../../src/layout/index.ts';
import { fixedPhase } from '../../src/math/fixed.ts';
import type { PlayedViews } from '../../src/stages/cull-characters/reference.ts';
import { Modifier, MODIFIER_NONE, Player, PLAYER_NONE } from '../../src/stages/gather-motions/layout.ts';
import { FrameParams } from '../../src/stages/layout.ts';

/** Clips that play on a character at once. */
export const PLAYERS = 2;

/** A clip that plays: it holds its phase. */
export interface HeldClip {
  readonly clip: number;
  /** Default 0. */
  readonly phase?: number;
  /** Default 1. */
  readonly weight?: number;
  /** Where its weight comes from, and in how many seconds since the clock's beginning; default: it is there. */
  readonly from?: number;
  readonly fade?: number;
}

/** Columns beside those of cull-characters: nobody plays anything, has modifiers or a controller. */
export function playedViews(rows: number): PlayedViews {
  const clock = new View(FrameParams, 1);
  clock.assign(0, { playerCapacity: PLAYERS, modifierCapacity: 1 });
  const players = new View(Player, PLAYERS * rows);
  for (let row = 0; row < players.count; row++) players.set(row, 'clip', PLAYER_NONE);
  const modifiers = new View(Modifier, rows);
  for (let row = 0; row < rows; row++) modifiers.set(row, 'laneAndBits', MODIFIER_NONE);
  return {
    clock,
    players,
    modifiers,
    regions: new View(AnimatorRegions, 1),
    animators: new Uint32Array(),
    rig: new RigTable(new Uint32Array(4)),
  };
}

/** Sets what plays on a character. */
export function playHeld({ players }: Pick<PlayedViews, 'players'>, i: number, starts: readonly HeldClip[]): void {
  for (let p = 0; p < PLAYERS; p++) {
    const { clip = PLAYER_NONE, phase = 0, weight = 1, from = weight, fade = 0 } = starts[p] ?? {};
    const weights = { weightFrom: from, weightTo: weight, fadeSeconds: fade };
    players.assign(PLAYERS * i + p, { clip, startPhase: fixedPhase(phase), ...weights });
  }
}

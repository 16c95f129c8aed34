import { RigTable } from '../../src/asset/clip-format.ts';
import { AnimatorRegions } from '../../src/animator/layout.ts';
import { View } from '../../src/layout/index.ts';
import { fixedPhase } from '../../src/shaders/fixed.ts';
import { SHARES_NONE, ShareParams } from '../../src/stages/cull-characters/layout.ts';
import type { ShareViews } from '../../src/stages/cull-characters/reference.ts';
import { Modifier, MODIFIER_NONE, Player, PLAYER_NONE } from '../../src/stages/gather-motions/layout.ts';
import { ROW_NONE } from '../../src/stages/layout.ts';
import { HandCrowd, type HandOptions } from './cull-hand.ts';

/** Clips of each type, and parts of a clip. */
export const [CLIPS, PHASES] = [2, 4];
/** Rows of a type's shared poses. */
export const SHARED = CLIPS * PHASES;
const PLAYERS = 2;

/** Columns beside those of cull-characters: nobody plays anything, has modifiers or a controller, or shares. */
export function shareViews(rows: number, characters: number, below: number): ShareViews {
  const params = new View(ShareParams, 1);
  const capacities = { playerCapacity: PLAYERS, modifierCapacity: 1 };
  const rules = { below, phases: PHASES, weight: 0.9 };
  params.assign(0, { characterCount: characters, firstShared: characters, ...capacities, ...rules });
  const players = new View(Player, PLAYERS * rows);
  for (let row = 0; row < players.count; row++) players.set(row, 'clip', PLAYER_NONE);
  const modifiers = new View(Modifier, rows);
  for (let row = 0; row < rows; row++) modifiers.set(row, 'laneAndBits', MODIFIER_NONE);
  return {
    params,
    players,
    modifiers,
    sharers: new Uint32Array(rows).fill(SHARES_NONE),
    regions: new View(AnimatorRegions, 1),
    animators: new Uint32Array(),
    rig: new RigTable(new Uint32Array(4)),
  };
}

/** Sets what plays on a character: it holds its phase. */
export function playHeld(
  { players }: ShareViews,
  i: number,
  starts: readonly { readonly clip: number; readonly phase: number; readonly weight?: number }[],
): void {
  for (let p = 0; p < PLAYERS; p++) {
    const start = starts[p];
    const { clip = PLAYER_NONE, phase = 0, weight = 1 } = start ?? {};
    players.assign(PLAYERS * i + p, { clip, startPhase: fixedPhase(phase), weightFrom: weight, weightTo: weight });
  }
}

/** A crowd of one type, worked out by hand, whose far characters share poses: those stand behind the others. */
export class SharingCrowd extends HandCrowd {
  readonly share: ShareViews;
  readonly #characters: number;

  constructor(characters: number, options: Partial<HandOptions> = {}) {
    super({ types: [{ levels: [[0]] }], characters: characters + SHARED, ...options });
    this.#characters = characters;
    this.share = shareViews(characters + SHARED, characters, 50);
    for (let row = characters; row < characters + SHARED; row++) {
      super.come(row);
      this.views.residents.assign(row, { parts: [0xffffffff, 0xffffffff], views: 0, freshFrame: 0, bornFrame: 0 });
    }
    Object.assign(this.views, { share: this.share });
    this.views.params.assign(0, { sharedCount: SHARED });
  }

  override come(i: number, type = 0, position?: readonly number[]): void {
    super.come(i, type, position);
    this.share.sharers[i] = this.#characters;
  }

  override frame(frame: number = this.views.params.get(0, 'frame') + 1): void {
    this.share.params.assign(0, { frame });
    super.frame(frame);
  }

  plays(i: number, ...starts: { readonly clip: number; readonly phase: number; readonly weight?: number }[]): void {
    playHeld(this.share, i, starts);
  }

  bind(i: number): void {
    this.share.sharers[i] = SHARES_NONE;
  }

  modify(i: number): void {
    this.share.modifiers.set(i, 'laneAndBits', 1);
  }

  /** Whose pose each character shows. */
  get leaders(): number[] {
    return Array.from({ length: this.#characters }, (_, i) => this.views.residents.get(i, 'leader'));
  }

  /** Rows that the last frame posed. */
  get posed(): number[] {
    return this.listed.filter((i) => this.row(i, 'motionRow') !== ROW_NONE).sort((a, b) => a - b);
  }
}

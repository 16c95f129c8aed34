import { View } from '../../src/layout/index.ts';
import { SHARES_NONE, ShareParams } from '../../src/stages/cull-characters/layout.ts';
import type { PlayedViews, ShareViews } from '../../src/stages/cull-characters/reference.ts';
import { ROW_NONE } from '../../src/stages/layout.ts';
import { HandCrowd, type HandOptions } from './cull-hand.ts';
import { playHeld, PLAYERS } from './played-crowd.ts';

/** Clips of each type, and parts of a clip. */
export const [CLIPS, PHASES] = [2, 4];
/** Rows of a type's shared poses. */
export const SHARED = CLIPS * PHASES;

/** Columns beside those of cull-characters: nobody plays anything, has modifiers or a controller, or shares. */
export function shareViews(
  { players, modifiers, regions, animators, rig }: PlayedViews,
  characters: number,
  below: number,
): ShareViews & { readonly sharers: Uint32Array<ArrayBuffer> } {
  const params = new View(ShareParams, 1);
  const capacities = { playerCapacity: PLAYERS, modifierCapacity: 1 };
  const rules = { below, phases: PHASES, weight: 0.9 };
  params.assign(0, { characterCount: characters, firstShared: characters, ...capacities, ...rules });
  const sharers = new Uint32Array(modifiers.count).fill(SHARES_NONE);
  return { params, players, modifiers, regions, animators, rig, sharers };
}

/** A crowd of one type, worked out by hand, whose far characters share poses: those stand behind the others. */
export class SharingCrowd extends HandCrowd {
  readonly share: ShareViews;
  readonly #characters: number;

  constructor(characters: number, options: Partial<HandOptions> = {}) {
    super({ types: [{ levels: [[0]] }], characters: characters + SHARED, ...options });
    this.#characters = characters;
    this.share = shareViews(this.played, characters, 50);
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

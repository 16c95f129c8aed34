import { View } from '../../layout/index.ts';
import { Decision, SlotClass, SlotExtent, SlotMove } from '../../stages/cull-characters/layout.ts';
import { SlotState } from '../../stages/layout.ts';
import { ringWords } from '../tables/cull-tables.ts';
import type { CulledState } from '../backend.ts';
import type { CrowdLayout } from '../tables/crowd-layout.ts';
import type { SlotChanges } from '../tables/vertex-pages.ts';

/** Slots of vertex memory as twins keep them. */
export class CpuSlots {
  readonly slots: View<(typeof SlotState)['fields']>;
  readonly decisions: View<(typeof Decision)['fields']>;
  readonly classes: View<(typeof SlotClass)['fields']>;
  readonly rings: Uint32Array<ArrayBuffer>;
  readonly extents: View<(typeof SlotExtent)['fields']>;
  readonly moves: View<(typeof SlotMove)['fields']> = new View(SlotMove, 1);

  constructor({ capacity, classes }: Pick<CrowdLayout, 'capacity' | 'classes'>) {
    this.slots = new View(SlotState, capacity);
    this.decisions = new View(Decision, capacity);
    this.classes = new View(SlotClass, classes.capacities.length + 1);
    this.rings = new Uint32Array(ringWords(classes).words);
    this.extents = new View(SlotExtent, classes.extentLimit);
  }

  get byteLength(): number {
    const { slots, decisions, classes, rings, extents } = this;
    return [slots.words, decisions.words, classes.words, rings, extents.words].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
  }

  /** State for the next backend: the same words, not copies. */
  get state(): CulledState {
    const { slots, decisions, classes, rings, extents, moves } = this;
    return {
      slots: slots.words,
      decisions: decisions.words,
      classes: classes.words,
      rings,
      extents: extents.words,
      moves: moves.words,
    };
  }

  /** Copies the state of another backend of the same shape. */
  restore(left: CulledState): void {
    for (const [key, words] of Object.entries(this.state)) words.set(left[key as keyof CulledState]);
  }

  /** Applies a reset and new extents. Grants are inputs of the frame instead. */
  take({ reset, extents, extentCount }: SlotChanges): void {
    if (reset) for (const { words } of [this.slots, this.classes, this.extents, this.moves]) words.fill(0);
    this.extents.words.set(extents, (extentCount * SlotExtent.size) / 4 - extents.length);
  }
}

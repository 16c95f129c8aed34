import type { BattleSide } from '../../src/battle/director.ts';
import type { Led } from '../../src/battle/columns.ts';
import type { CharacterGroup } from '../../src/index.ts';

type Column = ReturnType<Led['parameter']>;

/**
 * A side of the battle, as the director controls it. The director's commands go to the same soldiers in every current crowd
 * (two while kernels and twins are compared). Soldiers that a person controls are left out.
 */
export class LedSide implements Led {
  #groups: readonly CharacterGroup[];
  readonly #columns = new Map<string, { readonly wished: Float32Array; told: readonly Column[] }>();
  readonly #held = new Set<number>();

  constructor(groups: readonly CharacterGroup[]) {
    this.#groups = groups;
  }

  get group(): CharacterGroup {
    return this.#groups[0]!;
  }

  get size(): number {
    return this.group.size;
  }

  isAlive(index: number): boolean {
    return this.group.isAlive(index);
  }

  /** Continues with the same soldiers in other crowds. */
  moveTo(groups: readonly CharacterGroup[]): void {
    this.#groups = groups;
    for (const [name, column] of this.#columns) column.told = groups.map((group) => group.parameter(name));
  }

  parameter(name: string): Column {
    const found = this.#columns.get(name);
    const column = found ?? { wished: this.group.parameter(name).values.slice(), told: [] };
    column.told = this.#groups.map((group) => group.parameter(name));
    this.#columns.set(name, column);
    return {
      values: column.wished,
      changed: (from, to) => {
        for (const told of column.told) {
          for (let i = from; i < to; i++) if (!this.#held.has(i)) told.values[i] = column.wished[i]!;
          told.changed(from, to);
        }
      },
    };
  }

  trigger(name: string, indices: readonly number[]): void {
    const free = indices.filter((index) => !this.#held.has(index));
    if (free.length > 0) for (const group of this.#groups) group.trigger(name, free);
  }

  isHeld(index: number): boolean {
    return this.#held.has(index);
  }

  hold(index: number): void {
    this.#held.add(index);
  }

  /** Sets a parameter for a person, and holds the soldier. */
  set(index: number, name: string, value: number): void {
    this.hold(index);
    const { told } = this.#columns.get(name) ?? { told: this.#groups.map((group) => group.parameter(name)) };
    for (const column of told) {
      column.values[index] = value;
      column.changed(index, index + 1);
    }
  }

  /** Returns a soldier to the director. It receives the director's current parameters at once. */
  release(index: number): void {
    if (!this.#held.delete(index)) return;
    for (const { wished, told } of this.#columns.values()) {
      for (const column of told) {
        column.values[index] = wished[index]!;
        column.changed(index, index + 1);
      }
    }
  }
}

/** Returns the same side with `group` in place of its own group. */
export function ledBy(side: BattleSide, group: LedSide): BattleSide {
  return { ...side, group };
}

import type { Group } from './group.ts';

/** One parameter of all characters of a group. */
export class ParameterColumn {
  readonly #group: Group;
  readonly #name: string;
  #values: Float32Array | undefined;

  /** @internal */
  constructor(group: Group, name: string) {
    this.#group = group;
    this.#name = name;
    const living = group.ids.find((id) => group.crowd.isAlive(id));
    if (living !== undefined) group.crowd.parameter(living, name); // says what is wrong at once
  }

  /** Sets it for one character of the group. */
  set(index: number, value: number | boolean): void {
    this.#group.crowd.setParameter(this.#group.id(index), this.#name, value);
  }

  /** Sets it for all that live. */
  fill(value: number | boolean): void {
    const { crowd, ids } = this.#group;
    crowd.setParameter(
      ids.filter((id) => crowd.isAlive(id)),
      this.#name,
      value,
    );
  }

  /** The value that it was last set to for one character; 0 or 1 for a bool. */
  get(index: number): number {
    return this.#group.crowd.parameter(this.#group.id(index), this.#name);
  }

  /** A number per character of the group, yours to write; `changed` says which are to count. */
  get values(): Float32Array {
    const { crowd, ids } = this.#group;
    return (this.#values ??= Float32Array.from(ids, (id) => (crowd.isAlive(id) ? crowd.parameter(id, this.#name) : 0)));
  }

  /** `values` from … to − 1 have been written; default all. */
  changed(from = 0, to: number = this.#group.count): void {
    const { crowd, ids } = this.#group;
    crowd.writeParameter(ids, this.#name, this.values, Math.max(0, from), Math.min(to, ids.length));
  }
}

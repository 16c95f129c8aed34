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
    const [living] = group.ids;
    if (living !== undefined) group.crowd.parameter(living, name); // says what is wrong at once
  }

  /** Sets it for one character of the group. */
  set(index: number, value: number | boolean): void {
    this.#group.crowd.setParameter(this.#group.id(index), this.#name, value);
  }

  /** Sets it for all that live. */
  fill(value: number | boolean): void {
    this.#group.crowd.setParameter(this.#group.ids, this.#name, value);
  }

  /** The value that it was last set to for one character; 0 or 1 for a bool. */
  get(index: number): number {
    return this.#group.crowd.parameter(this.#group.id(index), this.#name);
  }

  /** A number per index of the group, yours to write; `changed` says which are to count. Those of the dead count for nothing. */
  get values(): Float32Array {
    const { crowd, spawned } = this.#group;
    return (this.#values ??= Float32Array.from(spawned, (id) =>
      crowd.isAlive(id) ? crowd.parameter(id, this.#name) : 0,
    ));
  }

  /** `values` from … to − 1 have been written; default all. */
  changed(from = 0, to: number = this.#group.size): void {
    const { crowd, spawned } = this.#group;
    crowd.writeParameter(spawned, this.#name, this.values, from, to);
  }
}

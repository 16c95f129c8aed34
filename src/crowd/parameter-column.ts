import type { CompiledController } from '../controller/compile.ts';
import { controllerOf, parameterIndex } from './rows/controller-inputs.ts';
import type { CharacterGroup } from './group.ts';
import { internalsOf } from './internals.ts';

/** One parameter of all characters of a group. */
export class ParameterColumn {
  readonly #group: CharacterGroup;
  readonly #name: string;
  readonly #controller: CompiledController;
  readonly #index: number;
  #values: Float32Array | undefined;

  /** @internal @throws ManipleError CROWD_BAD_ARGUMENT */
  constructor(group: CharacterGroup, name: string) {
    this.#group = group;
    this.#name = name;
    this.#controller = controllerOf(group);
    this.#index = parameterIndex(this.#controller, name, 'value');
  }

  /** Sets the parameter of one character of the group. @throws ManipleError CROWD_BAD_ID (it was despawned), CROWD_BAD_ARGUMENT */
  set(index: number, value: number | boolean): void {
    this.#group.crowd.setParameter(this.#group.id(index), this.#name, value);
  }

  /** Sets the parameter of all living characters of the group. */
  fill(value: number | boolean): void {
    const { rows, crowd } = this.#group;
    internalsOf(crowd).host.inputs.setAt(rows, this.#controller, this.#index, value);
  }

  /** The last value of one character; 0 or 1 for a bool. @throws ManipleError CROWD_BAD_ID (it was despawned) */
  get(index: number): number {
    return this.#group.crowd.getParameter(this.#group.id(index), this.#name);
  }

  /** A number per index of the group, yours to write; `changed` uploads them. Those of despawned characters are ignored. */
  get values(): Float32Array {
    const { crowd, spawned } = this.#group;
    return (this.#values ??= Float32Array.from(spawned, (id) =>
      crowd.isAlive(id) ? crowd.getParameter(id, this.#name) : 0,
    ));
  }

  /** `values` from … to − 1 have been written; default all. */
  changed(from = 0, to: number = this.#group.size): void {
    const { crowd, spawned } = this.#group;
    crowd.setParameters(spawned, this.#name, this.values, from, to);
  }
}

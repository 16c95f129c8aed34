import { type Signal, signal } from '@preact/signals';
import type { ParameterModel } from '../../src/controller/index.ts';
import type { Issue } from '../../src/errors.ts';
import type { ControllerState, CharacterEvent } from '../../src/index.ts';
import type { Subject } from './character-state.ts';
import type { ControllerItem, Simulation } from './simulation.ts';

/** A controller while it runs. */
export class RunningController {
  /** Character that runs it; undefined for an invisible substitute. */
  readonly actor: Signal<Subject | undefined>;
  readonly isPlaying: Signal<boolean> = signal(!globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches);
  /** Values of parameters, except triggers. */
  readonly values: Signal<ReadonlyMap<string, number>>;
  readonly live: Signal<ControllerState | undefined> = signal<ControllerState | undefined>(undefined);
  /** The last few, newest first. */
  readonly events: Signal<readonly CharacterEvent[]> = signal<readonly CharacterEvent[]>([]);
  /** Issues from creating or running the actor. */
  readonly issues: Signal<readonly Issue[]> = signal<readonly Issue[]>([]);
  /** True if a change has not been shown yet. */
  isChanged = true;
  simulation: Simulation | undefined;

  constructor(
    readonly item: ControllerItem,
    actor: Subject | undefined,
  ) {
    this.actor = signal(actor);
    const own = Object.entries(item.controller.parameters).filter(([, { type }]) => type !== 'trigger');
    this.values = signal(new Map(own.map(([name, parameter]) => [name, defaultOf(parameter)])));
  }

  set(name: string, value: number): void {
    this.values.value = new Map(this.values.peek()).set(name, value);
    this.simulation?.set(name, value);
    this.isChanged = true;
  }

  trigger(name: string): void {
    this.simulation?.trigger(name);
    this.isChanged = true;
  }
}

function defaultOf(parameter: ParameterModel): number {
  return Number(parameter.default ?? 0);
}

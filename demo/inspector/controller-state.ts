import { type Signal, signal } from '@preact/signals';
import type { ParameterModel } from '../../src/asset/index.ts';
import type { Issue } from '../../src/errors.ts';
import type { AnimatorState, CharacterEvent } from '../../src/index.ts';
import type { Subject } from './character-state.ts';
import type { ControllerItem, Simulation } from './simulation.ts';

/** A controller while it runs. */
export class ControllerState {
  /** Who runs it; undefined: a stand-in that nobody sees. */
  readonly actor: Signal<Subject | undefined>;
  readonly isPlaying: Signal<boolean> = signal(!globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches);
  /** Parameters that are no triggers. */
  readonly values: Signal<ReadonlyMap<string, number>>;
  readonly live: Signal<AnimatorState | undefined> = signal<AnimatorState | undefined>(undefined);
  /** The last few, newest first. */
  readonly events: Signal<readonly CharacterEvent[]> = signal<readonly CharacterEvent[]>([]);
  /** What making the actor, or running it, leaves to be said. */
  readonly issues: Signal<readonly Issue[]> = signal<readonly Issue[]>([]);
  /** Whether something was set that has not been seen yet. */
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

import { controllerView } from '../../src/controller/eval/controller-view.ts';
import { layerMotions } from '../../src/controller/eval/motion-list.ts';
import { compileController, type CompiledController, type CompileOptions } from '../../src/controller/compile.ts';
import type { ControllerModel } from '../../src/controller/model.ts';
import { fromCycles } from '../../src/math/cycles.ts';
import {
  COMMAND_CROSS_FADE,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_TRIGGERS,
} from '../../src/stages/step-controllers/layout.ts';
import { AnimatorScene, sceneEvents, type SceneCommand } from './animator-scene.ts';

/** What a layer shows: clips by reference, phases in cycles. */
export interface ShownClip {
  readonly clip: string;
  readonly phase: number;
  readonly weight: number;
  readonly mirror: boolean;
}

export interface FiredEvent {
  readonly name: string;
  readonly layer: number;
  /** Seconds since the update began. */
  readonly time: number;
  readonly weight: number;
  readonly fromNext: boolean;
}

/** One machine as people see it; undefined fields outside a transition. */
export interface SeenMachine {
  readonly state: string;
  readonly clock: number;
  readonly next: string | undefined;
  readonly nextClock: number | undefined;
  readonly progress: number | undefined;
  readonly frozen: boolean;
}

/** One character on the twin, by names instead of numbers. Commands wait for the next step. */
export class OneAnimator {
  readonly controller: CompiledController;
  readonly scene: AnimatorScene;
  /** What each freeze that dropped samples has dropped, in all steps. */
  readonly truncated: { readonly samples: number; readonly weight: number }[] = [];
  #commands: SceneCommand[];

  constructor(model: ControllerModel, options: CompileOptions = {}) {
    this.controller = compileController(model, options);
    this.scene = new AnimatorScene([this.controller], [0], 256);
    this.#commands = [{ kind: COMMAND_START, target: this.scene.rows[0]! }];
  }

  /** Sets parameters; triggers are set, or with false cleared, as commands. */
  set(values: Readonly<Record<string, number | boolean>>): this {
    const { memory } = this.scene;
    for (const [name, value] of Object.entries(values)) {
      const index = this.controller.parameters.findIndex((parameter) => parameter.name === name);
      const { type, trigger } = this.controller.parameters[index]!;
      const at = memory.columnWord(1 + index, 0);
      const bit = (1 << trigger) >>> 0;
      if (type === 'trigger')
        this.#commands.push({ kind: COMMAND_TRIGGERS, target: value ? bit : 0, clear: value ? 0 : bit });
      else if (type === 'float') memory.floats[at] = Number(value);
      else memory.ints[at] = Number(value);
    }
    return this;
  }

  /** The character's own speed. */
  speed(value: number): this {
    const { memory } = this.scene;
    memory.floats[memory.columnWord(0, 0)] = value;
    return this;
  }

  /** @param clock NaN: where the state begins. */
  play(state: string, clock = NaN, machine = 0): this {
    this.#commands.push({ kind: COMMAND_PLAY, machine, target: this.#state(machine, state), amount: clock });
    return this;
  }

  crossFade(state: string, amount: number, options: { fixed?: boolean; offset?: number; machine?: number } = {}): this {
    const { fixed = true, offset = 0, machine = 0 } = options;
    const target = this.#state(machine, state);
    this.#commands.push({ kind: COMMAND_CROSS_FADE, machine, target, amount, fixed, offset });
    return this;
  }

  /** Lets time pass and returns the events that fired; `lost` tells of those beyond the bound. */
  step(dt: number): FiredEvent[] {
    const commands = new Map(this.#commands.length > 0 ? [[0, this.#commands]] : []);
    this.#commands = [];
    const { state, truncated } = this.scene.onTwin(Math.fround(dt), commands);
    this.scene.state = state;
    this.truncated.push(...truncated);
    return sceneEvents(this.scene.state).map(({ id, layer, time, weight, fromNext }) => ({
      name: this.controller.events[id]!.name,
      layer,
      time,
      weight,
      fromNext,
    }));
  }

  /** Firings of the last step that were counted instead of written. */
  get lost(): number {
    return this.scene.state.events[1]!;
  }

  isSet(name: string): boolean {
    const { trigger } = this.controller.parameters.find((parameter) => parameter.name === name)!;
    return ((this.scene.memory.head(0, 'triggers') >>> trigger) & 1) === 1;
  }

  machine(index = 0): SeenMachine {
    const m = this.scene.memory.machine(index, 0);
    const { states } = this.controller.machines[index]!;
    return {
      state: states[m.current]!,
      clock: fromCycles(m.currentClock),
      next: m.inTransition ? states[m.next]! : undefined,
      nextClock: m.inTransition ? fromCycles(m.nextClock) : undefined,
      progress: m.inTransition ? m.progress * 2 ** -32 : undefined,
      frozen: m.frozen,
    };
  }

  /** State, or state>next. */
  place(index = 0): string {
    const { state, next } = this.machine(index);
    return next === undefined ? state : `${state}>${next}`;
  }

  shown(layer = 0): ShownClip[] {
    const { memory } = this.scene;
    const view = controllerView(this.scene.rig, this.scene.rows[0]!);
    const machine = memory.machine(view.layers[layer]!.machine, 0);
    const frozen = memory.frozen(layer, 0);
    return layerMotions(view, layer, machine, frozen, memory.parameters(0)).map(({ clip, mirror, phase, weight }) => ({
      clip: this.controller.clips[clip]!.reference,
      mirror,
      phase: phase / 2 ** 32,
      weight,
    }));
  }

  /** Freezes that dropped samples. */
  get truncations(): number {
    return this.scene.memory.head(0, 'counters') & 0xffff;
  }

  /** How far root motion has moved the character: x, y, z, then the rotation. */
  get root(): number[] {
    const at = this.scene.memory.rootWord(0);
    const { floats } = this.scene.memory;
    return [...floats.subarray(at, at + 3), ...floats.subarray(at + 4, at + 8)];
  }

  #state(machine: number, path: string): number {
    const index = this.controller.machines[machine]!.states.indexOf(path);
    if (index < 0) throw new Error(`no state ${path}`);
    return index;
  }
}

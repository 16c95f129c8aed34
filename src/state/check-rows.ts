import { controllerView, type ControllerView } from '../controller/eval/controller-view.ts';
import {
  FROZEN_CLIP_SHIFT,
  MACHINE_DYNAMIC_FIXED,
  MACHINE_IN_TRANSITION,
  MACHINE_STARTED,
  TRANSITION_DYNAMIC,
} from '../controller/eval/layout.ts';
import type { AnimatorMemory } from '../controller/eval/memory.ts';
import { FROZEN_LIMIT } from '../controller/tables.ts';
import type { CrowdTables, CrowdType } from '../frame/tables/crowd-types.ts';
import { Modifier, MODIFIER_NONE, Player, PLAYER_LOOPS, PLAYER_NONE } from '../stages/gather-motions/layout.ts';
import { LAYER_SET, LAYER_TURN, Transform } from '../stages/layout.ts';
import {
  COMMAND_CROSS_FADE,
  COMMAND_FIXED,
  COMMAND_PLAY,
  COMMAND_START,
  COMMAND_TRIGGERS,
} from '../stages/step-controllers/layout.ts';
import { View } from '../layout/index.ts';
import type { CommandWords } from '../crowd/rows/controller-inputs.ts';

/**
 * Checks of untrusted rows before kernels use them: indices must be in range, numbers must be finite. Each check
 * returns what is wrong, or undefined.
 */
type Wrong = string | undefined;

/** The records at the beginning of each row, as floats and integers of the same bytes. */
function view<T extends typeof Player | typeof Modifier | typeof Transform>(
  struct: T,
  words: Uint32Array<ArrayBuffer>,
): View<T['fields']> {
  return new View(struct as never, words.buffer, words.byteOffset, words.byteLength / struct.size);
}

export function wrongTransform(words: Uint32Array<ArrayBuffer>): Wrong {
  const { floats } = view(Transform, words);
  if (!floats.every(Number.isFinite)) return `is at ${floats.join(', ')}`;
  return undefined;
}

export function wrongPlayers(words: Uint32Array<ArrayBuffer>, { character }: CrowdType): Wrong {
  const players = view(Player, words);
  for (let place = 0; place < players.count; place++) {
    const clip = players.get(place, 'clip');
    if (clip === PLAYER_NONE) continue;
    const index = (clip & ~PLAYER_LOOPS) >>> 0;
    if (!character.clips[index]) return `plays clip ${index} of ${character.clips.length}`;
    for (const key of ['weightFrom', 'weightTo', 'fadeSeconds'] as const) {
      const value = players.get(place, key);
      if (!(value >= 0 && value < Infinity)) return `plays with ${key} ${value}`;
    }
  }
  return undefined;
}

export function wrongModifiers(words: Uint32Array<ArrayBuffer>, { laneCount }: CrowdType): Wrong {
  const modifiers = view(Modifier, words);
  for (let place = 0; place < modifiers.count; place++) {
    const bits = modifiers.get(place, 'laneAndBits');
    const lane = bits & 0xffff;
    if (lane === MODIFIER_NONE) continue;
    const mode = (bits >>> 16) & 0xff;
    if (lane >= laneCount) return `changes lane ${lane} of ${laneCount}`;
    if ((mode !== LAYER_SET && mode !== LAYER_TURN) || bits >>> 24 > 15) return `changes a lane by ${bits >>> 16}`;
    const floats = modifiers.floats.subarray(8 * place + 1, 8 * place + 8);
    if (!floats.every(Number.isFinite)) return `changes lane ${lane} by ${floats.join(', ')}`;
  }
  return undefined;
}

/** Checks where an attachment is held: three rows of four numbers. */
export function wrongOffset(rows: Float32Array): Wrong {
  return rows.every(Number.isFinite) ? undefined : `is held at ${rows.join(', ')}`;
}

export function wrongCommand([kind, target, amount]: CommandWords, { character }: CrowdType): Wrong {
  const { controller } = character;
  if (!controller) return 'has no controller for commands';
  const machine = (kind >>> 8) & 0xff;
  switch (kind & 0xff) {
    case COMMAND_START:
    case COMMAND_TRIGGERS:
      return kind > 0xff ? `gets command ${kind}` : undefined;
    case COMMAND_PLAY:
    case COMMAND_CROSS_FADE:
      if ((kind & ~(0xffff | COMMAND_FIXED)) !== 0) return `gets command ${kind}`;
      if (!controller.machines[machine]?.states[target]) return `gets state ${target} of machine ${machine}`;
      if ((kind & 0xff) === COMMAND_CROSS_FADE && !(floatOf(amount) >= 0 && floatOf(amount) < Infinity)) {
        return `gets a fade of ${floatOf(amount)} s`;
      }
      return undefined;
    default:
      return `gets command ${kind}`;
  }
}

/** Returns true if the commands of one character start its controller. */
export function isStarted(commands: readonly CommandWords[] = []): boolean {
  return commands.some(([kind]) => (kind & 0xff) === COMMAND_START);
}

/** Checks the saved state of controllers. */
export class AnimatorCheck {
  readonly #controllers = new Map<CrowdType, readonly ReadonlySet<number>[]>();

  constructor(readonly tables: CrowdTables) {}

  wrong(memory: AnimatorMemory, row: number, type: CrowdType): Wrong {
    const { controller } = type.character;
    if (!controller) return 'has no controller to run';
    for (let m = 0; m < controller.machines.length; m++) {
      const wrong = this.#wrongMachine(memory.machineWords(m, row), controller.machines[m]!.states.length, () =>
        this.#transitions(type, m),
      );
      if (wrong) return `in machine ${m} ${wrong}`;
    }
    for (let l = 0; l < controller.layers.length; l++) {
      const at = memory.frozenWord(l, row);
      for (let i = 0; i < FROZEN_LIMIT; i++) {
        const weight = memory.floats[at + 2 * i + 1]!;
        if (!(weight >= 0 && weight < Infinity)) return `has a frozen motion of weight ${weight}`;
        const clip = memory.words[at + 2 * i]! >>> FROZEN_CLIP_SHIFT;
        if (weight > 0 && !controller.clips[clip]) return `has a frozen motion of clip ${clip}`;
      }
    }
    if (memory.hasRoot) {
      const root = memory.floats.subarray(memory.rootWord(row), memory.rootWord(row) + 8);
      if (!root.every(Number.isFinite)) return `has moved by ${root.join(', ')}`;
    }
    return undefined;
  }

  #wrongMachine(words: Uint32Array, stateCount: number, transitions: () => ReadonlySet<number>): Wrong {
    const flags = words[1]! >>> 16;
    const [current, next] = [words[0]! & 0xffff, words[0]! >>> 16];
    if (flags >= 2 * MACHINE_DYNAMIC_FIXED) return `flags are ${flags}`;
    if (!(flags & MACHINE_STARTED)) return words.some((word) => word !== 0) ? 'it has not started' : undefined;
    if (current >= stateCount || next >= stateCount) return `states are ${current}, ${next} of ${stateCount}`;
    if (!(flags & MACHINE_IN_TRANSITION)) return undefined;
    const transition = words[1]! & 0xffff;
    if (transition !== TRANSITION_DYNAMIC && !transitions().has(transition))
      return `transition ${transition} does not exist`;
    const duration = floatOf(words[7]!);
    return duration >= 0 && duration < Infinity ? undefined : `a transition takes ${duration}`;
  }

  /** Transitions that a machine can be in: those of its states, and those from any state. */
  #transitions(type: CrowdType, machine: number): ReadonlySet<number> {
    const known =
      this.#controllers.get(type) ?? transitionsOf(controllerView(this.tables.rig, type.controllerRow), type);
    this.#controllers.set(type, known);
    return known[machine]!;
  }
}

function transitionsOf(view: ControllerView, { character }: CrowdType): ReadonlySet<number>[] {
  return view.machines.map((machine, m) => {
    const states = character.controller!.machines[m]!.states.map((_, s) => machine.state(s));
    const runs = [
      [machine.anyFirst, machine.anyCount],
      ...states.map(({ transitionFirst, transitionCount }) => [transitionFirst, transitionCount]),
    ] as const;
    return new Set(runs.flatMap(([first, count]) => Array.from({ length: count! }, (_, i) => first! + i)));
  });
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function floatOf(bits: number): number {
  word[0] = bits;
  return float[0]!;
}

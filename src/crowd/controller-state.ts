import { MACHINE_FROZEN, MACHINE_IN_TRANSITION, MACHINE_STARTED } from '../controller/eval/layout.ts';
import type { CompiledController } from '../controller/compile.ts';
import { LIST_LAYER_SHIFT } from '../stages/gather-motions/layout.ts';
import type { CharacterId } from './rows/ids.ts';

/** State of one character's controller after the last frame. */
export interface ControllerState {
  readonly character: CharacterId;
  readonly layers: readonly LayerState[];
  /** Triggers that are set. */
  readonly triggers: readonly string[];
  /** How far root motion has moved it since it was spawned: metres, and a rotation x, y, z, w. */
  readonly root: { readonly position: readonly number[]; readonly rotation: readonly number[] };
  /** Motions that its last motion list dropped because it was full, and freezes that dropped motions. */
  readonly droppedMotions: number;
  readonly truncatedFreezes: number;
}

export interface LayerState {
  readonly name: string;
  /** Path of the state; null before the first frame. */
  readonly state: string | null;
  /** Its clock: whole cycles and a fraction. */
  readonly cycles: number;
  readonly phase: number;
  /** The state that a transition leads to, or null, and its clock. */
  readonly next: string | null;
  readonly nextCycles: number;
  readonly nextPhase: number;
  /** Progress of the transition, 0 to 1. */
  readonly progress: number;
  /** True while an interrupted blend replaces the state. */
  readonly frozen: boolean;
  /** Clips that the layer shows, the heaviest first. */
  readonly motions: readonly LayerMotion[];
}

export interface LayerMotion {
  /** Its reference in the controller. */
  readonly clip: string;
  /** Where it is sampled: a fraction. */
  readonly phase: number;
  /** Weight from tree and transition, without the layer's own. */
  readonly weight: number;
  readonly mirror: boolean;
}

const CYCLE = 2 ** 32;

/** Decodes what `listMotions` wrote for one character. */
export function readAnimatorState(
  id: CharacterId,
  controller: CompiledController,
  list: Uint32Array<ArrayBuffer>,
  machineCapacity: number,
): ControllerState {
  const floats = new Float32Array(list.buffer, list.byteOffset, list.length);
  const ints = new Int32Array(list.buffer, list.byteOffset, list.length);
  const [count, , triggers, counters] = [list[0]!, list[1]!, list[2]!, list[3]!];
  const rootAt = 4 + 8 * machineCapacity;
  const samples = Array.from({ length: count }, (_, i) => rootAt + 8 + 4 * i);
  const turned = list.subarray(rootAt, rootAt + 8).some((bits) => bits !== 0);
  return {
    character: id,
    layers: controller.layers.map(({ name, machine }, l): LayerState => {
      const at = 4 + 8 * machine;
      const flags = list[at + 1]! >>> 16;
      const { states } = controller.machines[machine]!;
      const inTransition = (flags & MACHINE_IN_TRANSITION) !== 0;
      return {
        name,
        state: flags & MACHINE_STARTED ? states[list[at]! & 0xffff]! : null,
        cycles: ints[at + 3]!,
        phase: list[at + 2]! / CYCLE,
        next: inTransition ? states[list[at]! >>> 16]! : null,
        nextCycles: inTransition ? ints[at + 5]! : 0,
        nextPhase: inTransition ? list[at + 4]! / CYCLE : 0,
        progress: inTransition ? list[at + 6]! / CYCLE : 0,
        frozen: (flags & MACHINE_FROZEN) !== 0,
        motions: samples
          .filter((sample) => list[sample]! >>> LIST_LAYER_SHIFT === l)
          .map((sample): LayerMotion => ({
            clip: controller.clips[list[sample]! & 0xffff]!.reference,
            phase: list[sample + 2] === CYCLE - 1 ? 1 : list[sample + 2]! / CYCLE,
            weight: floats[sample + 3]!,
            mirror: (list[sample]! & 0x10000) !== 0,
          }))
          .sort((a, b) => b.weight - a.weight || (a.clip < b.clip ? -1 : a.clip > b.clip ? 1 : 0)),
      };
    }),
    triggers: controller.parameters
      .filter(({ trigger }) => trigger >= 0 && (triggers >>> trigger) & 1)
      .map(({ name }) => name),
    root: {
      position: Array.from(floats.subarray(rootAt, rootAt + 3)),
      rotation: turned ? Array.from(floats.subarray(rootAt + 4, rootAt + 8)) : [0, 0, 0, 1],
    },
    droppedMotions: counters >>> 16,
    truncatedFreezes: counters & 0xffff,
  };
}

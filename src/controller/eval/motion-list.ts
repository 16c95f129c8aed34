import {
  CONTROLLER_NONE,
  FROZEN_LIMIT,
  INDEX_NONE,
  LAYER_IS_ADDITIVE,
  LEAF_HELD,
  LEAF_LOOPS,
  LEAF_MIRROR,
  LEAF_REVERSED,
  STATE_MIRROR,
} from '../tables.ts';
import type { RigTable } from '../../character/format/clip-format.ts';
import { toCycles, type Cycles } from '../../math/cycles.ts';
import {
  controllerView,
  type ControllerView,
  type LeafView,
  type MotionView,
  type StateView,
} from './controller-view.ts';
import { ANIMATOR_NONE } from './layout.ts';
import type { AnimatorMemory, FrozenSample, Machine } from './memory.ts';
import { evaluateMotion, numberParameter, type Parameters } from './motion.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;
/** The end of a clip that does not loop: the nearest phase in 0.32 fixed point. */
export const PHASE_END = 0xffffffff;

/** A clip that a layer shows, at a phase in 0.32 fixed point. */
export interface ListedMotion {
  /** Clip of the controller, and of the character type (CONTROLLER_NONE: none). */
  readonly clip: number;
  readonly rigClip: number;
  readonly mirror: boolean;
  readonly phase: number;
  /** Product of tree and transition weights, without the layer's. */
  readonly weight: number;
}

/** The fraction of a number of cycles, as 0.32 fixed point. */
export function fractionPhase(value: number): number {
  return toCycles(f(value - Math.floor(value))).phase;
}

/** Phase at which a leaf is sampled: the state's clock, or its time parameter, with all offsets. */
export function leafPhase(
  { flags, offset }: LeafView,
  state: StateView,
  clock: Cycles,
  parameters: Parameters,
): number {
  if (flags & LEAF_HELD) return 0;
  const timed = state.timeParameter !== INDEX_NONE;
  const time = numberParameter(parameters, state.timeParameter, 0);
  const reversed = (flags & LEAF_REVERSED) !== 0;
  if (flags & LEAF_LOOPS) {
    const base = timed ? fractionPhase(time) : clock.phase + stateOffset(state, parameters);
    const phase = (base + offset) % CYCLE;
    return reversed ? (CYCLE - phase) % CYCLE : phase;
  }
  const { cycles, phase } = timed ? toCycles(f(Math.max(0, Math.min(1, time)))) : clock;
  const held = cycles < 0 ? 0 : cycles > 0 ? PHASE_END : phase;
  return reversed ? PHASE_END - held : held;
}

/** Offset that a state adds to the phase of looping clips. */
export function stateOffset({ cycleOffset, cycleParameter }: StateView, parameters: Parameters): number {
  return cycleParameter === INDEX_NONE ? cycleOffset : fractionPhase(numberParameter(parameters, cycleParameter, 0));
}

/** Returns true if a state's motions play with left and right exchanged. */
export function isMirrored({ flags, mirrorParameter }: StateView, parameters: Parameters): boolean {
  const constant = (flags & STATE_MIRROR) !== 0;
  return mirrorParameter === INDEX_NONE ? constant : numberParameter(parameters, mirrorParameter, 0) !== 0;
}

/** Motions of a state at a moment of its clock, scaled by its share in a transition. Weights of 0 are left out. */
export function stateMotions(
  motion: MotionView | undefined,
  state: StateView,
  clock: Cycles,
  share: number,
  parameters: Parameters,
): ListedMotion[] {
  if (!motion) return [];
  const { weights } = evaluateMotion(motion, parameters);
  const mirrored = isMirrored(state, parameters);
  return motion.leaves.flatMap((leaf, l) => {
    const weight = f(weights[l]! * share);
    if (weight <= 0) return [];
    const mirror = mirrored !== ((leaf.flags & LEAF_MIRROR) !== 0);
    return { clip: leaf.clip, rigClip: leaf.rigClip, mirror, phase: leafPhase(leaf, state, clock, parameters), weight };
  });
}

/** Share of the next state: the transition's progress. */
export function progressOf({ progress }: Machine): number {
  return f(f(progress) * 2 ** -32);
}

/** Motions of a layer: the current state or its frozen samples, then the next state. */
export function layerMotions(
  controller: ControllerView,
  layer: number,
  machine: Machine,
  frozen: readonly FrozenSample[],
  parameters: Parameters,
): ListedMotion[] {
  const view = controller.layers[layer]!;
  const states = controller.machines[view.machine]!;
  const shown = (index: number, clock: Cycles, share: number): ListedMotion[] =>
    stateMotions(controller.motion(view.motionRow(index)), states.state(index), clock, share, parameters);
  if (!machine.started) return [];
  if (!machine.inTransition) return shown(machine.current, machine.currentClock, 1);
  const progress = progressOf(machine);
  const left = f(1 - progress);
  const source = machine.frozen
    ? frozen.flatMap(({ clip, mirror, phase, weight }): ListedMotion[] => {
        const scaled = f(weight * left);
        if (scaled <= 0) return [];
        return [{ clip, rigClip: controller.clip(clip).rigClip, mirror, phase: phase * 65537, weight: scaled }];
      })
    : shown(machine.current, machine.currentClock, left);
  return [...source, ...shown(machine.next, machine.nextClock, progress)];
}

/** A phase in 1/65535, to the nearest. */
export function frozenPhase(phase: number): number {
  return Number((BigInt(phase) * 65535n + 0x80000000n) >> 32n);
}

interface FrozenMotions {
  readonly samples: FrozenSample[];
  /** Number of samples beyond the limit, and their weight. */
  readonly dropped: number;
  readonly droppedWeight: number;
  /** Weight of the lightest sample that was kept minus that of the heaviest one that was dropped. Infinity if none was. */
  readonly margin: number;
}

/**
 * Freezes an interrupted blend: its samples at their current phases. Equal ones are merged. The eight heaviest are kept,
 * and scaled to the weight of all.
 */
export function freezeMotions(motions: readonly ListedMotion[]): FrozenMotions {
  const merged: FrozenSample[] = [];
  let total = 0;
  for (const { clip, mirror, phase, weight } of motions) {
    const sample = { clip, mirror, phase: frozenPhase(phase), weight };
    const same = merged.findIndex(
      (other) => other.clip === clip && other.mirror === mirror && other.phase === sample.phase,
    );
    if (same < 0) merged.push(sample);
    else merged[same] = { ...sample, weight: f(merged[same]!.weight + weight) };
    total = f(total + weight);
  }
  if (merged.length <= FROZEN_LIMIT) return { samples: merged, dropped: 0, droppedWeight: 0, margin: Infinity };
  const order = merged.map((_, i) => i).sort((a, b) => merged[b]!.weight - merged[a]!.weight || a - b);
  const kept = merged.filter((_, i) => order.indexOf(i) < FROZEN_LIMIT);
  const left = kept.reduce((sum, { weight }) => f(sum + weight), 0);
  const factor = f(total / left);
  const samples = kept.map((sample) => ({ ...sample, weight: f(sample.weight * factor) }));
  const [lightest, heaviest] = [FROZEN_LIMIT - 1, FROZEN_LIMIT].map((rank) => merged[order[rank]!]!.weight) as [number, number]; // prettier-ignore
  const droppedWeight = Math.max(0, f(total - left));
  return { samples, dropped: merged.length - FROZEN_LIMIT, droppedWeight, margin: lightest - heaviest };
}

/** Returns true if a motion has a clip of the character type. */
function isShown({ rigClip }: ListedMotion): boolean {
  return rigClip !== CONTROLLER_NONE;
}

/** The weight of a layer; the first one's is always 1. */
export function layerWeight({ layers }: ControllerView, index: number, parameters: Parameters): number {
  const { weight, weightParameter } = layers[index]!;
  return index === 0 ? 1 : Math.max(0, Math.min(1, numberParameter(parameters, weightParameter, weight)));
}

/** A layer of a motion list. The first needs no layer record if it is plain. */
export interface GatheredLayer {
  readonly additive: boolean;
  readonly weight: number;
  /** Pair of the rig table, or −1. */
  readonly maskPair: number;
  readonly isPlain: boolean;
  readonly motions: readonly ListedMotion[];
}

/** Motions of the layers of a character's controller; undefined for a character without a controller. */
export function gatherLayers(
  rig: RigTable,
  memory: AnimatorMemory,
  character: number,
): { layers: GatheredLayer[]; controller: ControllerView } | undefined {
  const row = memory.head(character, 'controllerRow');
  if (row === ANIMATOR_NONE) return undefined;
  const controller = controllerView(rig, row);
  const parameters = memory.parameters(character);
  const layers = controller.layers.map((layer, index): GatheredLayer => {
    const weight = layerWeight(controller, index, parameters);
    const machine = memory.machine(layer.machine, character);
    const motions = layerMotions(controller, index, machine, memory.frozen(index, character), parameters);
    const additive = (layer.flags & LAYER_IS_ADDITIVE) !== 0;
    return {
      additive,
      weight,
      maskPair: layer.maskRow < 0 ? -1 : 2 * layer.maskRow,
      isPlain: index === 0 && layer.maskRow < 0 && !additive,
      motions: weight > 0 ? motions.filter(isShown) : [],
    };
  });
  return { layers, controller };
}

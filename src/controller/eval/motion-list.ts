import { wordOffsets } from '../../layout/index.ts';
import {
  CONTROLLER_NONE,
  FROZEN_LIMIT,
  INDEX_NONE,
  LEAF_HELD,
  LEAF_LOOPS,
  LEAF_MIRROR,
  LEAF_REVERSED,
  STATE_MIRROR,
} from '../tables.ts';
import { roundHalfEven } from '../../math/cycles.ts';
import type { ControllerTable, ControllerView, LayerView, StateView } from './controller-view.ts';
import { ANIMATOR_NONE, MACHINE_FROZEN, MACHINE_IN_TRANSITION, MACHINE_STARTED, MachineState } from './layout.ts';
import type { AnimatorMemory, CharacterParameters, FrozenSample, Machine } from './memory.ts';
import { MotionWeights, numberParameter, type Parameters } from './motion.ts';

const f = Math.fround;
const CYCLE = 2 ** 32;
const MACHINE = /* @__PURE__ */ wordOffsets(MachineState);
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

/** Motions that layers show, one after the other in columns that are used again. */
export class MotionColumns {
  count = 0;
  clips = new Uint32Array(32);
  rigClips = new Uint32Array(32);
  /** 1: left and right are exchanged. */
  mirrors = new Uint8Array(32);
  phases = new Float64Array(32);
  weights = new Float64Array(32);
  readonly evaluated: MotionWeights = new MotionWeights();
  readonly #isBound: boolean;

  /** @param isBound Leaves out motions without a clip of the character type. */
  constructor(isBound = false) {
    this.#isBound = isBound;
  }

  add(clip: number, rigClip: number, mirror: boolean, phase: number, weight: number): void {
    if (this.#isBound && rigClip === CONTROLLER_NONE) return;
    if (this.count === this.clips.length) this.#grow();
    const at = this.count++;
    this.clips[at] = clip;
    this.rigClips[at] = rigClip;
    this.mirrors[at] = Number(mirror);
    this.phases[at] = phase;
    this.weights[at] = weight;
  }

  /** As a list. */
  list(): ListedMotion[] {
    return Array.from({ length: this.count }, (_, at) => {
      const [clip, rigClip, mirror] = [this.clips[at]!, this.rigClips[at]!, this.mirrors[at] === 1];
      return { clip, rigClip, mirror, phase: this.phases[at]!, weight: this.weights[at]! };
    });
  }

  #grow(): void {
    const { clips, rigClips, mirrors, phases, weights } = this;
    const size = 2 * clips.length;
    [this.clips, this.rigClips, this.mirrors] = [new Uint32Array(size), new Uint32Array(size), new Uint8Array(size)];
    [this.phases, this.weights] = [new Float64Array(size), new Float64Array(size)];
    this.clips.set(clips);
    this.rigClips.set(rigClips);
    this.mirrors.set(mirrors);
    this.phases.set(phases);
    this.weights.set(weights);
  }
}

/** The fraction of a number of cycles, as 0.32 fixed point. */
export function fractionPhase(value: number): number {
  return phaseOf(f(value - Math.floor(value))) % CYCLE;
}

/** A number from 0 to 1 in 0.32 fixed point; 2³² for 1. NaN counts as 0. */
function phaseOf(value: number): number {
  return Number.isNaN(value) ? 0 : roundHalfEven(value * CYCLE);
}

/** Phase at which a leaf is sampled: the state's clock, or its time parameter, with all offsets. */
function phaseOfLeaf(
  flags: number,
  offset: number,
  state: StateView,
  cycles: number,
  phase: number,
  parameters: Parameters,
): number {
  if (flags & LEAF_HELD) return 0;
  const timed = state.timeParameter !== INDEX_NONE;
  const time = numberParameter(parameters, state.timeParameter, 0);
  const reversed = (flags & LEAF_REVERSED) !== 0;
  if (flags & LEAF_LOOPS) {
    const base = timed ? fractionPhase(time) : phase + stateOffset(state, parameters);
    const sum = (base + offset) % CYCLE;
    return reversed ? (CYCLE - sum) % CYCLE : sum;
  }
  const at = timed ? phaseOf(f(Math.max(0, Math.min(1, time)))) : cycles < 0 ? 0 : cycles > 0 ? CYCLE : phase;
  const held = Math.min(PHASE_END, at);
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

/** Adds the motions of a state at a moment of its clock, scaled by its share in a transition. Weights of 0 are left out. */
function addState(
  out: MotionColumns,
  controller: ControllerView,
  layer: LayerView,
  index: number,
  cycles: number,
  phase: number,
  share: number,
  parameters: Parameters,
): void {
  const motion = controller.motion(layer.motionRow(index));
  if (!motion) return;
  const state = controller.machines[layer.machine]!.state(index);
  const { evaluated } = out;
  evaluated.evaluate(motion, parameters);
  const mirrored = isMirrored(state, parameters);
  for (let l = 0; l < motion.leaves.length; l++) {
    const weight = f(evaluated.weights[l]! * share);
    if (weight <= 0) continue;
    const { clip, rigClip, flags, offset } = motion.leaves[l]!;
    const mirror = mirrored !== ((flags & LEAF_MIRROR) !== 0);
    out.add(clip, rigClip, mirror, phaseOfLeaf(flags, offset, state, cycles, phase, parameters), weight);
  }
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
  if (!machine.started) return [];
  columns.count = 0;
  const { current, currentClock, next, nextClock, inTransition } = machine;
  const progress = inTransition ? progressOf(machine) : 0;
  const left = f(1 - progress);
  if (inTransition && machine.frozen) addFrozen(columns, controller, frozen, left);
  else addState(columns, controller, view, current, currentClock.cycles, currentClock.phase, left, parameters);
  if (inTransition) addState(columns, controller, view, next, nextClock.cycles, nextClock.phase, progress, parameters);
  return columns.list();
}

const columns = new MotionColumns();

/** The same for a character in memory. Allocates nothing, unless the source is frozen. */
function addLayer(
  out: MotionColumns,
  controller: ControllerView,
  index: number,
  memory: AnimatorMemory,
  character: number,
  parameters: Parameters,
): void {
  const view = controller.layers[index]!;
  const { words, ints } = memory;
  const first = memory.machineWord(view.machine, character, 0);
  const flags = words[first + MACHINE.transitionAndFlags]! >>> 16;
  if (!(flags & MACHINE_STARTED)) return;
  const states = words[first + MACHINE.states]!;
  const inTransition = (flags & MACHINE_IN_TRANSITION) !== 0;
  const second = memory.machineWord(view.machine, character, 1) - MACHINE.nextPhase;
  const progress = inTransition ? f(f(words[second + MACHINE.progress]!) * 2 ** -32) : 0;
  const left = f(1 - progress);
  if (inTransition && flags & MACHINE_FROZEN) addFrozen(out, controller, memory.frozen(index, character), left);
  else {
    const [cycles, phase] = [ints[first + MACHINE.currentCycles]!, words[first + MACHINE.currentPhase]!];
    addState(out, controller, view, states & 0xffff, cycles, phase, left, parameters);
  }
  if (!inTransition) return;
  const [cycles, phase] = [ints[second + MACHINE.nextCycles]!, words[second + MACHINE.nextPhase]!];
  addState(out, controller, view, states >>> 16, cycles, phase, progress, parameters);
}

function addFrozen(
  out: MotionColumns,
  controller: ControllerView,
  frozen: readonly FrozenSample[],
  share: number,
): void {
  for (const { clip, mirror, phase, weight } of frozen) {
    const scaled = f(weight * share);
    if (scaled > 0) out.add(clip, controller.clip(clip).rigClip, mirror, phase * 65537, scaled);
  }
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

/** The weight of a layer; the first one's is always 1. */
export function layerWeight({ layers }: ControllerView, index: number, parameters: Parameters): number {
  const { weight, weightParameter } = layers[index]!;
  return index === 0 ? 1 : Math.max(0, Math.min(1, numberParameter(parameters, weightParameter, weight)));
}

/** Motions of all layers of a character, found for one character after the other. Motions without a clip of the type are left out. */
export class GatheredLayers {
  readonly motions: MotionColumns = new MotionColumns(true);
  controller!: ControllerView;
  /** By layer: where its motions end in `motions`, and its weight. */
  ends = new Int32Array(8);
  weights = new Float64Array(8);

  /** Returns false for a character without a controller. @param parameters Of the memory. */
  gather(table: ControllerTable, memory: AnimatorMemory, character: number, parameters: CharacterParameters): boolean {
    this.motions.count = 0;
    const row = memory.head(character, 'controllerRow');
    if (row === ANIMATOR_NONE) return false;
    const controller = table.at(row);
    const { layers } = controller;
    this.controller = controller;
    parameters.character = character;
    if (this.ends.length < layers.length) {
      this.ends = new Int32Array(layers.length);
      this.weights = new Float64Array(layers.length);
    }
    for (let l = 0; l < layers.length; l++) {
      const weight = layerWeight(controller, l, parameters);
      this.weights[l] = weight;
      if (weight > 0) addLayer(this.motions, controller, l, memory, character, parameters);
      this.ends[l] = this.motions.count;
    }
    return true;
  }
}

import { FROZEN_LIMIT } from '../tables.ts';
import { bindings, struct, uniform, writes } from '../../layout/index.ts';

/**
 * State of a crowd's controllers, in one buffer of 16-byte rows: heads, machines, frozen motions and root motion
 * of all characters, then columns of words. AnimatorRegions holds the start of each region. Within a region,
 * neighbouring characters are adjacent, so that neighbouring threads read neighbouring bytes.
 */

/** A row per character. */
export const AnimatorHead = /* @__PURE__ */ struct('AnimatorHead', {
  /** Row of its controller in the rig table; ANIMATOR_NONE if it has none, or if the row has no character. */
  controllerRow: 'u32',
  /** Bits of the triggers that are set. */
  triggers: 'u32',
  /** 1 + index of its command run of this frame; 0: none. */
  commandRun: 'u32',
  /** Number of freezes that dropped motions (low 16 bits), and of motions beyond the capacity of the last list (high 16). */
  counters: 'u32',
});

export const ANIMATOR_NONE = 0xffffffff;

/**
 * Two rows per machine and character: all of a machine that a step accesses. The first is at
 * `2 × machine × capacity + character`. The second begins with `nextPhase`, `capacity` rows later. Outside transitions it
 * is 0, and is not read.
 */
export const MachineState = /* @__PURE__ */ struct('MachineState', {
  /** Current state in the low 16 bits, next in the high ones; indices within the machine. */
  states: 'u32',
  /** Active transition in the low 16 bits (TRANSITION_DYNAMIC for one that a command began), flags in the high ones. */
  transitionAndFlags: 'u32',
  currentPhase: 'u32',
  currentCycles: 'i32',
  nextPhase: 'u32',
  nextCycles: 'i32',
  /** Progress of the transition: a fraction in 0.32 fixed point. */
  progress: 'u32',
  /** Duration of a dynamic transition: seconds, or cycles of the source. */
  duration: 'f32',
});

export const TRANSITION_DYNAMIC = 0xffff;
export const MACHINE_STARTED = 1;
export const MACHINE_IN_TRANSITION = 2;
/** The transition's source is a frozen blend. The current state's clock does not move. */
export const MACHINE_FROZEN = 4;
/** The state has not been advanced yet: its exit times do not count. */
export const MACHINE_FRESH = 8;
export const MACHINE_NEXT_FRESH = 16;
/** The state has been entered and no time has passed: events at its start are due. */
export const MACHINE_ENTERED = 32;
export const MACHINE_NEXT_ENTERED = 64;
/** A dynamic transition's duration is in seconds. */
export const MACHINE_DYNAMIC_FIXED = 128;

/** Four rows per layer and character, accessed only when a blend is interrupted: eight samples, of weight 0 if unused. */
const FrozenMotion = /* @__PURE__ */ struct('FrozenMotion', {
  /** Phase in 1/65535 (low 16 bits), FROZEN_MIRROR, clip of the controller (high 15 bits). */
  sample: 'u32',
  weight: 'f32',
});
export const FROZEN_ROWS: number = (FROZEN_LIMIT * FrozenMotion.size) / 16;
export const FROZEN_MIRROR = 0x10000;
export const FROZEN_CLIP_SHIFT = 17;

/** Two rows per character if some controller has root motion: its root motion since it was spawned. */
export const RootMotion = /* @__PURE__ */ struct('RootMotion', { position: 'vec3f', pad: 'u32', rotation: 'vec4f' });
export const ROOT_ROWS: number = RootMotion.size / 16;

/** Where the regions of the animators begin. */
export const AnimatorRegions = /* @__PURE__ */ struct('AnimatorRegions', {
  /** Characters that the crowd can hold: the stride of regions. */
  capacity: 'u32',
  machineRow: 'u32',
  frozenRow: 'u32',
  rootRow: 'u32',
  /** Columns, a word per character in whole rows: column 0 holds speeds, column 1 + p parameter p. */
  columnRow: 'u32',
  /** Largest number of machines of a controller, and of layers. */
  machineCapacity: 'u32',
  layerCapacity: 'u32',
  columnCapacity: 'u32',
});

/** Group 2 of stages that read or write animators. */
export const animatorBindings = /* @__PURE__ */ bindings(2, {
  regions: uniform(AnimatorRegions),
  animators: writes('vec4u'),
});

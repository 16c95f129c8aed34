import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { FrameParams, VisibleCharacter } from '../layout.ts';

/**
 * A clip that the host plays on a character, as a function of the crowd's clock: nothing is stored from frame to
 * frame, so it costs no upload while it runs and errors do not add up.
 */
export const Player = struct('Player', {
  /** Clip of the character's type; PLAYER_NONE for an empty place. Bit 31: loops. */
  clip: 'u32',
  /** Phase at startTime: a fraction of the clip, 0.32 fixed point. */
  startPhase: 'u32',
  /** Cycles per second in 8.24 fixed point, signed. */
  rate: 'i32',
  /** Of the crowd's clock: seconds in 32.32 fixed point. */
  startTimeLow: 'u32',
  startTimeHigh: 'u32',
  /** Weight goes from weightFrom to weightTo in fadeSeconds after startTime. */
  weightFrom: 'f32',
  weightTo: 'f32',
  fadeSeconds: 'f32',
});

export const PLAYER_NONE = 0xffffffff;
export const PLAYER_LOOPS = 0x80000000;

/** What the host does to one joint, or to three morph weights, of a character: see `LaneModifier`. */
export const Modifier = struct('Modifier', {
  /** Lane in the low 16 bits (MODIFIER_NONE: an empty place), mode in bits 16 … 23, MODIFIES_ bits above. */
  laneAndBits: 'u32',
  weight: 'f32',
  /** Of the rotation: x, y, z; w is what is left to 1, and not negative. */
  rotationX: 'f32',
  rotationY: 'f32',
  rotationZ: 'f32',
  x: 'f32',
  y: 'f32',
  z: 'f32',
});

export const MODIFIER_NONE = 0xffff;

/** Group 2 is that of the animators. */
export const gatherMotionsBindings = bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  players: reads(Player),
  modifiers: reads(Modifier),
  motions: writes('vec4u'),
});

/** What {@link listMotionsBindings} is asked for: `listCapacity` rows per character. */
export const ListParams = struct('ListParams', {
  characterCount: 'u32',
  listCapacity: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** Samples that one layer shows at most: what is frozen of it and two states'. */
export const LAYER_SAMPLES = 24;
export const LIST_LAYER_SHIFT = 17;

/**
 * What the host is told of a character, `listCapacity` rows each: count of samples, controller, triggers, counters; its
 * machines; its root motion (2 rows); then a row per sample: clip of the controller (low 16 bits), bit 16 where it is
 * mirrored, layer; index of the rig's clip; phase; weight.
 */
export const listMotionsBindings = bindings(0, {
  params: uniform(ListParams),
  characters: reads('u32'),
  lists: writes('vec4u'),
});

/** Rows of one character's list. */
export function listRows(machineCapacity: number, layerCapacity: number): number {
  return 3 + 2 * machineCapacity + LAYER_SAMPLES * layerCapacity;
}

import { LARGE_LAYER_SAMPLES, LAYER_SAMPLES } from '../../controller/tables.ts';
import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { FrameParams, Modifier, Player, VisibleCharacter } from '../layout.ts';

export { Modifier, MODIFIER_NONE, Player, PLAYER_LOOPS, PLAYER_NONE } from '../layout.ts';

/** Group 2 is that of the animators. */
export const gatherMotionsBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  players: reads(Player),
  modifiers: reads(Modifier),
  motions: writes('vec4u'),
});

/** Parameters of {@link listMotionsBindings}: `listCapacity` rows per character. */
export const ListParams = /* @__PURE__ */ struct('ListParams', {
  characterCount: 'u32',
  listCapacity: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});

/** First row of a character's list: number of samples, then fields of its AnimatorHead. */
export const ListHead = /* @__PURE__ */ struct('ListHead', {
  count: 'u32',
  controllerRow: 'u32',
  triggers: 'u32',
  counters: 'u32',
});

/** A clip that a character shows. */
export const ListSample = /* @__PURE__ */ struct('ListSample', {
  /** Clip of the controller (low 16 bits), bit 16 where it is mirrored, layer from LIST_LAYER_SHIFT on. */
  clip: 'u32',
  rigClip: 'u32',
  phase: 'u32',
  weight: 'f32',
});
export const LIST_LAYER_SHIFT = 17;

/**
 * Data that the CPU reads of a character, `listCapacity` rows each: a ListHead, its machines, its root motion (ROOT_ROWS),
 * and a ListSample per sample.
 */
export const listMotionsBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ListParams),
  characters: reads('u32'),
  lists: writes('vec4u'),
});

/** Rows of one character's list; `large`: some controller of the crowd has large motions. */
export function listRows(machineCapacity: number, layerCapacity: number, large: boolean): number {
  return 3 + 2 * machineCapacity + (large ? LARGE_LAYER_SAMPLES : LAYER_SAMPLES) * layerCapacity;
}

/** Adds up the drops of a frame's lists: `counts` is a number of 64 bits, the low half first. */
export const countDroppedBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(FrameParams),
  visible: reads(VisibleCharacter),
  animators: reads('vec4u'),
  counts: writes('atomic<u32>'),
});

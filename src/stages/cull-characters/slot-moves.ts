import { struct } from '../../layout/index.ts';

/**
 * A run of consecutive slots of one class in a page. Memory moves between classes by extents. The CPU cuts them and
 * appends rows; kernels change their class.
 */
export const SlotExtent = /* @__PURE__ */ struct('SlotExtent', {
  /** Its first slot, as in `SlotState`. */
  slot: 'u32',
  /** SLOT_UNITs that it takes. */
  unitCount: 'u32',
  /** The class that its slots have now, and the one that it was cut for. */
  slotClass: 'u32',
  homeClass: 'u32',
});

/**
 * Memory that moves from one class to another: consecutive extents. Their free slots are taken out of the ring of their
 * class and wait, and their holders ask for others. Once all slots wait, they become slots of the other class. One row.
 */
export const SlotMove = /* @__PURE__ */ struct('SlotMove', {
  fromClass: 'u32',
  toClass: 'u32',
  firstExtent: 'u32',
  /** 0: nothing moves. */
  extentCount: 'u32',
  /** Slots from `firstSlot` to before `endSlot` (words of `SlotState` less 1), and how many there are. */
  firstSlot: 'u32',
  endSlot: 'u32',
  slotCount: 'u32',
  /** Slots that wait. */
  parkedCount: 'u32',
  /** The frame in which it began. */
  startFrame: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/**
 * Flags of `rebalances`. REBALANCES: memory moves. REBALANCES_FINER: each living character has a slot of its type's
 * coarsest level, so slots of such classes stay.
 */
export const REBALANCES = 1;
export const REBALANCES_FINER = 2;
/** Free slots of a class that are looked at in one frame. */
export const SWEEP_SLOTS = 4096;
/** Extents that move at once. */
export const MOVE_EXTENTS = 32;
/** Frames after which a move that is not done is given up. */
export const MOVE_FRAMES = 32;
/** Frames from one move for finer levels to the next. Moves for characters that are not drawn begin at once. */
export const MOVE_PERIOD = 4;
/** Share of a class's slots that stays with it, or free, whatever others ask: 1 / MOVE_RESERVE. */
export const MOVE_RESERVE = 8;
/** Slots that can wait, at least. */
export const LEAST_PARKED = 256;

import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { Transform } from '../layout.ts';

export const StepParams = /* @__PURE__ */ struct('StepParams', {
  /** Seconds that pass, already scaled by the crowd's time scale. */
  dt: 'f32',
  frame: 'u32',
  /** Rows of the crowd's columns that are in use. */
  characterCount: 'u32',
  /** Number of command runs. Commands follow them. */
  runCount: 'u32',
  /** Records that the event ring holds. */
  eventCapacity: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** The commands of one character in one frame. One row, like each command. */
export const CommandRun = /* @__PURE__ */ struct('CommandRun', {
  character: 'u32',
  first: 'u32',
  count: 'u32',
  pad: 'u32',
});

export const Command = /* @__PURE__ */ struct('Command', {
  /** Kind in bits 0 … 7, machine in bits 8 … 15, COMMAND_FIXED. */
  kind: 'u32',
  /** Row of a controller, index of a state, or bits of triggers to set. */
  argument: 'u32',
  /** Bits of a float: clock to play from, seconds or cycles to fade for. Or bits of triggers to clear. */
  amountBits: 'u32',
  /** Clock that a fade's destination starts at. */
  offset: 'f32',
});

/** START: the character begins to run a controller. STOP: it no longer has one. */
export const COMMAND_START = 1;
export const COMMAND_STOP = 2;
export const COMMAND_TRIGGERS = 3;
export const COMMAND_PLAY = 4;
export const COMMAND_CROSS_FADE = 5;
/** The fade's duration is in seconds. */
export const COMMAND_FIXED = 0x10000;

/**
 * The event ring. Word 0 counts records, including those that exceeded the capacity. Word 1 counts firings beyond
 * EVENT_REPEATS. EventRecords follow from EVENT_FIRST_WORD on.
 */
export const EVENT_FIRST_WORD = 4;
export const EventRecord = /* @__PURE__ */ struct('EventRecord', {
  frame: 'u32',
  /** Character in bits 0 … 23, layer in bits 24 … 28, EVENT_FROM_NEXT. */
  place: 'u32',
  /** Index of the event in its controller. */
  id: 'u32',
  /** Seconds since the update began. */
  time: 'f32',
  weight: 'f32',
});
export const EVENT_WORDS = 5;
export const EVENT_LAYER_SHIFT = 24;
/** The event is of the state that a transition leads to. */
export const EVENT_FROM_NEXT = 0x20000000;
/** Times that one event of one motion fires in one step at most; further firings are only counted. */
export const EVENT_REPEATS = 4;

/** Transitions that one machine takes in one update at most, and states that one looks at to find a destination. */
export const STEP_LIMIT = 8;
export const SELECTOR_HOPS = 8;

/** Number of lists for later dispatches (`row-lists.wesl`). As many words, from word 0, count their entries. */
export const LIST_COUNT = 3;
/**
 * Counters of drops by freezes since the crowd's memory was created. Each has 64 bits, the low half first: freezes that
 * dropped samples, dropped samples, and their weight in units of 1 / DROP_WEIGHT_ONE. Entries of the lists follow.
 */
export const DROP_FREEZES = 3;
export const DROP_SAMPLES = 5;
export const DROP_WEIGHT = 7;
export const LIST_FIRST = 9;
export const DROP_WEIGHT_ONE: number = 2 ** 24;

/** Bytes of the lists of a crowd. Two lists hold each character once, the third holds each machine of each character. */
export function listBytes(capacity: number, machines: number): number {
  return 4 * (LIST_FIRST + capacity * (2 + machines));
}

export const stepControllersBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(StepParams),
  commands: reads('vec4u'),
  events: writes('atomic<u32>'),
  transforms: writes(Transform),
  lists: writes('atomic<u32>'),
});

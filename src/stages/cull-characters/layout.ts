import { bindings, reads, struct, uniform, View, writes } from '../../layout/index.ts';
import { GROUP_THREADS } from '../kernel-choice.ts';
import { FrameParams, Modifier, Player, Resident, SlotState, Transform, VisibleCharacter } from '../layout.ts';

/** Views that one crowd can have: a bit each. */
export const VIEW_LIMIT = 32;
/** Planes of a view: unit normals that point inward, and the distance from the origin. */
export const VIEW_PLANES = 6;
/** Runs of the visible list, and bins of requests for slots. */
export const BIN_LIMIT = 2048;
/** Levels of detail of one type. */
export const LEVEL_LIMIT = 8;
/** Size classes of slots in use. */
export const CLASS_LIMIT = 120;
/** Requests for slots are served by projected size, larger buckets first: 1,024 pixels and more, 512 …, … 16 …, and less. */
export const SIZE_BUCKETS = 8;
/** Bins of a round of requests, per class: requests by size, then holders that ask for nothing, by size. */
export const BINS_PER_CLASS: number = 2 * SIZE_BUCKETS;
/** Sums of what is counted stop here, so that none overflows. */
export const SUM_LIMIT = 0x40000000;

export const CullParams = /* @__PURE__ */ struct('CullParams', {
  /** Rows of the columns that are in use. For crowds that share poses: all rows. */
  characterCount: 'u32',
  frame: 'u32',
  viewCount: 'u32',
  /** 1: every character is visible, at the finest level, in every frame. */
  seesAll: 'u32',
  /** Runs of the visible list: two for each page and level. */
  binCount: 'u32',
  /** Levels of all types together. */
  levelCount: 'u32',
  classCount: 'u32',
  /** Copies of its positions that a slot keeps. */
  copyCount: 'u32',
  /** Rows of a motion list. */
  motionRows: 'u32',
  /** Characters that can be posed in one frame, and rows of palettes. */
  poseCapacity: 'u32',
  paletteCapacity: 'u32',
  grantCount: 'u32',
  /** First rows of levels and of size classes in `kinds`. Types are first. */
  levelRow: 'u32',
  classRow: 'u32',
  /** The previous frame with views; 0: none. */
  lastFrame: 'u32',
  /** Shared poses: the last rows. */
  sharedCount: 'u32',
  /** 1: all characters can be posed, so that a due character shows its current clip, and clips' boxes hold. */
  tightens: 'u32',
  /** REBALANCES_ flags; 0: memory stays with the size classes that it was cut for. */
  rebalances: 'u32',
  /**
   * Number of extents of slots. First word of `rings` for slots that leave their class, and how many can wait there.
   */
  extentCount: 'u32',
  parkFirst: 'u32',
  parkCapacity: 'u32',
  /** Words of attributes per vertex. A slot keeps `copyCount` copies of them where frames are drawn late, else one. */
  attributeWords: 'u32',
  /** Rows of a slot, per two vertices of its class: positions of all copies, then attributes. */
  rowsPerPair: 'u32',
  pad0: 'u32',
  /** Pixels across, below which a character is posed every 2nd, 4th, 8th frame. */
  rateSizes: 'vec4f',
  planes: ['vec4f', VIEW_LIMIT * VIEW_PLANES],
  /** Per view: a direction and an offset. Their dot product with a point is its depth, w of clip space. */
  depths: ['vec4f', VIEW_LIMIT],
  /** Per view: the most that depth changes by a metre (x), pixels that a metre takes at depth 1 (y). */
  sizes: ['vec4f', VIEW_LIMIT],
});

/** Properties that characters of a type share. */
export const CullType = /* @__PURE__ */ struct('CullType', {
  /**
   * Sphere that contains every pose, in model space. A radius below 0: there is no sphere, and the type is always
   * visible.
   */
  center: 'vec3f',
  radius: 'f32',
  /** Row of its finest level in `kinds`, and index of that level among all types'. */
  levelRow: 'u32',
  firstLevel: 'u32',
  levelCount: 'u32',
  /** Row of its first clip's box in `kinds`; 0: its clips have none. */
  boxRow: 'u32',
});

/** A box in model space that contains every pose of a clip while no other clip plays. */
export const ClipBox = /* @__PURE__ */ struct('ClipBox', {
  center: 'vec3f',
  pad0: 'u32',
  /** Half its edges; below 0: the clip has no box. */
  extent: 'vec3f',
  pad1: 'u32',
});

/** A level of detail. */
export const CullLevel = /* @__PURE__ */ struct('CullLevel', {
  typeRow: 'u32',
  geometryRow: 'u32',
  paletteStride: 'u32',
  /** Size class of its slots. */
  slotClass: 'u32',
  /** Pixels across up to which it is fine enough. */
  size: 'f32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

/** Slots of one size. */
export const CullClass = /* @__PURE__ */ struct('CullClass', {
  /** Vertices of one copy. */
  vertexCapacity: 'u32',
  /** Where the ring of those that are free begins in `rings`, and how many it has room for. */
  ringFirst: 'u32',
  ringCapacity: 'u32',
  /** 1: some type's coarsest level has slots of it. */
  isCoarsest: 'u32',
});

/** The table that the kernels bind as `kinds`, with the first rows of its parts. */
export type Kinds = ReturnType<typeof createKinds>;

/** A zeroed table for these counts: all types, then all levels, then all size classes, then boxes of clips. */
export function createKinds(typeCount: number, levelCount: number, classCount: number, boxCount = 0) {
  const levelBytes = typeCount * CullType.size;
  const classBytes = levelBytes + levelCount * CullLevel.size;
  const boxBytes = classBytes + classCount * CullClass.size;
  const words = new Uint32Array((boxBytes + boxCount * ClipBox.size) / 4);
  const { buffer } = words;
  return {
    words,
    types: new View(CullType, buffer, 0, typeCount),
    levels: new View(CullLevel, buffer, levelBytes, levelCount),
    classes: new View(CullClass, buffer, classBytes, classCount),
    boxes: new View(ClipBox, buffer, boxBytes, boxCount),
    levelRow: levelBytes / 16,
    classRow: classBytes / 16,
    boxRow: boxBytes / 16,
  };
}

/**
 * The free slots of a class: `count` in its ring from `head` on; the first is taken next. One more row follows the
 * classes. Its `head` is how many characters the last frame listed. While slots are assigned, its `wanted` is 1 if
 * another round of requests runs, and its `served` is 1 if this one does.
 */
export const SlotClass = /* @__PURE__ */ struct('SlotClass', {
  head: 'u32',
  count: 'u32',
  /** How many of this round's requests are served; they are the first ones. */
  served: 'u32',
  /** Requests of the first round. */
  wanted: 'u32',
  /**
   * Holders that give up their slots for larger requests: all in buckets after this one, and the first `evictCount` in
   * it.
   */
  evictBucket: 'u32',
  evictCount: 'u32',
  /** Requests of the first round that the free slots did not reach. */
  unmet: 'u32',
  /** Characters that are not drawn because of missing slots, by the class of their type's coarsest level. */
  lacking: 'u32',
});

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

/** The decisions about a character in a frame. */
export const Decision = /* @__PURE__ */ struct('Decision', {
  /** Views that see it. */
  views: 'u32',
  /** DECIDED_ fields. */
  word: 'u32',
  /** The needs of its followers: a bit per level, then one per rate. Later the slot that it gives back. */
  asked: 'u32',
  /** Pixels across, in the view that shows it largest. */
  size: 'f32',
});
/** The same, while followers ask. */
export const AskedDecision = /* @__PURE__ */ struct('AskedDecision', {
  views: 'u32',
  word: 'u32',
  asked: 'atomic<u32>',
  size: 'f32',
});
/** The same, while shared poses take the size of the largest character that shows them. */
export const SharedDecision = /* @__PURE__ */ struct('SharedDecision', {
  views: 'u32',
  word: 'u32',
  asked: 'u32',
  size: 'atomic<u32>',
});
/** Level that is wanted, then level that is drawn. */
export const DECIDED_LEVEL = 0xf;
export const DECIDED_RATE_SHIFT = 4;
export const DECIDED_RATE = 3;
/** It is visible, or one of its followers is. */
export const DECIDED_SEEN = 64;
/** It is posed in this frame. */
export const DECIDED_POSED = 128;
/** It still asks for a slot. */
export const DECIDED_ASKS = 256;
/** It gives up its slot for a larger character. */
export const DECIDED_EVICTED = 2048;
/** Its slot does not hold this character's vertices. */
export const DECIDED_EMPTY = 512;
/** It could not be posed: the capacity was full. */
export const DECIDED_UNSERVED = 1024;
/** A visible character follows it: parts that it hides itself may be shown. */
export const DECIDED_LEADS = 4096;
/** Parts that it hides are skinned, and were not before. */
export const DECIDED_FILLS = 8192;
/** Class of the slot that it gives back. */
export const DECIDED_CLASS_SHIFT = 16;
export const ASKED_RATE_SHIFT = 8;

/** Which poses are shared, and when. */
export const ShareParams = /* @__PURE__ */ struct('ShareParams', {
  /** The crowd's clock: seconds in 32.32 fixed point. */
  timeLow: 'u32',
  timeHigh: 'u32',
  frame: 'u32',
  /** Rows of the columns that are in use by characters. */
  characterCount: 'u32',
  /** Rows from here on are shared poses. */
  firstShared: 'u32',
  playerCapacity: 'u32',
  modifierCapacity: 'u32',
  /** Shared poses of one clip. */
  phases: 'u32',
  /** Pixels across below which a character may share. */
  below: 'f32',
  /** Share of all that it shows that its heaviest clip must have; more than a half. */
  weight: 'f32',
  pad0: 'u32',
  pad1: 'u32',
});
/** A character that does not share poses. */
export const SHARES_NONE = 0xffffffff;

/** Record of a bin, eight words each, at the beginning of a tally. Counts by bin and workgroup follow. */
export const BinRecord = /* @__PURE__ */ struct('BinRecord', {
  /** First row of its characters in the visible list, and how many there are. */
  first: 'u32',
  count: 'u32',
  /** How many of them are posed; they are the first ones. */
  served: 'u32',
  /** Its first index among all posed characters, and its first row in the palettes. */
  firstPosed: 'u32',
  firstPaletteRow: 'u32',
  /** Used while lists are made on one thread; 0 afterwards. */
  rank: 'u32',
  pad0: 'u32',
  pad1: 'u32',
});
export const BIN_WORDS: number = BinRecord.size / 4;

/**
 * Two bins after those of the visible list: characters that should be drawn but are not, and all that are listed. In
 * the second one `firstPosed` is how many are posed, and `firstPaletteRow` how many were due.
 */
export const EXTRA_BINS = 2;

const params = uniform(CullParams);
const kinds = reads('vec4u');

/** Slots that the CPU hands out: class and slot each. */
export const grantSlotsBindings = /* @__PURE__ */ bindings(0, {
  params,
  kinds,
  grants: reads('vec2u'),
  classes: writes(SlotClass),
  rings: writes('u32'),
});

/** One workgroup: memory moves from size classes that do not need it to those that do. */
export const rebalanceBindings = /* @__PURE__ */ bindings(0, {
  params,
  kinds,
  classes: writes(SlotClass),
  rings: writes('u32'),
  extents: writes(SlotExtent),
  moves: writes(SlotMove),
});

export const decideBindings = /* @__PURE__ */ bindings(0, {
  params,
  residents: reads(Resident),
  transforms: reads(Transform),
  kinds,
  slots: reads(SlotState),
  decisions: writes(AskedDecision),
});

/** Groups 1 and 2 are the rig table's rows and the animators. */
export const tightenBindings = /* @__PURE__ */ bindings(0, {
  params,
  /** Clock and capacities. */
  clock: uniform(FrameParams),
  residents: reads(Resident),
  transforms: reads(Transform),
  kinds,
  decisions: writes(Decision),
  players: reads(Player),
  modifiers: reads(Modifier),
});

/** Groups 1 and 2 are the rig table's rows and the animators. */
export const shareBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(ShareParams),
  residents: writes(Resident),
  slots: reads(SlotState),
  decisions: writes(SharedDecision),
  players: reads(Player),
  modifiers: reads(Modifier),
  /** By character: the row of its type's first shared pose; SHARES_NONE: it shares none. */
  sharers: reads('u32'),
});

export const takeSlotsBindings = /* @__PURE__ */ bindings(0, {
  params,
  residents: reads(Resident),
  kinds,
  classes: writes(SlotClass),
  rings: writes('u32'),
  slots: writes(SlotState),
  decisions: writes(Decision),
  tally: writes('u32'),
  moves: reads(SlotMove),
});

/** Turns the threads' counts into ranks. */
export const assignSlotsBindings = /* @__PURE__ */ bindings(0, {
  params,
  kinds,
  classes: writes(SlotClass),
  tally: writes('u32'),
});

export const scanBindings = /* @__PURE__ */ bindings(0, { params, classes: reads(SlotClass), tally: writes('u32') });

export const listBindings = /* @__PURE__ */ bindings(0, {
  params,
  residents: reads(Resident),
  kinds,
  classes: writes(SlotClass),
  slots: writes(SlotState),
  decisions: writes(Decision),
  tally: writes('u32'),
  visible: writes(VisibleCharacter),
});

/** Workgroups for `characterCount` characters, a thread each. */
export function cullGroups(characterCount: number, groupThreads: number = GROUP_THREADS): number {
  return Math.ceil(characterCount / groupThreads);
}

/** A dispatch: its ranges name the characters that it serves. */
export const DispatchPlan = /* @__PURE__ */ struct('DispatchPlan', {
  firstRange: 'u32',
  rangeCount: 'u32',
  /** Word of `targets` that holds the number of workgroups. */
  groupCountWord: 'u32',
  pad: 'u32',
});

/** A range of a dispatch: the characters of one bin. */
export const RangePlan = /* @__PURE__ */ struct('RangePlan', {
  bin: 'u32',
  charactersPerGroup: 'u32',
  /** Workgroups that such a group of characters takes. */
  groupsPerSet: 'u32',
  /** Word of `targets` where its RangeRecord begins. */
  targetWord: 'u32',
});
/** First words of a range, which change from frame to frame; `pad` does not. */
export const RangeRecord = /* @__PURE__ */ struct('RangeRecord', {
  firstGroup: 'u32',
  pad: 'u32',
  firstVisible: 'u32',
  visibleCount: 'u32',
});

/** A draw of all characters of one page and level, posed or not: two bins. */
export const DrawPlan = /* @__PURE__ */ struct('DrawPlan', {
  /** The first of the two. */
  bin: 'u32',
  /** Word of `targets` that says how many instances are drawn. */
  instanceWord: 'u32',
  /** Word of `targets` where the DrawRecord begins. */
  recordWord: 'u32',
  pad: 'u32',
});
/** Rows of the visible list that a draw shows. */
export const DrawRecord = /* @__PURE__ */ struct('DrawRecord', { firstRow: 'u32', rowCount: 'u32' });

export const WriteRangesParams = /* @__PURE__ */ struct('WriteRangesParams', {
  dispatchCount: 'u32',
  drawCount: 'u32',
  /** Bin of all listed characters. */
  listedBin: 'u32',
  pad: 'u32',
});

export const writeRangesBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(WriteRangesParams),
  dispatches: reads(DispatchPlan),
  plans: reads(RangePlan),
  draws: reads(DrawPlan),
  bins: reads(BinRecord),
  targets: writes('u32'),
  /** One row. The stage writes `visibleCount`, for later stages that bind no more than these. */
  frame: writes(FrameParams),
});

import type { RigTable } from '../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../character/evaluate.ts';
import { MirrorLane, RestLane, TYPE_LARGE } from '../../character/format/rig-layout.ts';
import { wordOffsets } from '../../layout/index.ts';
import { MASK_NONE } from '../layout.ts';
import type { MotionRecord } from '../motion-record.ts';
import { CHANNEL_ROTATION, type ClipRows, LANE_PLACES, PLACE_CONSTANT, PLACE_NONE, RowTable } from './clip-rows.ts';

const REST = /* @__PURE__ */ wordOffsets(RestLane);
const MIRROR = /* @__PURE__ */ wordOffsets(MirrorLane);

/** A skeleton as poses need it: read from the rig table once. */
export class Skeleton {
  readonly jointCount: number;
  readonly laneCount: number;
  readonly paletteCount: number;
  /** Lane of clips, masks and modifiers, by lane of the skeleton: coarser levels lack joints. */
  readonly clipLanes: Int32Array;
  /** Number of lanes that a clip has at least. */
  readonly clipLaneCount: number;
  /** Poses at rest, POSE_STRIDE numbers per lane. */
  readonly rest: Float64Array;
  /** By joint; −1: it has none. */
  readonly parents: Int32Array;
  readonly bindJoints: Int32Array;
  /** Matrices `jointFromMesh`, twelve numbers each. */
  readonly binds: Float64Array;
  readonly #rig: RigTable;
  readonly #lists = new Map<number, LaneLists[]>();

  /** @param clipLanes Lanes that the clips have. */
  constructor(rig: RigTable, typeRow: number, clipLanes: number) {
    this.#rig = rig;
    const type = rig.type(typeRow);
    const { laneCount, jointCount, paletteCount } = type;
    [this.laneCount, this.jointCount, this.paletteCount] = [laneCount, jointCount, paletteCount];
    this.clipLanes = new Int32Array(laneCount);
    this.rest = new Float64Array(POSE_STRIDE * laneCount);
    for (let lane = 0; lane < laneCount; lane++) {
      const at = 4 * (typeRow + type.restRow) + REST.SIZE * lane;
      const three = (word: number) => rig.floats.subarray(at + word, at + word + 3);
      this.clipLanes[lane] = lane + rig.words[at + REST.skipped]!;
      this.rest.set(three(REST.translation), POSE_STRIDE * lane);
      this.rest.set(rig.floats.subarray(at + REST.rotation, at + REST.rotation + 4), POSE_STRIDE * lane + 3);
      this.rest.set(three(REST.scale), POSE_STRIDE * lane + 7);
    }
    this.clipLaneCount = Math.max(clipLanes, 1 + Math.max(-1, ...this.clipLanes));
    this.parents = Int32Array.from({ length: jointCount }, (_, joint) => parentOf(rig, typeRow, joint));
    const firstJoint = 2 * (2 * typeRow + type.bindJointPair);
    this.bindJoints = Int32Array.from(rig.words.subarray(firstJoint, firstJoint + paletteCount));
    const firstBind = 4 * (typeRow + type.bindRow);
    this.binds = Float64Array.from(rig.floats.subarray(firstBind, firstBind + 12 * paletteCount));
  }

  /** Lanes that a motion moves, in a layer with a mask. */
  lists(motion: MotionRecord, clip: ClipRows, maskPair: number): LaneLists {
    const known = this.#lists.get(motion.trackPair) ?? [];
    for (const lists of known) {
      if (lists.clip === clip && lists.maskPair === maskPair && lists.mirrorRow === motion.mirrorRow) return lists;
    }
    const lists = new LaneLists(this, this.#rig, motion, clip, maskPair);
    this.#lists.set(motion.trackPair, [...known.filter((one) => one.clip === clip), lists].slice(-LISTS_PER_CLIP));
    return lists;
  }
}

/** Lists of lanes that are kept per clip: for different masks. */
const LISTS_PER_CLIP = 8;

/** A joint's parent is its nearest ancestor: distance 1, the first round of the ancestor table. */
function parentOf(rig: RigTable, typeRow: number, joint: number): number {
  const type = rig.type(typeRow);
  if (type.roundCount === 0) return -1;
  const first = 2 * (2 * typeRow + type.ancestorPair);
  const ancestor = type.flags & TYPE_LARGE ? rig.words[first + joint]! | 0 : rig.words[first + 2 * joint]! & 0xff;
  return type.flags & TYPE_LARGE || ancestor !== 0xff ? ancestor : -1;
}

/** Weight of a lane in a mask, 0 to 1. */
export function maskWeight(rig: RigTable, maskPair: number, lane: number): number {
  if (maskPair === MASK_NONE) return 1;
  return ((rig.words[2 * maskPair + (lane >> 2)]! >>> (8 * (lane & 3))) & 0xff) / 255;
}

/**
 * The lane that a lane takes its sample from, where left and right are exchanged. MirrorLane records begin at `mirrorRow`
 * of the rig table.
 */
export function mirroredLane({ words }: RigTable, mirrorRow: number, lane: number): number {
  return words[4 * mirrorRow + MIRROR.SIZE * lane + MIRROR.pairLane]!;
}

/** Channels that change, and channels that are constant. Three numbers each: lane of the skeleton, place in the row, channel. */
export class LaneLists {
  readonly clip: ClipRows;
  readonly maskPair: number;
  readonly mirrorRow: number;
  readonly rotations: Int32Array;
  readonly vectors: Int32Array;
  readonly constantRotations: Int32Array;
  readonly constantVectors: Int32Array;

  constructor(skeleton: Skeleton, rig: RigTable, { mirrorRow }: MotionRecord, clip: ClipRows, maskPair: number) {
    [this.clip, this.maskPair, this.mirrorRow] = [clip, maskPair, mirrorRow];
    const lists: number[][] = [[], [], [], []];
    skeleton.clipLanes.forEach((clipLane, lane) => {
      if (maskWeight(rig, maskPair, clipLane) === 0) return;
      const source = mirrorRow < 0 ? clipLane : mirroredLane(rig, mirrorRow, clipLane);
      for (let channel = 0; channel < LANE_PLACES; channel++) {
        const place = clip.places[LANE_PLACES * source + channel] ?? PLACE_NONE;
        if (place === PLACE_NONE) continue;
        const isConstant = place >= PLACE_CONSTANT;
        const list = lists[(isConstant ? 2 : 0) + (channel === CHANNEL_ROTATION ? 0 : 1)]!;
        list.push(lane, isConstant ? place - PLACE_CONSTANT : place, channel);
      }
    });
    const [rotations, vectors, constantRotations, constantVectors] = lists.map((list) => Int32Array.from(list));
    [this.rotations, this.vectors] = [rotations!, vectors!];
    [this.constantRotations, this.constantVectors] = [constantRotations!, constantVectors!];
  }
}

/** Skeletons and rows of clips of a rig table, read and unpacked once. */
export class PoseTable {
  readonly rows: RowTable;
  readonly #rig: RigTable;
  readonly #skeletons = new Map<number, Skeleton>();

  constructor(rig: RigTable) {
    this.#rig = rig;
    this.rows = new RowTable(rig);
  }

  /** @param typeRow Of the type that the clips belong to. */
  skeleton(skeletonRow: number, typeRow: number): Skeleton {
    const known = this.#skeletons.get(skeletonRow);
    if (known) return known;
    const skeleton = new Skeleton(this.#rig, skeletonRow, this.#rig.type(typeRow).laneCount);
    this.#skeletons.set(skeletonRow, skeleton);
    return skeleton;
  }
}

const tables = new WeakMap<RigTable, PoseTable>();

export function poseTable(rig: RigTable): PoseTable {
  const table = tables.get(rig) ?? new PoseTable(rig);
  tables.set(rig, table);
  return table;
}

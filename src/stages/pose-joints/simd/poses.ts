import type { RigTable } from '../../../character/format/clip-format.ts';
import { POSE_STRIDE } from '../../../character/evaluate.ts';
import { wordOffsets } from '../../../layout/index.ts';
import {
  LAYER_ADDITIVE,
  LAYER_SET,
  MOTION_END,
  MOTION_LAYER,
  MOTION_ROWS,
  ROW_NONE,
  VisibleCharacter,
} from '../../layout.ts';
import { MotionRecord } from '../../motion-record.ts';
import { ROTATION } from '../layer-sums.ts';
import { modifyLane } from '../modify-lane.ts';
import type { PoseJointsViews } from '../reference.ts';
import { NO_MASK, type PoseTable, poseTable } from '../skeletons.ts';
import { createSimd, type Simd } from './memory.ts';
import { SimdSkeleton } from './skeleton.ts';

const VISIBLE = /* @__PURE__ */ wordOffsets(VisibleCharacter);

let simd: Simd | undefined;

/** To be awaited before the first frame: WebAssembly is compiled asynchronously. */
export async function prepareSimd(): Promise<void> {
  simd ??= await createSimd();
}

/**
 * Does what `poseJoints` does, in float32 and more than three times as fast. Returns false, and does nothing, without WebAssembly.
 * @param on Default: what `prepareSimd` made.
 */
export function poseInGroups(views: PoseJointsViews, on: Simd | undefined = simd): boolean {
  if (!on) return false;
  const known = poses.get(views.rig);
  const own = known?.simd === on ? known : new SimdPoses(on, views.rig);
  poses.set(views.rig, own);
  own.pose(views);
  return true;
}

/** Bytes of palettes that are copied at once: they fit into a core's cache. */
const OUTPUT_BYTES = 65536;

/** Poses characters of one rig table, one after the other. */
class SimdPoses {
  readonly simd: Simd;
  readonly #table: PoseTable;
  readonly #rig: RigTable;
  readonly #record = new MotionRecord();
  readonly #skeletons = new Map<number, SimdSkeleton>();
  /** Palettes that are not copied yet: their address, room, number of floats, and first float in the goal. */
  #output = 0;
  #outputBytes = 0;
  #outputLength = 0;
  #goal = 0;
  // what addresses are valid for
  #generation = -1;
  #revision = -1;

  constructor(simd: Simd, rig: RigTable) {
    this.simd = simd;
    this.#rig = rig;
    this.#table = poseTable(rig);
  }

  pose({ visible, visibleCount, skeletons, palettes, motions, motionCapacity }: PoseJointsViews): void {
    const { words } = visible;
    const floats = new Float32Array(motions.buffer, motions.byteOffset, motions.length);
    for (let i = 0; i < visibleCount; i++) {
      const at = VISIBLE.SIZE * i;
      const paletteRow = words[at + VISIBLE.paletteRow]!;
      if (paletteRow === ROW_NONE) continue;
      const typeRow = words[at + VISIBLE.typeRow]!;
      const skeletonRow = skeletons?.get(words[at + VISIBLE.geometryRow]!) ?? typeRow;
      this.#expectAddresses(palettes);
      const skeleton = this.#skeletons.get(skeletonRow) ?? this.#addSkeleton(skeletonRow, typeRow);
      this.#blend(skeleton, motions, floats, motionCapacity, words[at + VISIBLE.motionRow]!);
      this.#write(skeleton, palettes, 4 * paletteRow);
    }
    this.#copyOutput(palettes);
  }

  /** Forgets addresses of blocks that are gone, and of clips that have arrived since. */
  #expectAddresses(palettes: Float32Array): void {
    const { memory } = this.simd;
    if (memory.isFull) {
      this.#copyOutput(palettes);
      memory.clear();
    }
    if (this.#generation === memory.generation && this.#revision === this.#rig.revision) return;
    if (this.#generation !== memory.generation) this.#outputBytes = 0;
    this.#skeletons.clear();
    this.#generation = memory.generation;
    this.#revision = this.#rig.revision;
  }

  #addSkeleton(skeletonRow: number, typeRow: number): SimdSkeleton {
    const skeleton = new SimdSkeleton(this.simd.memory, this.#table.rows, this.#table.skeleton(skeletonRow, typeRow));
    this.#skeletons.set(skeletonRow, skeleton);
    return skeleton;
  }

  /** As `blend` of reference.ts. */
  #blend(skeleton: SimdSkeleton, words: Uint32Array, floats: Float32Array, capacity: number, motionRow: number): void {
    const { kernel } = this.simd;
    const record = this.#record;
    let weight = 1;
    let isAdditive = false;
    let maskPair = NO_MASK;
    kernel.begin(skeleton.at);
    for (let m = 0; m < capacity; m++) {
      const at = 4 * (motionRow + m * MOTION_ROWS);
      record.read(words, floats, at);
      if (record.kind === MOTION_END) break;
      if (record.kind !== MOTION_LAYER) {
        if (weight !== 0) this.#add(skeleton, maskPair, isAdditive);
        continue;
      }
      kernel.finish(isAdditive, weight, skeleton.mask(maskPair));
      const isModifier = record.value0 >= LAYER_SET;
      if (isModifier) this.#modify(skeleton, words, floats, at);
      weight = isModifier ? 0 : record.weight;
      isAdditive = record.value0 === LAYER_ADDITIVE;
      maskPair = isModifier ? NO_MASK : record.trackPair;
    }
    kernel.finish(isAdditive, weight, skeleton.mask(maskPair));
  }

  #add(skeleton: SimdSkeleton, maskPair: number, isDifference: boolean): void {
    const { kernel } = this.simd;
    const motion = this.#record;
    const { basis, weight } = motion;
    const clip = skeleton.clips.clip(motion, isDifference);
    const list = clip.list(maskPair);
    if (motion.exact) {
      const row = clip.exact(motion);
      kernel.addSampled(list, row, row, 0, 0, weight);
    } else if (motion.sampled) {
      kernel.addSampled(list, clip.samples(motion, 0), clip.samples(motion, 1), basis[2], basis[3], weight);
    } else {
      const isCurved = basis[2] !== 0 || basis[3] !== 0;
      const rateA = isCurved ? clip.rates(motion, 0) : 0;
      const rateB = isCurved ? clip.rates(motion, 1) : 0;
      const [a, b] = [clip.values(motion, 0), clip.values(motion, 1)];
      kernel.addPacked(list, a, b, rateA, rateB, basis[0], basis[1], basis[2], basis[3], weight);
    }
  }

  #modify(skeleton: SimdSkeleton, words: Uint32Array, floats: Float32Array, at: number): void {
    const lane = skeleton.lanes.clipLanes.indexOf(this.#record.trackPair);
    if (lane < 0) return;
    const pose = this.simd.memory.floats;
    const rotation = skeleton.rotationOf(lane);
    const translation = skeleton.translationOf(lane);
    for (let c = 0; c < 3; c++) local[c] = pose[translation + 4 * c]!;
    for (let c = 0; c < 4; c++) local[ROTATION + c] = pose[rotation + 4 * c]!;
    modifyLane(local, 0, words, floats, at);
    for (let c = 0; c < 3; c++) pose[translation + 4 * c] = local[c]!;
    for (let c = 0; c < 4; c++) pose[rotation + 4 * c] = local[ROTATION + c]!;
  }

  /** @param goal First float in `palettes`. */
  #write(skeleton: SimdSkeleton, palettes: Float32Array, goal: number): void {
    const { kernel, memory } = this.simd;
    const { paletteCount, jointCount, laneCount } = skeleton.lanes;
    const length = 12 * paletteCount + 4 * (laneCount - jointCount);
    const isNext = goal === this.#goal + this.#outputLength && 4 * (this.#outputLength + length) <= this.#outputBytes;
    if (!isNext) {
      this.#copyOutput(palettes);
      this.#goal = goal;
    }
    if (4 * length > this.#outputBytes) {
      this.#outputBytes = Math.max(OUTPUT_BYTES, 4 * length);
      this.#output = memory.allocate(this.#outputBytes);
    }
    kernel.write(this.#output + 4 * this.#outputLength);
    const { floats } = memory;
    let to = this.#output / 4 + this.#outputLength + 12 * paletteCount;
    for (let lane = jointCount; lane < laneCount; lane++, to += 4) {
      for (let c = 0; c < 3; c++) floats[to + c] = floats[skeleton.translationOf(lane) + 4 * c]!;
      floats[to + 3] = 0;
    }
    this.#outputLength += length;
  }

  #copyOutput(palettes: Float32Array): void {
    const from = this.#output / 4;
    if (this.#outputLength > 0)
      palettes.set(this.simd.memory.floats.subarray(from, from + this.#outputLength), this.#goal);
    this.#outputLength = 0;
  }
}

const poses = new WeakMap<RigTable, SimdPoses>();
/** A lane's pose while a modifier changes it. */
const local = new Float64Array(POSE_STRIDE);

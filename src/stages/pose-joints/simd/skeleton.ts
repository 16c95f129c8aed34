import { POSE_STRIDE } from '../../../character/evaluate.ts';
import type { RowTable } from '../clip-rows.ts';
import { ROTATION, SCALE } from '../layer-sums.ts';
import { NO_MASK, type Skeleton } from '../skeletons.ts';
import { SimdClips } from './clip.ts';
import type { SimdMemory } from './memory.ts';

/** A skeleton in the kernel's memory, with room for a pose. */
export class SimdSkeleton {
  readonly lanes: Skeleton;
  readonly clips: SimdClips;
  /** Address of its twelve words, which `begin` of kernel.as reads. */
  readonly at: number;
  readonly #memory: SimdMemory;
  readonly #groupCount: number;
  /** First float of the pose. */
  readonly #pose: number;
  readonly #masks = new Map<number, number>();

  constructor(memory: SimdMemory, table: RowTable, lanes: Skeleton) {
    this.lanes = lanes;
    this.clips = new SimdClips(memory, table, lanes);
    this.#memory = memory;
    const { laneCount, jointCount, paletteCount } = lanes;
    const groups = Math.ceil(laneCount / 4);
    this.#groupCount = groups;
    const rest = this.#makeRest();
    const parents = memory.allocate(4 * jointCount);
    for (let joint = 0; joint < jointCount; joint++)
      memory.words[parents / 4 + joint] = matrixOf(lanes.parents[joint]!);
    const binds = memory.allocate(64 * paletteCount);
    for (let entry = 0; entry < paletteCount; entry++) {
      memory.floats.set(lanes.binds.subarray(12 * entry, 12 * entry + 12), binds / 4 + 16 * entry);
      memory.words[binds / 4 + 16 * entry + 12] = matrixOf(lanes.bindJoints[entry]!);
    }
    const pose = memory.allocate(160 * groups);
    this.#pose = pose / 4;
    const sums = memory.allocate(80 * groups);
    const vectorSums = memory.allocate(128 * groups);
    const moved = memory.allocate(32 * groups);
    const models = memory.allocate(48 * (1 + jointCount));
    for (let c = 0; c < 3; c++) memory.floats[models / 4 + 5 * c] = 1;
    const locals = memory.allocate(4 * 48);
    this.at = memory.allocate(48);
    const header = [
      groups,
      jointCount,
      paletteCount,
      rest,
      parents,
      binds,
      pose,
      sums,
      vectorSums,
      moved,
      models,
      locals,
    ];
    memory.words.set(header, this.at / 4);
  }

  /** Address of a mask's weights; 0: no mask. */
  mask(maskPair: number): number {
    if (maskPair === NO_MASK) return 0;
    return this.#masks.get(maskPair) ?? this.#makeMask(maskPair);
  }

  /** Float of a lane's rotation in the pose. Its components are four floats apart. */
  rotationOf(lane: number): number {
    return this.#pose + 16 * (lane >> 2) + (lane & 3);
  }

  /** The same for its translation. */
  translationOf(lane: number): number {
    return this.#pose + 16 * this.#groupCount + 12 * (lane >> 2) + (lane & 3);
  }

  #makeMask(maskPair: number): number {
    const at = this.#memory.allocate(16 * this.#groupCount);
    this.#memory.floats.set(this.lanes.mask(maskPair), at / 4);
    this.#masks.set(maskPair, at);
    return at;
  }

  #makeRest(): number {
    const groups = this.#groupCount;
    const at = this.#memory.allocate(160 * groups);
    const { floats } = this.#memory;
    const { laneCount, rest } = this.lanes;
    for (let lane = 0; lane < laneCount; lane++) {
      const [from, inGroup] = [POSE_STRIDE * lane, at / 4 + (lane & 3)];
      const rotation = inGroup + 16 * (lane >> 2);
      const vector = inGroup + 16 * groups + 12 * (lane >> 2);
      for (let c = 0; c < 4; c++) floats[rotation + 4 * c] = rest[from + ROTATION + c]!;
      for (let c = 0; c < 3; c++) floats[vector + 4 * c] = rest[from + c]!;
      for (let c = 0; c < 3; c++) floats[vector + 12 * groups + 4 * c] = rest[from + SCALE + c]!;
    }
    return at;
  }
}

/** Offset of a joint's matrix; −1: the identity. */
const matrixOf = (joint: number): number => 48 * (1 + joint);

import { type View, wordOffsets } from '../../layout/index.ts';
import { createItemStage, type BuffersOf, type Dispatch } from '../kernel.ts';
import {
  writeRangesBindings,
  BinRecord,
  DispatchPlan,
  DrawPlan,
  RangePlan,
  RangeRecord,
  type WriteRangesParams,
} from './layout.ts';
import { kernels } from './write-ranges.gen.ts';

export interface WriteRangesViews {
  readonly params: View<(typeof WriteRangesParams)['fields']>;
  readonly dispatches: View<(typeof DispatchPlan)['fields']>;
  readonly plans: View<(typeof RangePlan)['fields']>;
  readonly draws: View<(typeof DrawPlan)['fields']>;
  readonly bins: View<(typeof BinRecord)['fields']>;
  readonly targets: Uint32Array;
}

const DISPATCH = /* @__PURE__ */ wordOffsets(DispatchPlan);
const RANGE = /* @__PURE__ */ wordOffsets(RangePlan);
const DRAW = /* @__PURE__ */ wordOffsets(DrawPlan);
const BIN = /* @__PURE__ */ wordOffsets(BinRecord);
const RECORD = /* @__PURE__ */ wordOffsets(RangeRecord);

/** Twin of a part of the kernel: the ranges of dispatches, and how many workgroups they take, from this frame's bins. */
export function writeRanges({ params, dispatches, plans, bins, targets }: WriteRangesViews): void {
  const count = params.get(0, 'dispatchCount');
  for (let d = 0; d < DISPATCH.SIZE * count; d += DISPATCH.SIZE) {
    const first = RANGE.SIZE * dispatches.words[d + DISPATCH.firstRange]!;
    const end = first + RANGE.SIZE * dispatches.words[d + DISPATCH.rangeCount]!;
    let groups = 0;
    for (let plan = first; plan < end; plan += RANGE.SIZE) {
      const bin = BIN.SIZE * plans.words[plan + RANGE.bin]!;
      const target = plans.words[plan + RANGE.targetWord]!;
      const served = bins.words[bin + BIN.served]!;
      targets[target + RECORD.firstGroup] = groups;
      targets[target + RECORD.firstVisible] = bins.words[bin + BIN.first]!;
      targets[target + RECORD.visibleCount] = served;
      const sets = Math.ceil(served / plans.words[plan + RANGE.charactersPerGroup]!);
      groups += sets * plans.words[plan + RANGE.groupsPerSet]!;
    }
    targets[dispatches.words[d + DISPATCH.groupCountWord]!] = groups;
  }
}

/** Twin of the other part: the rows of the visible list that draws show. */
export function writeDraws({ params, draws, bins, targets }: WriteRangesViews): void {
  const count = params.get(0, 'drawCount');
  for (let d = 0; d < DRAW.SIZE * count; d += DRAW.SIZE) {
    const bin = BIN.SIZE * draws.words[d + DRAW.bin]!;
    const rows = bins.words[bin + BIN.count]! + bins.words[bin + BIN.SIZE + BIN.count]!;
    targets[draws.words[d + DRAW.instanceWord]!] = rows;
    const record = draws.words[d + DRAW.recordWord]!;
    targets[record] = bins.words[bin + BIN.first]!;
    targets[record + 1] = rows;
  }
}

/**
 * Creates the dispatch that writes ranges for all later stages, arguments of draws, and the length of the visible list.
 * One thread per dispatch, and one per draw.
 *
 * `bins` are the records at the beginning of cull-characters' tally. `targets` are ranges, which later stages bind as uniforms,
 * and arguments of draws.
 */
export function createWriteRanges(
  device: GPUDevice,
): (buffers: BuffersOf<typeof writeRangesBindings>, dispatchCount: number, drawCount: number) => Dispatch {
  const groups = [writeRangesBindings] as const;
  const stage = createItemStage(device, {
    label: 'write-ranges',
    code: kernels.base,
    entryPoint: 'writeTargets',
    groups,
  });
  return (buffers, dispatchCount, drawCount) => stage.bind(buffers)(dispatchCount + drawCount);
}

import { View, type Fields, type Struct } from '../layout/index.ts';
import { RANGE_CAPACITY } from './layout.ts';

/** A range of a dispatch: a run of the visible list. Only the GPU knows its characters, which change in every frame. */
interface PlannedRange {
  readonly bin: number;
  readonly charactersPerGroup: number;
  /** Workgroups that such a group of characters takes. */
  readonly groupsPerSet: number;
  /**
   * Offset of its record in the ranges: firstGroup, a word that stays, firstVisible, visibleCount, and words that stay.
   */
  readonly byteOffset: number;
}

/** The ranges of one dispatch, without the numbers that change from frame to frame. */
export interface RangesPlan {
  /** The data that the kernel binds as its ranges. */
  readonly ranges: ArrayBuffer;
  readonly bins: readonly PlannedRange[];
  /** Offset of the number of workgroups in the ranges. */
  readonly groupCountByte: number;
}

/**
 * Workgroups of a dispatch at most, as long as none takes more than `MOST_TURNS`. Workgroups that find nothing to do cost less than an
 * indirect dispatch: Dawn checks its arguments by another dispatch.
 */
const MOST_GROUPS = 8192;

/** Turns of a workgroup. A million soldiers are posed 6 % slower in 41 turns than in 3, because all wait between turns. */
const MOST_TURNS = 4;

/** Workgroups for all work that `characters` characters can be, whatever ranges they are in. */
export function groupsFor({ bins }: Pick<RangesPlan, 'bins'>, characters: number, most?: number): number {
  if (characters === 0) return 0;
  const perCharacter = Math.max(...bins.map((range) => range.groupsPerSet / range.charactersPerGroup));
  // the last ones of each range may need a group of their own
  const more = bins.reduce((sum, { groupsPerSet }) => sum + groupsPerSet, 0);
  const groups = Math.ceil(perCharacter * characters) + more;
  return Math.min(groups, most ?? Math.max(MOST_GROUPS, Math.ceil(groups / MOST_TURNS)));
}

/** A run of the visible list, and the kernel that serves it. */
export interface KernelRun<Kernel, F extends Fields> extends Omit<PlannedRange, 'byteOffset'> {
  readonly kernel: Kernel;
  /** Fields of its record that stay. */
  readonly record: Parameters<View<F>['assign']>[1];
}

/** The struct that a stage binds as ranges, with the array of records. */
type Ranges = Struct & { readonly offsets: Readonly<Record<'rangeCount' | 'groupCount' | 'ranges', number>> };

/** Sorts runs into as few dispatches as hold them: each has one kernel, and at most RANGE_CAPACITY ranges. */
export function planRanges<Kernel extends object, F extends Fields>(
  runs: readonly KernelRun<Kernel, F>[],
  struct: Ranges,
  recordStruct: Struct<F>,
): (Kernel & RangesPlan)[] {
  const byKernel = new Map<string, KernelRun<Kernel, F>[]>();
  for (const run of runs) {
    const key = JSON.stringify(run.kernel);
    const list = byKernel.get(key);
    if (list) list.push(run);
    else byKernel.set(key, [run]);
  }
  const plans: (Kernel & RangesPlan)[] = [];
  for (const list of byKernel.values()) {
    for (let i = 0; i < list.length; i += RANGE_CAPACITY) {
      const part = list.slice(i, i + RANGE_CAPACITY);
      plans.push({ ...part[0]!.kernel, ...planDispatch(part, struct, recordStruct) });
    }
  }
  return plans;
}

function planDispatch<F extends Fields>(
  runs: readonly KernelRun<unknown, F>[],
  { size, offsets }: Ranges,
  recordStruct: Struct<F>,
): RangesPlan {
  const ranges = new ArrayBuffer(size);
  const records = new View(recordStruct, ranges, offsets.ranges, RANGE_CAPACITY);
  const bins = runs.map(({ bin, charactersPerGroup, groupsPerSet, record }, index): PlannedRange => {
    records.assign(index, record);
    return { bin, charactersPerGroup, groupsPerSet, byteOffset: offsets.ranges + index * recordStruct.size };
  });
  new Uint32Array(ranges)[offsets.rangeCount / 4] = runs.length;
  return { ranges, bins, groupCountByte: offsets.groupCount };
}

import type { StageName } from '../frame/stages.ts';
import { planFrame, type FramePlan } from '../frame/tables/plan.ts';
import type { PlacedDispatch } from '../frame/tables/targets.ts';
import { DIMENSION_LIMIT, grid } from '../stages/kernel.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CaptureReport } from './form.ts';

/** Indirect dispatches of a stage's kernels. */
const DISPATCHES: Partial<Record<StageName, (plan: FramePlan) => readonly PlacedDispatch[]>> = {
  'gather-motions': ({ gather }) => [gather],
  'pose-joints': ({ poses }) => poses.map(({ at }) => at),
  'update-characters': ({ gather }) => [gather],
  'keep-palettes': ({ keeps }) => keeps.flat().map(({ at }) => at),
  'skin-vertices': ({ skins }) => skins.flat().map(({ at }) => at),
};

/**
 * Checks that the ranges and arguments of a stage's dispatches are a possible result of write-ranges for some visible
 * list, because kernels take loop counts from them.
 * @returns Rows of the visible list that they serve: the end of the last one.
 */
export function checkTargets(
  stage: StageName,
  targets: Uint32Array,
  { shape, numbers }: CapturedSpace,
  report: CaptureReport,
): number {
  const plan = planFrame(shape.tables.types, numbers.pageVertices.length, shape.motionCapacity, shape.kernels);
  const { words, dispatches, ranges } = plan.targets;
  const placed = DISPATCHES[stage]?.(plan) ?? [];
  const ofStage = new Map(placed.map((at) => [at.argumentsByte / 4, at]));
  let served = 0;
  for (let d = 0; d < dispatches.count; d++) {
    const at = ofStage.get(dispatches.get(d, 'argumentsWord'));
    if (!at) continue;
    const expected = words.slice(at.rangesByte / 4, (at.rangesByte + at.rangesBytes) / 4);
    const expect = (word: number, value: number) => void (expected[word - at.rangesByte / 4] = value);
    let groups = 0;
    for (let r = 0; r < dispatches.get(d, 'rangeCount'); r++) {
      const range = dispatches.get(d, 'firstRange') + r;
      const target = ranges.get(range, 'targetWord');
      const [first, count] = [targets[target + 2]!, targets[target + 3]!];
      if (first + count > shape.capacity) report.corrupt(`targets/${target}`, `serves ${count} rows from ${first} on.`);
      expect(target, groups);
      expect(target + 2, first);
      expect(target + 3, count);
      groups += Math.ceil(count / ranges.get(range, 'charactersPerGroup')) * ranges.get(range, 'groupsPerSet');
      if (count > 0) served = Math.max(served, first + count);
    }
    expect(dispatches.get(d, 'groupCountWord'), groups);
    const args = [...grid(groups, DIMENSION_LIMIT), 1];
    const differs = expected.findIndex((word, i) => word !== targets[at.rangesByte / 4 + i]);
    if (differs >= 0)
      report.corrupt(`targets/${at.rangesByte / 4 + differs}`, 'is nothing that such a crowd has there.');
    else if (args.some((size, i) => size !== targets[at.argumentsByte / 4 + i])) {
      report.corrupt(`targets/${at.argumentsByte / 4}`, `dispatches other than ${args.join(' × ')} workgroups.`);
    }
  }
  return served;
}

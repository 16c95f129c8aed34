import type { View } from '../../layout/index.ts';
import { splitSeconds } from '../../math/fixed.ts';
import { CullParams, ShareParams } from '../../stages/cull-characters/layout.ts';
import { GroundParams } from '../../stages/ground-characters/layout.ts';
import { FrameParams, MOTION_ROWS } from '../../stages/layout.ts';
import { StepParams } from '../../stages/step-controllers/layout.ts';
import type { FrameInputs, GroundField, PlaceInputs, SeenInputs } from '../backend.ts';
import { viewOf } from './column.ts';
import { writeViews } from './crowd-view.ts';
import { ringWords } from './cull-tables.ts';
import type { CrowdLayout, SharingPlan } from './crowd-layout.ts';

/** The parameters that all stages share. @param lastFrame Number of the previous frame with views. */
export function frameParams(
  { playerCapacity, motionCapacity, modifierCapacity }: CrowdLayout,
  { time, frame }: Pick<FrameInputs, 'time' | 'frame'>,
  lastFrame: number,
): View<(typeof FrameParams)['fields']> {
  const [timeLow, timeHigh] = splitSeconds(time);
  const capacities = { playerCapacity, motionCapacity, modifierCapacity };
  return viewOf(FrameParams, [{ timeLow, timeHigh, frame, ...capacities, lastFrame }]);
}

export function stepParams(
  { eventCapacity }: Pick<CrowdLayout, 'eventCapacity'>,
  frame: number,
  { dt, characterCount, runCount }: FrameInputs['animators'],
): View<(typeof StepParams)['fields']> {
  return viewOf(StepParams, [{ dt, frame, characterCount, runCount, eventCapacity }]);
}

interface CullLayout extends Pick<CrowdLayout, 'kinds' | 'classes' | 'motionCapacity'> {
  readonly tables: Pick<CrowdLayout['tables'], 'types'>;
}

interface CullState {
  readonly frame: number;
  /** Number of shared poses. Their rows follow the character rows. */
  readonly sharedCount?: number;
  /** Number of the previous frame with views. */
  readonly lastFrame: number;
  readonly characterCount: number;
  readonly binCount: number;
  readonly poseCapacity: number;
  readonly paletteCapacity: number;
  /** True if the pose memory is always large enough for all characters. */
  readonly posesAll?: boolean;
}

/** The parameters of cull-characters in one frame. @throws ManipleError CROWD_BAD_ARGUMENT */
export function cullParams(
  { tables, kinds, classes, motionCapacity }: CullLayout,
  { views, slots, rateSizes }: Pick<SeenInputs, 'views' | 'slots' | 'rateSizes'>,
  { posesAll = false, ...counts }: CullState,
): View<(typeof CullParams)['fields']> {
  const parking = { parkFirst: ringWords(classes).parkFirst, parkCapacity: classes.parkCapacity };
  const row = {
    ...counts,
    seesAll: views ? 0 : 1,
    tightens: Number(views !== undefined && posesAll),
    levelCount: tables.types.reduce((sum, { levels }) => sum + levels.length, 0),
    classCount: classes.capacities.length,
    copyCount: classes.copies,
    attributeWords: classes.attributeWords,
    rowsPerPair: classes.rowsPerPair,
    motionRows: motionCapacity * MOTION_ROWS,
    grantCount: slots.grants.length / 2,
    extentCount: slots.extentCount,
    // a character that gets another slot must be posed in that frame
    rebalances: posesAll ? slots.rebalances : 0,
    ...parking,
    levelRow: kinds.levelRow,
    classRow: kinds.classRow,
    rateSizes: [...rateSizes, 0],
  };
  const params = viewOf(CullParams, [row]);
  if (views) writeViews(params, views);
  return params;
}

export function shareParams(
  { capacity, playerCapacity, modifierCapacity }: Pick<CrowdLayout, 'capacity' | 'playerCapacity' | 'modifierCapacity'>,
  { below, phases, weight, count }: SharingPlan,
  { time, frame, characterCount }: { readonly time: bigint; readonly frame: number; readonly characterCount: number },
): View<(typeof ShareParams)['fields']> {
  const [timeLow, timeHigh] = splitSeconds(time);
  const capacities = { playerCapacity, modifierCapacity, firstShared: capacity - count };
  const clock = { timeLow, timeHigh, frame };
  return viewOf(ShareParams, [{ ...clock, characterCount, ...capacities, below, phases, weight }]);
}

/** Parameters of the ground, relative to the crowd's origin. */
export function groundParams(
  { origin: crowdOrigin }: PlaceInputs,
  { origin, lean, spacing, columns, rows }: GroundField,
  characterCount: number,
): View<(typeof GroundParams)['fields']> {
  const relative = origin.map((c, axis) => c - crowdOrigin[axis]!);
  return viewOf(GroundParams, [{ origin: relative, lean, spacing, columns, rows, characterCount }]);
}

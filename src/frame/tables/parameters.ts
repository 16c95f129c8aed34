import { type Fields, View } from '../../layout/index.ts';
import { splitSeconds } from '../../math/fixed.ts';
import { CullParams, ShareParams } from '../../stages/cull-characters/layout.ts';
import { GroundParams } from '../../stages/ground-characters/layout.ts';
import { FrameParams, MOTION_ROWS } from '../../stages/layout.ts';
import { StepParams } from '../../stages/step-controllers/layout.ts';
import type { FrameInputs, GroundField, PlaceInputs, SeenInputs } from '../backend.ts';
import type { RowValues } from './column.ts';
import { writeViews } from './crowd-view.ts';
import { ringWords } from './cull-tables.ts';
import type { CrowdLayout, SharingPlan } from './crowd-layout.ts';

/** Parameters of a stage: a view of one row. Frames pass the view of the last one, which they replace. */
type Params<S extends { readonly fields: Fields }> = View<S['fields']>;

function filled<F extends Fields>(view: View<F>, values: RowValues<F>): View<F> {
  view.words.fill(0);
  view.assign(0, values);
  return view;
}

/** The parameters that all stages share. @param lastFrame Number of the previous frame with views. */
export function frameParams(
  { playerCapacity, motionCapacity, modifierCapacity }: CrowdLayout,
  { time, frame }: Pick<FrameInputs, 'time' | 'frame'>,
  lastFrame: number,
  view: Params<typeof FrameParams> = new View(FrameParams, 1),
): Params<typeof FrameParams> {
  const [timeLow, timeHigh] = splitSeconds(time);
  const capacities = { playerCapacity, motionCapacity, modifierCapacity };
  return filled(view, { timeLow, timeHigh, frame, ...capacities, lastFrame });
}

export function stepParams(
  { eventCapacity }: Pick<CrowdLayout, 'eventCapacity'>,
  frame: number,
  { dt, characterCount, runCount }: FrameInputs['animators'],
  view: Params<typeof StepParams> = new View(StepParams, 1),
): Params<typeof StepParams> {
  return filled(view, { dt, frame, characterCount, runCount, eventCapacity });
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

/** Words of parameters that stay the same from frame to frame. */
const wordsOfLayouts = /* @__PURE__ */ new WeakMap<CullLayout, Uint32Array>();

function layoutWords(layout: CullLayout): Uint32Array {
  let words = wordsOfLayouts.get(layout);
  if (words) return words;
  const { tables, kinds, classes, motionCapacity } = layout;
  const view = new View(CullParams, 1);
  view.assign(0, {
    levelCount: tables.types.reduce((sum, { levels }) => sum + levels.length, 0),
    classCount: classes.capacities.length,
    copyCount: classes.copies,
    attributeWords: classes.attributeWords,
    rowsPerPair: classes.rowsPerPair,
    motionRows: motionCapacity * MOTION_ROWS,
    parkFirst: ringWords(classes).parkFirst,
    parkCapacity: classes.parkCapacity,
    levelRow: kinds.levelRow,
    classRow: kinds.classRow,
  });
  wordsOfLayouts.set(layout, (words = view.words));
  return words;
}

/**
 * The parameters of cull-characters in one frame. They are the longest of a frame, so words are written one by one, without objects.
 * @param layout Stays as it is.
 * @throws ManipleError CROWD_BAD_ARGUMENT
 */
export function cullParams(
  layout: CullLayout,
  { views, slots, rateSizes }: Pick<SeenInputs, 'views' | 'slots' | 'rateSizes'>,
  { posesAll = false, sharedCount = 0, ...counts }: CullState,
  view: Params<typeof CullParams> = new View(CullParams, 1),
): Params<typeof CullParams> {
  const { offsets } = CullParams;
  const { words, floats } = view;
  words.set(layoutWords(layout));
  words[offsets.characterCount / 4] = counts.characterCount;
  words[offsets.frame / 4] = counts.frame;
  words[offsets.lastFrame / 4] = counts.lastFrame;
  words[offsets.binCount / 4] = counts.binCount;
  words[offsets.poseCapacity / 4] = counts.poseCapacity;
  words[offsets.paletteCapacity / 4] = counts.paletteCapacity;
  words[offsets.sharedCount / 4] = sharedCount;
  words[offsets.seesAll / 4] = views ? 0 : 1;
  words[offsets.tightens / 4] = Number(views !== undefined && posesAll);
  words[offsets.grantCount / 4] = slots.grants.length / 2;
  words[offsets.extentCount / 4] = slots.extentCount;
  // a character that gets another slot must be posed in that frame
  words[offsets.rebalances / 4] = posesAll ? slots.rebalances : 0;
  floats.set(rateSizes, offsets.rateSizes / 4);
  if (views) writeViews(view, views);
  return view;
}

export function shareParams(
  { capacity, playerCapacity, modifierCapacity }: Pick<CrowdLayout, 'capacity' | 'playerCapacity' | 'modifierCapacity'>,
  { below, phases, weight, count }: SharingPlan,
  { time, frame, characterCount }: { readonly time: bigint; readonly frame: number; readonly characterCount: number },
  view: Params<typeof ShareParams> = new View(ShareParams, 1),
): Params<typeof ShareParams> {
  const [timeLow, timeHigh] = splitSeconds(time);
  const capacities = { playerCapacity, modifierCapacity, firstShared: capacity - count };
  const clock = { timeLow, timeHigh, frame };
  return filled(view, { ...clock, characterCount, ...capacities, below, phases, weight });
}

/** Parameters of the ground, relative to the crowd's origin. */
export function groundParams(
  { origin: crowdOrigin }: PlaceInputs,
  { origin, lean, spacing, columns, rows }: GroundField,
  characterCount: number,
  view: Params<typeof GroundParams> = new View(GroundParams, 1),
): Params<typeof GroundParams> {
  const relative = origin.map((c, axis) => c - crowdOrigin[axis]!);
  return filled(view, { origin: relative, lean, spacing, columns, rows, characterCount });
}

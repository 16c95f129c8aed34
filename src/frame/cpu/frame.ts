import { cullCharacters, type CullViews, type PlayedViews } from '../../stages/cull-characters/reference.ts';
import { writeDraws, writeRanges, type WriteRangesViews } from '../../stages/cull-characters/write-ranges.ts';
import { groundCharacters, type GroundCharactersViews } from '../../stages/ground-characters/reference.ts';
import { gatherMotions, type GatherMotionsViews } from '../../stages/gather-motions/reference.ts';
import { keepPalettes, type KeepPalettesViews } from '../../stages/keep-palettes/reference.ts';
import { placeSockets, type PlaceSocketsViews } from '../../stages/place-sockets/reference.ts';
import { poseOnCpu } from './pose-on-cpu.ts';
import type { PoseJointsViews } from '../../stages/pose-joints/reference.ts';
import type { ProviderMemoryView } from '../../stages/provider-twins.ts';
import { skinVertices, type SkinVerticesViews } from '../../stages/skin-vertices/reference.ts';
import { stepControllers, type StepControllersViews } from '../../stages/step-controllers/reference.ts';
import { updateCharacters, type UpdateCharactersViews } from '../../stages/update-characters/reference.ts';
import { type Moment, type StageName, STAGES } from '../stages.ts';

type Timed = (stage: StageName, run: () => void) => void;

/** Inputs and outputs of the frame's twins. */
export interface FrameViews {
  readonly step: StepControllersViews | undefined;
  /** Undefined if there is no ground. */
  readonly ground: GroundCharactersViews | undefined;
  /** Undefined if the frame has no views. */
  readonly seen:
    | {
        readonly cull: CullViews;
        /** Playing clips, as cull-characters reads them. */
        readonly played: PlayedViews;
        readonly place: WriteRangesViews;
        /** Called once the visible list is complete. */
        readonly pose: () => GatherMotionsViews & PoseJointsViews;
        /** Undefined if there are no providers. */
        readonly provided: ProviderMemoryView | undefined;
        /** Called after poses; undefined if no provider has an update. */
        readonly update: (() => UpdateCharactersViews) | undefined;
        /** Page by page; undefined if no type is skinned where it is drawn. */
        readonly keep: (() => readonly KeepPalettesViews[]) | undefined;
        /** Page by page. */
        readonly skin: () => readonly SkinVerticesViews[];
      }
    | undefined;
  /** Called once all poses are complete; undefined if there are no attachments. */
  readonly sockets: (() => PlaceSocketsViews) | undefined;
}

/** Returns the function that runs a stage in a frame; undefined if the stage has nothing to do. */
type Twin = (views: FrameViews) => (() => void) | undefined;

const TWINS: Readonly<Record<StageName, Twin>> = {
  'step-controllers': ({ step }) => step && (() => stepControllers(step)),
  'ground-characters': ({ ground }) => ground && (() => groundCharacters(ground)),
  'cull-characters': ({ seen }) =>
    seen &&
    (() => {
      cullCharacters(seen.cull, undefined, seen.played);
      writeRanges(seen.place);
      writeDraws(seen.place);
    }),
  'gather-motions': ({ seen }) => seen && (() => gatherMotions(seen.pose())),
  'pose-joints': ({ seen }) => seen && (() => poseOnCpu(seen.pose())),
  'place-sockets': ({ sockets }) => sockets && (() => placeSockets(sockets())),
  'update-characters': ({ seen }) => seen?.update && (() => updateCharacters(seen.update!())),
  'keep-palettes': ({ seen }) => seen?.keep && (() => seen.keep!().forEach((views) => keepPalettes(views))),
  'skin-vertices': ({ seen }) => seen && (() => seen.skin().forEach((views) => skinVertices(views))),
};

/** Runs the frame on the twins, in the order of `STAGES`. Calls `record` before and after each stage. */
export function runFrame(views: FrameViews, timed: Timed, record?: (stage: StageName, moment: Moment) => void): void {
  for (const stage of STAGES) {
    const run = TWINS[stage](views);
    if (!run) continue;
    record?.(stage, 'inputs');
    timed(stage, run);
    record?.(stage, 'outputs');
  }
}

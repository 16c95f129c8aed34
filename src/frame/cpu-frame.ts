import { cullCharacters, type CullViews, type PlayedViews } from '../stages/cull-characters/reference.ts';
import { placeDraws, placeRanges, type PlaceRangesViews } from '../stages/cull-characters/place-ranges.ts';
import { groundCharacters, type GroundCharactersViews } from '../stages/ground-characters/reference.ts';
import { gatherMotions, type GatherMotionsViews } from '../stages/gather-motions/reference.ts';
import { keepPalettes, type KeepPalettesViews } from '../stages/keep-palettes/reference.ts';
import { placeSockets, type PlaceSocketsViews } from '../stages/place-sockets/reference.ts';
import { poseJoints, type PoseJointsViews } from '../stages/pose-joints/reference.ts';
import type { ProviderMemoryView } from '../stages/provider-twins.ts';
import { skinVertices, type SkinVerticesViews } from '../stages/skin-vertices/reference.ts';
import { stepControllers, type StepControllersViews } from '../stages/step-controllers/reference.ts';
import { updateCharacters, type UpdateCharactersViews } from '../stages/update-characters/reference.ts';
import type { Moment, StageName } from './frame.ts';

type Timed = (stage: StageName, run: () => void) => void;

/** What twins of the frame read and write. */
export interface FrameViews {
  readonly step: StepControllersViews | undefined;
  /** Undefined: there is no ground. */
  readonly ground: GroundCharactersViews | undefined;
  /** Undefined: nobody looks. */
  readonly seen:
    | {
        readonly cull: CullViews;
        /** What plays, as cull-characters reads it. */
        readonly played: PlayedViews;
        readonly place: PlaceRangesViews;
        /** Once the visible list stands. */
        readonly pose: () => GatherMotionsViews & PoseJointsViews;
        /** Undefined: there are no providers. */
        readonly provided: ProviderMemoryView | undefined;
        /** After poses; undefined: no provider has an update. */
        readonly update: (() => UpdateCharactersViews) | undefined;
        /** Page by page; undefined: no type is skinned where it is drawn. */
        readonly keep: (() => readonly KeepPalettesViews[]) | undefined;
        /** Page by page. */
        readonly skin: () => readonly SkinVerticesViews[];
      }
    | undefined;
  /** Once everyone is posed; undefined: nobody carries anything. */
  readonly sockets: (() => PlaceSocketsViews) | undefined;
}

/** The frame on the twins, in the order of `STAGES`. `record` is called ahead of each stage, and behind it. */
export function runFrame(
  { step, ground, seen, sockets }: FrameViews,
  measured: Timed,
  record?: (stage: StageName, moment: Moment) => void,
): void {
  const timed: Timed = (stage, run) => {
    record?.(stage, 'inputs');
    measured(stage, run);
    record?.(stage, 'outputs');
  };
  if (step) timed('step-controllers', () => stepControllers(step));
  if (ground) timed('ground-characters', () => groundCharacters(ground));
  if (seen) {
    timed('cull-characters', () => {
      cullCharacters(seen.cull, undefined, seen.played);
      placeRanges(seen.place);
      placeDraws(seen.place);
    });
    timed('gather-motions', () => gatherMotions(seen.pose()));
    timed('pose-joints', () => poseJoints(seen.pose()));
  }
  if (sockets) timed('place-sockets', () => placeSockets(sockets()));
  const update = seen?.update;
  if (update) timed('update-characters', () => updateCharacters(update()));
  const keep = seen?.keep;
  if (keep) timed('keep-palettes', () => keep().forEach((views) => keepPalettes(views)));
  if (seen) timed('skin-vertices', () => seen.skin().forEach((views) => skinVertices(views)));
}

import { expectList, expectOptions, type Names } from '../crowd/arguments.ts';
import { adapterName } from '../crowd/tuning/skin-records.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { FRAME_OPTIONS, type FrameOptions } from '../crowd/frame-options.ts';
import { fail } from '../errors.ts';
import { STAGES, type StageName } from '../frame/stages.ts';
import type { CrowdType, TypePlace } from '../frame/tables/crowd-types.ts';
import type { FrameCapture } from './capture.ts';
import { Recorder } from './recorder.ts';
import { capturedSizes } from './replay.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';

/** Default limit for the bytes of a capture's copies. */
const DEFAULT_BYTE_LIMIT: number = 2 ** 30;

export interface CaptureOptions extends Omit<FrameOptions, 'recorder'> {
  /** Stages to capture; default: all that run. */
  readonly stages?: readonly StageName[];
  /** The most bytes of copies, on the GPU and then on the CPU side; default 1 GiB. */
  readonly byteLimit?: number;
}

const CAPTURE_OPTIONS: Names<CaptureOptions> = { ...FRAME_OPTIONS, stages: true, byteLimit: true };

/**
 * Runs a frame as `crowd.update` does, and copies each stage's bindings before it, and the arrays that it may write
 * after it. The result can be written to a file (`writeCapture`) and replayed stage by stage (`replayStage`).
 *
 * Cost: one copy per array and stage that writes it, including all columns of the crowd's capacity.
 *
 * @throws ManipleError CROWD_BAD_ARGUMENT, CROWD_DESTROYED, DEVICE_LOST; CAPTURE_UNSUPPORTED: skin-vertices of a crowd
 * with a `skinnedChannel`; CAPTURE_TOO_LARGE: the frame has still run
 * @example
 *   const capture = await captureFrame(crowd, { dt: 1 / 60, views });
 *   await writeFile('frame.capture', writeCapture(capture));
 */
export async function captureFrame(crowd: Crowd, options: CaptureOptions): Promise<FrameCapture> {
  expectCrowd(crowd);
  expectOptions('options', options, CAPTURE_OPTIONS);
  const { stages: wanted = STAGES, byteLimit = DEFAULT_BYTE_LIMIT, ...frame } = options;
  expectList('stages', wanted);
  const unknown = wanted.filter((stage) => !STAGES.includes(stage));
  if (unknown.length > 0) {
    const message = `there is no ${unknown.join(', ')}.`;
    fail('CROWD_BAD_ARGUMENT', 'stages', message, `Stages are ${STAGES.join(', ')}.`);
  }
  if (internalsOf(crowd).host.shape.skinnedChannel && wanted.includes('skin-vertices')) {
    const message = 'the crowd has a skinnedChannel, which captures of skin-vertices do not hold.';
    fail('CAPTURE_UNSUPPORTED', 'stages', message, 'Name the other stages in `stages`.');
  }
  // options before the frame: the crowd may change after it
  const { capacity, characters, rootMotion, copies, ...limits } = internalsOf(crowd).options();
  const { maxClips, maxModifiers, maxEvents, maxVertexBytes, maxPoses, lodTolerancePx } = limits;
  const { shape } = internalsOf(crowd).host;
  const { kernels, providers, tables, sharing: plan } = shape;
  const skin = tables.types.map((type) => type.skin);
  const poseSharing = plan && { belowPx: plan.below, phases: plan.phases, minWeight: plan.weight };
  const memory = { maxClips, maxModifiers, maxEvents, rootMotion, maxVertexBytes, copies, maxPoses };
  const recorder = new Recorder(shape, wanted, byteLimit);
  try {
    crowd.update({ ...frame, recorder });
    await crowd.workDone();
  } catch (thrown) {
    recorder.discard();
    throw thrown;
  }
  const { numbers, stages } = await recorder.finish();
  return {
    backend: internalsOf(crowd).host.backend.kind,
    adapter: adapterName(internalsOf(crowd).host.backend.memory?.crowd.device.adapterInfo),
    frame: crowd.frame,
    options: { capacity, characters, skin, ...memory, lodTolerancePx, poseSharing },
    places: tables.types.map(placeOf),
    providers: providers.map(({ name }) => name),
    providerSizes: providers.map(capturedSizes),
    kernels,
    numbers: numbers ?? NOTHING_RAN,
    stages: stages.sort((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage)),
  };
}

function placeOf({ typeRow, controllerRow, levels }: CrowdType): TypePlace {
  return {
    typeRow,
    controllerRow,
    levels: levels.map(({ geometryRow, firstIndex, skeletonRow }) => ({ geometryRow, firstIndex, skeletonRow })),
  };
}

const NOTHING_RAN: FrameCapture['numbers'] = {
  characterCount: 0,
  runCount: 0,
  socketCount: 0,
  socketCapacity: 0,
  hasGrants: false,
  hasMoves: false,
  hasFollowers: false,
  isSeen: false,
  pageRows: [],
};

import { fail, ManipleError, reasonOf } from '../errors.ts';
import type { StageName } from '../frame/stages.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { CapturedArrays, CapturedStage, FrameCapture } from './capture.ts';
import type { CapturedSpace } from './arrays.ts';
import { checkStage } from './check-stage.ts';
import { compareOutputs, type ArrayDifference } from './compare.ts';
import { replayOnGpu } from './replay-gpu.ts';
import { isSame, spaceOf } from './space.ts';

export interface StageReplayOptions {
  /** Device for the stage's kernels. Without it, its twin runs. */
  readonly device?: GPUDevice | undefined;
  /** The crowd's vertex providers, if it had some: captures contain only their names. */
  readonly providers?: readonly VertexProvider[];
}

export interface StageReplay {
  readonly stage: StageName;
  readonly backend: 'gpu' | 'cpu';
  readonly outputs: CapturedArrays;
  /** Fields that differ from the capture, by array: the largest difference, and its row. Empty if none differs. */
  readonly differences: readonly ArrayDifference[];
}

/**
 * Runs one stage separately on its captured inputs, with its kernels (the same ones as in the capture) or its twin.
 * Reports the differences from the captured outputs.
 *
 * @throws ManipleError CAPTURE_UNSUPPORTED (the stage is not in the capture, or its providers are missing), CAPTURE_INVALID
 *  (arrays that the stage cannot run on), DEVICE_LIMIT, DEVICE_LOST
 */
export async function replayStage(
  capture: FrameCapture,
  stage: StageName,
  { device, providers = [] }: StageReplayOptions = {},
): Promise<StageReplay> {
  const captured = capture.stages.find((each) => each.stage === stage);
  if (!captured) {
    const known = capture.stages.map((each) => each.stage).join(', ') || 'no stage';
    return fail('CAPTURE_UNSUPPORTED', stage, 'The stage is not in the capture.', `It holds ${known}.`);
  }
  const space = spaceOf(capture, providers);
  if (RUNS_PROVIDERS.has(stage)) expectProviders(capture, stage, providers, device !== undefined);
  checkStage(captured, space);
  const outputs = await run(captured, space, device);
  const differences = compareOutputs(captured, outputs, space);
  return { stage, backend: device ? 'gpu' : 'cpu', outputs, differences };
}

/** Stages that run code of providers. */
const RUNS_PROVIDERS: ReadonlySet<StageName> = new Set(['update-characters', 'skin-vertices']);

/** @throws ManipleError CAPTURE_UNSUPPORTED */
function expectProviders(
  capture: FrameCapture,
  stage: StageName,
  providers: readonly VertexProvider[],
  onGpu: boolean,
): void {
  const names = providers.map(({ name }) => name).join(', ') || 'none';
  if (!isSame(capture, providers)) {
    const message = `the crowd had the vertex providers ${capture.providers.join(', ')}; ${names} are given, or with other rows.`;
    fail('CAPTURE_UNSUPPORTED', stage, message, 'Pass them to replayStage.');
  }
  if (!onGpu || providers.every(({ resources = {} }) => Object.keys(resources).length === 0)) return;
  const message = 'its providers read buffers or textures of the application, which are not in a capture.';
  fail('CAPTURE_UNSUPPORTED', stage, message, 'Replay it on its twin: pass no device.');
}

async function run(
  captured: CapturedStage,
  space: CapturedSpace,
  device: GPUDevice | undefined,
): Promise<CapturedArrays> {
  if (device) return replayOnGpu(device, captured, space);
  const { replayOnTwin } = await import('./replay-twin.ts');
  try {
    return replayOnTwin(captured, space);
  } catch (thrown) {
    if (thrown instanceof ManipleError) throw thrown;
    // rows that refer to missing records: no stage produces them, but a file may contain anything
    const message = `its twin cannot run on what was captured: ${reasonOf(thrown)}.`;
    return fail('CAPTURE_INVALID', captured.stage, message, 'Take the capture again.');
  }
}

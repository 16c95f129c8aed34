import { crowdLayout, tableOptions } from '../crowd/crowd-layout.ts';
import type { CrowdOptions } from '../crowd/options.ts';
import { fail } from '../errors.ts';
import type { StageName } from '../frame/stages.ts';
import { typesAt } from '../frame/tables/crowd-types.ts';
import type { VertexProvider } from '../stages/providers.ts';
import type { CapturedArrays, CapturedProvider, CapturedStage, FrameCapture } from './capture.ts';
import { arraysOf, isOutput, type CapturedSpace } from './arrays.ts';
import { compareOutputs, type ArrayDifference } from './compare.ts';
import { CaptureReport } from './capture-file.ts';
import { replayOnGpu } from './replay-gpu.ts';

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
 * (arrays are missing, or have other lengths than such a crowd's), DEVICE_LIMIT, DEVICE_LOST
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
  checkArrays(captured, space);
  const outputs = device
    ? await replayOnGpu(device, captured, space)
    : await (await import('./replay-twin.ts')).replayOnTwin(captured, space);
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

/** Arrays that may be missing: twins of place-sockets omit theirs in frames without views, kernels omit empty ones. */
const OPTIONAL: Partial<Record<StageName, readonly string[]>> = {
  'place-sockets': ['slots', 'visible', 'palettes'],
  'cull-characters': ['grants'],
};

/**
 * Checks that all arrays of the stage are present, with the lengths of such a crowd, both before and after the stage.
 * @throws ManipleError CAPTURE_INVALID
 */
function checkArrays({ stage, inputs, outputs }: CapturedStage, space: CapturedSpace): void {
  const report = new CaptureReport(stage);
  const forms = arraysOf(stage, space);
  for (const name of Object.keys(inputs)) if (!forms.has(name)) report.corrupt(name, 'The stage has no such array.');
  for (const [name, { row, words }] of forms) {
    const array = inputs[name];
    if (!array && OPTIONAL[stage]?.includes(name)) continue;
    const expected = words?.(space) ?? array?.length ?? 0;
    if (array?.length !== expected || expected % (row.size / 4) !== 0) {
      const wanted = words ? `${expected} words` : `whole rows of ${row.size / 4} words`;
      report.corrupt(name, `Expected ${wanted}, got ${array?.length ?? 'none'}.`);
    } else if (isOutput(stage, name, space) && outputs[name]?.length !== expected) {
      report.corrupt(`outputs/${name}`, `Expected ${expected} words, got ${outputs[name]?.length ?? 'none'}.`);
    }
  }
  report.throwIfFailed();
}

/**
 * Options for creating a crowd like the captured one, with providers without code. Their number and sizes affect many
 * other values.
 */
function capturedCrowd({ options, providers, providerSizes }: FrameCapture): CrowdOptions {
  const { skin, characters, ...numbers } = options;
  const skinByCharacter = new Map(characters.map((character, index) => [character, skin[index]!]));
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  const fallbacks = providers.map((name, index): VertexProvider => {
    const { updates, ...rows } = providerSizes[index]!;
    return { name, space: 'model', code: '', ...rows, ...(updates && { update: { code: '' } }) };
  });
  return {
    ...Object.fromEntries(given),
    capacity: options.capacity,
    characters,
    skin: (character) => skinByCharacter.get(character)!,
    providers: fallbacks,
  };
}

/** Sizes of a provider, which a capture contains in addition to its name. */
export function capturedSizes({
  rowCount = 0,
  characterRowCount = 0,
  stateRowCount = 0,
  update,
}: VertexProvider): CapturedProvider {
  return { rowCount, characterRowCount, stateRowCount, updates: update !== undefined };
}

/** Returns true if providers match those of the capture, by their names and rows. */
function isSame(
  { providers: names, providerSizes }: Pick<FrameCapture, 'providers' | 'providerSizes'>,
  providers: readonly VertexProvider[],
): boolean {
  const sizes = providers.map(capturedSizes);
  const keys = ['rowCount', 'characterRowCount', 'stateRowCount', 'updates'] as const;
  return (
    providers.map(({ name }) => name).join() === names.join() &&
    sizes.every((size, index) => keys.every((key) => size[key] === providerSizes[index]![key]))
  );
}

/**
 * Computes the shape of the captured crowd again.
 * @param providers The available providers. Without them all stages except skin-vertices run.
 */
export function spaceOf(capture: FrameCapture, providers: readonly VertexProvider[]): CapturedSpace {
  const { numbers, options, kernels, places } = capture;
  const crowd = capturedCrowd(capture);
  const types = typesAt(options.characters, places, tableOptions(crowd, kernels));
  const shape = crowdLayout(crowd, kernels, { types });
  return { shape: { ...shape, providers: isSame(capture, providers) ? providers : shape.providers }, numbers };
}

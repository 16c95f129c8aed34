import {
  readCapture,
  replayStage,
  type CapturedArrays,
  type CapturedStage,
  type FrameCapture,
} from '../../capture/index.ts';
import type { RequestedDevice } from '../../device/request-device.ts';
import { fail, formatIssue, issuesOf, ManipleError, type IssueCode } from '../../errors.ts';
import { openDevice } from '../device.ts';
import { bytes, EXIT_FAILED, print, printJson, printTable } from '../output.ts';
import { naming, readBytes } from '../read.ts';

export interface ReplayCommandOptions {
  readonly stage?: string;
  readonly backend: 'gpu' | 'cpu';
  readonly json?: boolean;
}

/** The result of one stage: differences, or why it cannot run. */
type Outcome = Awaited<ReturnType<typeof replayed>>;

export async function runReplay(file: string, { stage, backend, json }: ReplayCommandOptions): Promise<void> {
  const capture = await naming(file, async () => readCapture(await readBytes(file)));
  const known = capture.stages.map((each) => each.stage);
  const wanted = capture.stages.filter((each) => stage === undefined || each.stage === stage);
  if (stage !== undefined && wanted.length === 0) {
    fail('CAPTURE_UNSUPPORTED', file, `The capture has no stage ${stage}.`, `It has ${known.join(', ') || 'none'}.`);
  }
  const opened = backend === 'gpu' ? await openDevice() : undefined;
  const outcomes: Outcome[] = [];
  try {
    for (const captured of wanted) outcomes.push(await naming(file, () => replayed(capture, captured, opened)));
  } finally {
    opened?.device.destroy();
  }
  if (json) printJson({ ...summary(file, capture), replayedOn: backend, stages: outcomes.map(asJson) });
  else printOutcomes(file, capture, backend, outcomes);
  const replays = outcomes.filter(({ issues }) => issues.length === 0);
  // a stage that was asked for by name is all that there is to replay
  if (replays.length === 0 || replays.some(({ differences }) => differences.length > 0)) process.exitCode = EXIT_FAILED;
}

/** Errors that stop only one stage. Others may still run. */
const OF_ONE_STAGE: ReadonlySet<IssueCode> = new Set(['CAPTURE_UNSUPPORTED', 'DEVICE_LIMIT']);

async function replayed(capture: FrameCapture, captured: CapturedStage, opened: RequestedDevice | undefined) {
  try {
    const { differences } = await replayStage(capture, captured.stage, { device: opened?.device });
    return { captured, differences, issues: [] };
  } catch (thrown) {
    if (!(thrown instanceof ManipleError) || !OF_ONE_STAGE.has(thrown.code)) throw thrown;
    return { captured, differences: [], issues: issuesOf(thrown) };
  }
}

function summary(file: string, { backend, adapter, frame, options, kernels, providers, numbers }: FrameCapture) {
  const { serialPoses, cachedPalettes, serialLists, wideSkins = false, skinning } = kernels;
  return {
    file,
    capturedOn: backend,
    adapter,
    frame,
    characters: options.characters.map(({ name }) => name),
    capacity: options.capacity,
    kernels: { serialPoses, cachedPalettes, serialLists, wideSkins, tunedMeshes: skinning?.meshes.length ?? 0 },
    providers,
    numbers,
  };
}

function asJson({ captured: { stage, inputs, outputs }, differences, issues }: Outcome) {
  const sizes = (arrays: CapturedArrays) =>
    Object.fromEntries(Object.entries(arrays).map(([name, words]) => [name, words.byteLength]));
  return { stage, inputs: sizes(inputs), outputs: sizes(outputs), differences, issues };
}

function printOutcomes(
  file: string,
  capture: FrameCapture,
  backend: 'gpu' | 'cpu',
  outcomes: readonly Outcome[],
): void {
  const { capturedOn, adapter, frame, characters, kernels } = summary(file, capture);
  const on = (which: 'gpu' | 'cpu') => (which === 'gpu' ? 'kernels' : 'twins');
  const { characterCount } = capture.numbers;
  print(`${file}: frame ${frame} of ${characters.join(', ')}, ${characterCount} rows in use`);
  print(`captured on ${on(capturedOn)}${adapter ? ` (${adapter})` : ''}, replayed on ${on(backend)}`);
  const chosen = Object.entries(kernels).filter(([, value]) => value);
  print(`kernels: ${chosen.map(([name]) => name).join(', ') || 'none of the special ones'}`);
  print();
  const size = (arrays: CapturedArrays) =>
    bytes(Object.values(arrays).reduce((sum, { byteLength }) => sum + byteLength, 0));
  const rows = outcomes.map(({ captured: { stage, inputs, outputs }, differences, issues }) => {
    const result = issues.length > 0 ? 'not replayed' : differences.length > 0 ? 'differs' : 'equal';
    return [stage, size(inputs), size(outputs), result];
  });
  printTable([['stage', 'inputs', 'outputs', 'result'], ...rows]);
  const found = outcomes.flatMap(({ captured, differences }) =>
    differences.map(({ array, field, count, largest, row, captured: before, replayed: after }) => [
      captured.stage,
      `${array}.${field}`,
      count,
      largest.toPrecision(3),
      row,
      String(before),
      String(after),
    ]),
  );
  if (found.length > 0) {
    print();
    printTable([['stage', 'field', 'differ', 'largest', 'at row', 'captured', 'replayed'], ...found]);
  }
  for (const issue of outcomes.flatMap(({ issues }) => issues)) print(formatIssue(issue));
}

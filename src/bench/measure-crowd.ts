import type { BenchRun } from './context.ts';
import { FrameLoop, type FrameSource } from './frames.ts';
import { MANIPLE } from './report.ts';
import { crowdWork, type StageWork } from './stage-work.ts';

/** How a crowd's frames are named and counted. */
export interface CrowdMeasure {
  /** Default: MANIPLE. */
  readonly subject?: string;
  /** Name of the row of whole frames. Default `frame`. */
  readonly frame?: string;
  /** False: only whole frames and the CPU count. */
  readonly hasStages?: boolean;
  /** Work of the picture's stages. */
  readonly picture?: (() => Promise<readonly StageWork[]>) | undefined;
}

/** Warms a crowd up, counts its work, measures its frames, and adds a row for each stage, the frame and the host. */
export async function measureCrowd(
  { device, heat, scene, count, pace, samples }: BenchRun,
  source: FrameSource,
  { subject = MANIPLE, frame = 'frame', hasStages = true, picture }: CrowdMeasure = {},
): Promise<void> {
  const loop = new FrameLoop(device, source, heat);
  await loop.warmUp(pace);
  const work = hasStages ? [...(await crowdWork(source.crowd)), ...((await picture?.()) ?? [])] : [];
  const measured = await loop.measure(work, pace);
  const common = { scene, count, subject };
  for (const { stage, work: amount, unit, read, written } of work) {
    samples.add({
      ...common,
      stage,
      work: amount,
      unit,
      bytes: read + written,
      samples: measured.stages.get(stage) ?? [],
      floorSamples: measured.floors.get(stage),
    });
  }
  const bytes = work.length === 0 ? undefined : work.reduce((sum, { read, written }) => sum + read + written, 0);
  const whole = { stage: frame, work: count, unit: 'characters', bytes, floorSamples: sumOf(measured.floors) };
  samples.add({ ...common, ...whole, samples: measured.frame });
  if (hasStages) samples.add({ ...common, stage: 'host', work: 1, unit: 'frames', samples: measured.host });
}

/** Sums of the first samples of all lists, of the second ones, and so on. */
function sumOf(lists: ReadonlyMap<string, readonly number[]>): number[] {
  const [first = [], ...others] = lists.values();
  return first.map((value, i) => others.reduce((sum, list) => sum + list[i]!, value));
}

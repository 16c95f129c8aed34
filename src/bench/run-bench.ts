import type { RequestedDevice } from '../device/request-device.ts';
import { runMachines } from './baselines/machines.ts';
import { runPasses } from './baselines/passes.ts';
import { runPoses } from './baselines/poses.ts';
import { runSkins } from './baselines/skins.ts';
import { importOptional } from './baselines/import-optional.ts';
import { type BenchContext, type BenchScene, LeavesOut } from './context.ts';
import type { FramePace } from './frames.ts';
import { createMeasuredHeater } from './gpu/gpu-heater.ts';
import { keepPipelines } from './keep-pipelines.ts';
import { type BenchReport, type BenchRow, type LeftOut, type Sampled, Samples } from './report.ts';
import { SCENES } from './scenes.ts';

/** Comparisons with other ways to do the same. */
const BASELINES = {
  poses: {
    about: 'two clips on 64 joints: compared with the three passes of a published article',
    counts: { hardware: [100_000], software: [200] },
    run: runPoses,
  },
  skins: {
    about: 'one mesh of 4,096 vertices (software adapters: 1,024): compared with the kernel of a published article',
    counts: { hardware: [8000], software: [8] },
    run: runSkins,
  },
  passes: {
    about: 'a parade drawn by 1, 3 and 5 passes: compute skinning compared with skinning in every draw',
    counts: { hardware: [5000], software: [20] },
    run: runPasses,
  },
  machines: {
    about: 'two state machines each: compared with PlayCanvas’s animator (package playcanvas)',
    counts: { hardware: [25_000], software: [200] },
    run: runMachines,
  },
  three: {
    about: 'a crowd in three.js (package three): compared with mixers, compute skinning and vertex textures',
    counts: { hardware: [1000], software: [50] },
    run: async (run) => (await importOptional('three', () => import('./three/scene.ts'))).measureThree(run),
  },
} as const satisfies Readonly<Record<string, BenchScene>>;

/** All that the bench can run, by name. */
export const BENCH_SCENES: Readonly<Record<string, BenchScene>> = { ...SCENES, ...BASELINES };

/** Scenes of a run, and its time. */
export interface BenchOptions {
  /** Names in BENCH_SCENES. */
  readonly scenes: readonly string[];
  /** Characters, in place of each scene's own numbers. */
  readonly counts?: readonly number[] | undefined;
  /** No measurement begins after that. One that runs ends within some seconds. */
  readonly seconds: number;
  readonly version: string;
}

/** Rounds at most: more would not make medians better. */
const ROUND_LIMIT = 7;

const LOST = 'the device was lost before';

/** A scene with a number of characters. */
interface Case {
  readonly scene: string;
  readonly count: number;
}

/**
 * Runs scenes round by round. A round creates, measures and destroys every scene once, so that the spread of a figure
 * contains where its memory happens to lie, and how a GPU's clock drifts. Rounds go on until the time is up.
 */
export async function runBench(
  { device, info, kind, lost }: Pick<RequestedDevice, 'device' | 'info' | 'kind' | 'lost'>,
  { scenes, counts, seconds, version }: BenchOptions,
  context: Pick<BenchContext, 'models' | 'say'>,
): Promise<BenchReport> {
  const start = performance.now();
  const isOver = () => performance.now() - start > 1000 * seconds;
  const samples = new Samples();
  const leftOut: LeftOut[] = [];
  keepPipelines(device);
  const heat = kind === 'hardware' ? await createMeasuredHeater(device) : undefined;
  const bench = { ...context, device, kind, heat, once: onceByName() };
  let isLost = false;
  void lost.then(() => (isLost = true));
  let cases = casesOf(scenes, counts, kind);
  let rounds = 0;
  for (; rounds < ROUND_LIMIT && cases.length > 0 && (rounds === 0 || !isOver()); rounds++) {
    const remaining: Case[] = [];
    for (const [index, one] of cases.entries()) {
      // the first case runs in any case; a case without a figure is reported
      if (isOver() && (rounds > 0 || index > 0)) {
        if (rounds === 0) leftOut.push({ ...one, reason: `the ${seconds} s were over` });
        continue;
      }
      context.say(`round ${rounds + 1}: ${one.scene}, ${one.count} characters`);
      const share = Math.max(0.2, (seconds - (performance.now() - start) / 1000) / (cases.length - index));
      const pace = paceOf(kind, share);
      const found: Sampled[] = [];
      const reason = await runCase({ ...bench, ...one, pace, samples: { add: (sampled) => found.push(sampled) } });
      if (reason === undefined) {
        for (const sampled of found) samples.add(sampled);
        remaining.push(one);
      } else leftOut.push({ ...one, reason });
      if (!isLost) continue;
      if (rounds === 0) leftOut.push(...cases.slice(index + 1).map((other) => ({ ...other, reason: LOST })));
      break;
    }
    cases = isLost ? [] : remaining;
  }
  const hasTimestamps = device.features.has('timestamp-query');
  const order = (row: BenchRow) => scenes.indexOf(row.scene);
  const rows = samples.rows().sort((a, b) => order(a) - order(b) || a.count - b.count);
  const took = (performance.now() - start) / 1000;
  const common = { format: 'maniple-bench', version: 1, maniple: version } as const;
  return { ...common, adapter: info, kind, hasTimestamps, rounds, seconds: took, rows, leftOut };
}

/** Every scene with its largest number first, then with the next ones: a run that is short has a figure of each. */
function casesOf(scenes: readonly string[], counts: readonly number[] | undefined, kind: string): Case[] {
  const cases = scenes.flatMap((scene) => {
    const own = BENCH_SCENES[scene]!.counts[kind === 'hardware' ? 'hardware' : 'software'];
    const falling = [...(counts ?? own)].sort((a, b) => b - a);
    return falling.map((count, rank) => ({ scene, count, rank }));
  });
  return cases.sort((a, b) => a.rank - b.rank).map(({ scene, count }) => ({ scene, count }));
}

/** Shares of a case's time: creation takes some of it. */
function paceOf(kind: string, share: number): FramePace {
  if (kind === 'hardware') {
    return { warmUpFrames: 10, warmUpSeconds: Math.min(0.4, share / 4), frames: 24, seconds: Math.min(2, share / 2) };
  }
  return { warmUpFrames: 2, warmUpSeconds: 0, frames: 6, seconds: Math.min(4, share / 2) };
}

/** Runs one case. Returns the reason where it cannot run here. */
async function runCase(run: Parameters<BenchScene['run']>[0]): Promise<string | undefined> {
  const { device, scene } = run;
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  let reason: string | undefined;
  try {
    await BENCH_SCENES[scene]!.run(run);
  } catch (thrown) {
    reason = thrown instanceof Error ? thrown.message : String(thrown);
    if (!(thrown instanceof LeavesOut)) reason = `it failed: ${reason}`;
  }
  const [invalid, memory] = [await device.popErrorScope(), await device.popErrorScope()];
  if (memory) return `the device has too little memory: ${memory.message}`;
  if (invalid) return `WebGPU refused it: ${invalid.message}`;
  return reason;
}

function onceByName(): BenchContext['once'] {
  const made = new Map<string, Promise<unknown>>();
  return <T>(name: string, make: () => T | Promise<T>) => {
    if (!made.has(name)) made.set(name, Promise.resolve().then(make));
    return made.get(name) as Promise<T>;
  };
}

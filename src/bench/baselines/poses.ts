import { packCharacter } from '../../character/pack/index.ts';
import { createCrowd } from '../../crowd/create-crowd.ts';
import { SeededRandom } from '../../math/seeded-random.ts';
import { type BenchRun, LeavesOut } from '../context.ts';
import { FrameLoop } from '../frames.ts';
import { MANIPLE } from '../report.ts';
import { crowdWork } from '../stage-work.ts';
import { syntheticModel } from '../synthetic-model.ts';
import { type Playing, publishedPose } from './published-pose.ts';

const JOINTS = 64;
const MOTIONS = 2;
const KEYS = 24;

/** Two random clips on each character, at random phases: gather-motions and pose-joints compared with the published passes. */
export async function runPoses(run: BenchRun): Promise<void> {
  const { device, kind, scene, count, pace, samples } = run;
  if (!device.features.has('timestamp-query')) throw new LeavesOut('the device has no timestamps');
  const clips = kind === 'hardware' ? 24 : 4;
  const { model, character } = await run.once('64 joints', () => {
    const made = syntheticModel({ joints: JOINTS, clips, keys: KEYS, vertices: 64, influences: 4 });
    return { model: made, character: packCharacter(made, { maxClipWork: 1e9 }) };
  });
  const random = new SeededRandom(3);
  const playing = Array.from({ length: count * MOTIONS }, (): Playing => {
    return { clip: Math.floor(random.next() * clips), phase: random.next(), weight: 1 / MOTIONS };
  });
  const crowd = await createCrowd(device, { characters: [character], capacity: count, maxClips: MOTIONS });
  const group = crowd.spawn(character, { count });
  group.setClips((i) => playing.slice(i * MOTIONS, (i + 1) * MOTIONS).map((p) => ({ ...p, speed: 0 })));
  const loop = new FrameLoop(device, { crowd, options: () => ({ dt: 0 }) }, run.heat);
  await loop.warmUp(pace);
  const work = (await crowdWork(crowd)).filter(({ stage }) => stage === 'pose-joints' || stage === 'gather-motions');
  const { stages, floors } = await loop.measure(work, pace);
  crowd.destroy();
  const sums = (of: ReadonlyMap<string, readonly number[]>) =>
    (of.get('pose-joints') ?? []).map((time, i) => time + of.get('gather-motions')![i]!);
  const row = { scene, count, stage: 'poses', work: count * JOINTS, unit: 'joints' };
  const bytes = work.reduce((sum, { read, written }) => sum + read + written, 0);
  samples.add({ ...row, subject: MANIPLE, bytes, samples: sums(stages), floorSamples: sums(floors) });
  const published = await publishedPose(device, model, playing, count, MOTIONS, 1, pace.frames);
  samples.add({ ...row, subject: 'published algorithm', samples: published.timed.totals });
}

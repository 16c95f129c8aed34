// Measures pose-joints and skin-vertices, as a crowd runs them, against the published algorithms in the same run.
import { POSE_STRIDE, evaluatePose, restPose } from '../src/character/evaluate.ts';
import { packCharacter } from '../src/character/pack/index.ts';
import type { Character } from '../src/character/character.ts';
import { createCrowd } from '../src/crowd/create-crowd.ts';
import type { Crowd } from '../src/crowd/crowd.ts';
import type { TunedMesh } from '../src/crowd/tuning/measure-skins.ts';
import { tuneSkinning } from '../src/crowd/tuning/tune-skinning.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { describeVariant } from '../src/stages/skin-vertices/variant.ts';
import { SeededRandom } from '../src/math/seeded-random.ts';
import { measureFrames } from './tasks/crowd-frames.ts';
import { WARM_UP } from '../src/bench/gpu/gpu-timer.ts';
import { median } from '../src/bench/statistics.ts';
import { paletteError, publishedPose, type Playing } from '../src/bench/baselines/published-pose.ts';
import { copyPalettes, streamsOf } from '../src/bench/baselines/skins.ts';
import { publishedSkin, writeFloor } from '../src/bench/baselines/published-skin.ts';
import { syntheticModel } from '../src/bench/synthetic-model.ts';
import { internalsOf } from '../src/crowd/internals.ts';
import { readOptions } from './tasks/read-options.ts';

const values = readOptions(
  'Measures pose-joints and skin-vertices, as a crowd runs them, against the published algorithms in the same run.',
  {
    characters: { type: 'string', value: 'N', default: '100000', help: 'characters that are posed' },
    instances: { type: 'string', value: 'N', default: '8000', help: 'characters that are skinned' },
    vertices: { type: 'string', value: 'N', default: '4096', help: 'vertices of each' },
    clips: { type: 'string', value: 'N', default: '200', help: 'clips in the tables' },
    'vertex-format': { type: 'string', value: 'NAME', default: 'standard', help: 'standard, packed or compact' },
    part: { type: 'string', value: 'PART', help: 'poses or skins', defaultText: 'both' },
    poses: { type: 'string', value: 'KIND', help: 'parallel or serial', defaultText: 'what suits the adapter' },
    palettes: { type: 'string', value: 'KIND', help: 'cached or stored', defaultText: 'what suits the adapter' },
  },
);
const [characters, instances, vertices, clips] = [
  values.characters,
  values.instances,
  values.vertices,
  values.clips,
].map(Number) as [number, number, number, number];
const JOINTS = 64;
const MOTIONS = 2;
/** How often what is timed gets new memory. */
const ALLOCATIONS = 3;
const kernels = {
  ...(values.poses ? { serialPoses: values.poses === 'serial' } : {}),
  ...(values.palettes ? { cachedPalettes: values.palettes === 'cached' } : {}),
};
const { device, info, kind } = await nodeDevice();
const isHardware = kind === 'hardware';
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const say = (text: string) => (values.json ? undefined : console.log(text));
say(info.description || info.vendor);
const results: Record<string, number> = {};

if (values.part !== 'skins') await benchPoses();
if (values.part !== 'poses') await benchSkins();
if (values.json) console.log(JSON.stringify({ adapter: info, characters, instances, vertices, clips, results }));
process.exit(0);

async function benchPoses(): Promise<void> {
  const model = syntheticModel({ joints: JOINTS, clips, keys: 24, vertices: 64, influences: 4 });
  const packStart = performance.now();
  const character = packCharacter(model, { maxClipWork: 1e9 });
  const budget = character.size * (0.0001 / 1.8);
  const worst = Math.max(...character.clips.map(({ maxError }) => maxError));
  const knots = character.clips.reduce((sum, clip) => sum + clip.knots, 0) / clips;
  say(`\npose-joints: ${characters} characters × ${JOINTS} joints, ${MOTIONS} of ${clips} clips`);
  say(
    `  packed in ${((performance.now() - packStart) / 1000).toFixed(1)} s: ${(character.rig.byteLength / 1e6).toFixed(1)} MB, ${knots.toFixed(1)} knots a clip, error ${(worst / budget).toFixed(2)} of the budget`,
  );
  const random = new SeededRandom(3);
  const playing = Array.from({ length: characters * MOTIONS }, (): Playing => {
    return { clip: Math.floor(random.next() * clips), phase: random.next(), weight: 1 / MOTIONS };
  });
  const crowd = await createCrowd(device, {
    characters: [character],
    capacity: characters,
    maxClips: MOTIONS,
    kernels,
  });
  const group = crowd.spawn(character, { count: characters });
  group.setClips((i) => playing.slice(i * MOTIONS, (i + 1) * MOTIONS).map((p) => ({ ...p, speed: 0 })));
  const { 'pose-joints': pose, 'gather-motions': gather } = await timeFrames(crowd);
  const palettes = new Float32Array(16 * JOINTS * 12);
  for (let c = 0; c < 16; c++) {
    const { palette } = (await internalsOf(crowd).host.backend.read(c))!;
    palettes.set(palette!.subarray(0, JOINTS * 12), c * JOINTS * 12);
  }
  crowd.destroy();
  const truthOf = (c: number) => blendTruth(model, playing.slice(c * MOTIONS, (c + 1) * MOTIONS));
  const ourError = paletteError(model, palettes, truthOf, 16);
  const published = await publishedPose(device, model, playing, characters, MOTIONS, 16);
  const theirError = paletteError(model, published.palettes, truthOf, 16);
  const joints = characters * JOINTS;
  results.poseOurs = joints / pose! / 1e6;
  results.poseOursWithGather = joints / (pose! + gather!) / 1e6;
  results.posePublished = joints / published.timed.total / 1e6;
  results.poseRatio = results.poseOursWithGather / results.posePublished;
  say(
    `  error against the truth: ours ${(ourError * 1000).toFixed(4)} mm, published ${(theirError * 1000).toFixed(4)} mm (budget ${(budget * 1000).toFixed(4)} mm)`,
  );
  say(
    `  ours       ${(pose! + gather!).toFixed(3)} ms (gather-motions ${gather!.toFixed(3)}): ${results.poseOurs.toFixed(2)} G joints/s, ${results.poseOursWithGather.toFixed(2)} with gather-motions`,
  );
  say(
    `  published  ${published.timed.total.toFixed(3)} ms (${published.timed.steps.map((s) => s.toFixed(2)).join(' + ')}): ${results.posePublished.toFixed(2)} G joints/s`,
  );
  say(`  ratio      ${results.poseRatio.toFixed(1)}`);
}

async function benchSkins(): Promise<void> {
  const model = syntheticModel({ joints: JOINTS, clips: 1, keys: 4, vertices, influences: 4 });
  const vertexFormat = values['vertex-format'] as 'standard' | 'packed' | 'compact';
  const character = packCharacter(model, { vertexFormat });
  say(`\nskin-vertices: ${instances} characters × ${vertices} vertices, 4 influences, ${vertexFormat} vertices`);
  await reportTuning(character);
  // the memory address decides between two speeds, 4 % apart: each side allocates again, and its median counts
  const skins: number[] = [];
  let ours: Float32Array = new Float32Array();
  let palettes: GPUBuffer | undefined;
  let bones = 0;
  for (let round = 0; round < ALLOCATIONS; round++) {
    const crowd = await createCrowd(device, {
      characters: [character],
      capacity: instances,
      maxClips: 1,
      kernels,
      maxVertexBytes: 2 ** 36,
    });
    const group = crowd.spawn(character, { count: instances });
    group.setClips((i) => [{ clip: 0, phase: (i % 97) / 97, speed: 0 }]);
    skins.push((await timeFrames(crowd))['skin-vertices']!);
    ours = await crowd.readVertices(group.id(1));
    palettes?.destroy();
    palettes = copyPalettes(device, crowd);
    bones = internalsOf(crowd).host.tables.types[0]!.paletteStride / 3;
    crowd.destroy();
  }
  const skin = median(skins);
  const streams = { ...streamsOf(model), palettes: palettes! };
  const rounds = [];
  for (let round = 0; round < ALLOCATIONS; round++) {
    rounds.push(await publishedSkin(device, { vertices, instances, bones, ...streams }, 2));
  }
  const published = rounds[0]!;
  const publishedTotals = rounds.map(({ timed }) => timed.total);
  const publishedTotal = median(publishedTotals);
  let difference = 0;
  for (let v = 0; v < vertices; v++) {
    for (let c = 0; c < 3; c++) {
      difference = Math.max(difference, Math.abs(ours[3 * v + c]! - published.rows[4 * (vertices + v) + c]!));
    }
  }
  const floor = await writeFloor(device, vertices * instances);
  const total = vertices * instances;
  results.skinOurs = total / skin / 1e6;
  results.skinPublished = total / publishedTotal / 1e6;
  results.skinRatio = results.skinOurs / results.skinPublished;
  results.skinFloor = total / floor / 1e6;
  say(`  largest difference of positions: ${(difference * 1000).toFixed(4)} mm`);
  const listed = (times: readonly number[]) => times.map((time) => time.toFixed(3)).join(', ');
  say(`  ours       ${listed(skins)} ms: ${results.skinOurs.toFixed(1)} G vertices/s`);
  say(`  published  ${listed(publishedTotals)} ms: ${results.skinPublished.toFixed(1)} G vertices/s`);
  say(`  ratio      ${results.skinRatio.toFixed(2)}; writing alone ${results.skinFloor.toFixed(0)} G vertices/s`);
}

/** Reports tuneSkinning's choice for the mesh, and its measurements. */
async function reportTuning(character: Character): Promise<void> {
  const start = performance.now();
  const { meshes } = await tuneSkinning(device, [character]);
  const [{ variant, source, reason, timed }] = meshes as [TunedMesh];
  const milliseconds = performance.now() - start;
  say(`  tuned (${reason ?? source}, ${milliseconds.toFixed(0)} ms): ${describeVariant(variant)}`);
  for (const { variant: tried, nanoseconds } of timed) {
    say(`    ${describeVariant(tried).padEnd(60)} ${(character.vertexCount / nanoseconds).toFixed(1)} G vertices/s`);
  }
}

/** Median milliseconds of each stage over thirty frames, on a GPU that never waits. */
async function timeFrames(crowd: Crowd): Promise<Readonly<Record<string, number>>> {
  const options = () => ({ dt: 0 });
  const { stages } = await measureFrames(device, crowd, { options, warmUp: WARM_UP, frames: 30, heated: isHardware });
  return stages;
}

/** Weighted sum of the clips' true poses, hemisphere-safe. */
function blendTruth(model: ReturnType<typeof syntheticModel>, playing: readonly Playing[]): Float64Array {
  const out = restPose(model).fill(0);
  for (const { clip, phase, weight } of playing) {
    const pose = evaluatePose(model, model.clips[clip], phase * model.clips[clip]!.duration);
    for (let at = 0; at < pose.length; at += POSE_STRIDE) {
      let dot = 0;
      for (let c = 3; c < 7; c++) dot += pose[at + c]! * out[at + c]!;
      for (let c = 0; c < POSE_STRIDE; c++) {
        out[at + c]! += pose[at + c]! * weight * (c >= 3 && c < 7 && dot < 0 ? -1 : 1);
      }
    }
  }
  for (let at = 0; at < out.length; at += POSE_STRIDE) {
    const length = Math.hypot(...out.subarray(at + 3, at + 7));
    for (let c = 3; c < 7; c++) out[at + c]! /= length;
  }
  return out;
}

import { packCharacter } from '../../character/pack/index.ts';
import type { CharacterModel } from '../../character/model.ts';
import { createCrowd } from '../../crowd/create-crowd.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { internalsOf } from '../../crowd/internals.ts';
import { type BenchRun, LeavesOut, VERTEX_LIMIT } from '../context.ts';
import { FrameLoop } from '../frames.ts';
import { MANIPLE } from '../report.ts';
import { crowdWork } from '../stage-work.ts';
import { syntheticModel } from '../synthetic-model.ts';
import { publishedSkin } from './published-skin.ts';

const JOINTS = 64;

/** One mesh, all characters in poses of their own: skin-vertices compared with the published kernel, on the same palettes. */
export async function runSkins(run: BenchRun): Promise<void> {
  const { device, kind, scene, count, pace, samples } = run;
  if (!device.features.has('timestamp-query')) throw new LeavesOut('the device has no timestamps');
  const vertices = kind === 'hardware' ? 4096 : 1024;
  const { model, character } = await run.once('mesh', () => {
    const made = syntheticModel({ joints: JOINTS, clips: 1, keys: 4, vertices, influences: 4 });
    return { model: made, character: packCharacter(made) };
  });
  const shape = { characters: [character], capacity: count, maxClips: 1, maxVertexBytes: VERTEX_LIMIT };
  const options = { ...shape, skin: 'compute' } as const;
  const crowd = await createCrowd(device, options);
  const group = crowd.spawn(character, { count });
  group.setClips((i) => [{ clip: 0, phase: (i % 97) / 97, speed: 0 }]);
  const loop = new FrameLoop(device, { crowd, options: () => ({ dt: 0 }) }, run.heat);
  await loop.warmUp(pace);
  const work = (await crowdWork(crowd)).filter(({ stage }) => stage === 'skin-vertices');
  const { stages, floors } = await loop.measure(work, pace);
  const row = { scene, count, stage: 'skins', work: count * vertices, unit: 'vertices' };
  const [{ read, written }] = work as [(typeof work)[number]];
  const ours = { samples: stages.get('skin-vertices') ?? [], floorSamples: floors.get('skin-vertices') };
  samples.add({ ...row, subject: MANIPLE, bytes: read + written, ...ours });
  const palettes = copyPalettes(device, crowd);
  const bones = internalsOf(crowd).host.tables.types[0]!.paletteStride / 3;
  crowd.destroy();
  const input = { vertices, instances: count, bones, ...streamsOf(model), palettes };
  const published = await publishedSkin(device, input, 1, pace.frames);
  palettes.destroy();
  samples.add({ ...row, subject: 'published algorithm', samples: published.timed.totals });
}

/** The mesh in the published kernel's streams. */
export function streamsOf({ meshes: [mesh] }: CharacterModel) {
  const { vertexCount, positions, influences } = mesh!;
  const packed = new Uint16Array(vertexCount * 8);
  for (let v = 0; v < vertexCount; v++) {
    for (let i = 0; i < 4; i++) {
      packed[8 * v + i] = influences.bindings[4 * v + i]!;
      // four weights of a quarter, which sum to 1
      packed[8 * v + 4 + i] = i === 0 ? 16386 : 16383;
    }
  }
  const rows = new Float32Array(4 * vertexCount);
  for (let v = 0; v < vertexCount; v++) rows.set(positions.subarray(3 * v, 3 * v + 3), 4 * v);
  const source = new Uint32Array(rows.buffer);
  for (let v = 0; v < vertexCount; v++) source[4 * v + 3] = 0x8080ff80;
  return { positions: source, influences: new Uint32Array(packed.buffer) };
}

/** A copy of the crowd's palettes, for after it is gone. */
export function copyPalettes(device: GPUDevice, crowd: Crowd): GPUBuffer {
  const source = internalsOf(crowd).host.backend.memory!.palettes;
  const copy = device.createBuffer({ size: source.size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(source, 0, copy, 0, source.size);
  device.queue.submit([encoder.finish()]);
  return copy;
}

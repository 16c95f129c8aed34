// Measures pictures of far soldiers by the forward renderer, with and without impostors, in turn: triangles, and milliseconds by pass.
//   [--count 20000] [--pixels 24] [--kits 4] [--clips 6] [--phases 8] [--frames 10] [--rounds 3] [--folder characters] [--json]
//   [--below 24] [--tile 48] [--atlas 64,256] [--directions 16]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createHeater } from '../src/bench/gpu/gpu-heater.ts';
import { median } from '../src/bench/statistics.ts';
import { packCharacter } from '../src/character/pack/index.ts';
import { createCrowd } from '../src/crowd/create-crowd.ts';
import type { Crowd } from '../src/crowd/crowd.ts';
import { internalsOf } from '../src/crowd/internals.ts';
import { readRanges } from '../src/device/read-back.ts';
import { addLods } from '../src/import/index.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { createForwardRenderer, type ForwardRenderer } from '../src/render/forward/forward.ts';
import type { DrawnImpostors } from '../src/render/impostors/quads.ts';
import { createReadableTarget, createVelocityTarget } from '../src/render/target.ts';
import { loadSoldiers } from './tasks/controllers-scene.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    pixels: { type: 'string', default: '24' },
    kits: { type: 'string', default: '4' },
    clips: { type: 'string', default: '6' },
    phases: { type: 'string', default: '8' },
    frames: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    below: { type: 'string', default: '24' },
    tile: { type: 'string', default: '48' },
    atlas: { type: 'string', default: '64,256' },
    directions: { type: 'string', default: '16' },
    folder: { type: 'string', default: path.resolve('characters') },
    json: { type: 'boolean', default: false },
  },
});
const number = (name: Exclude<keyof typeof values, 'folder' | 'json'>) => Number(values[name]);
const [count, kits, clipCount, phases] = [number('count'), number('kits'), number('clips'), number('phases')];
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const [width, height] = kind === 'hardware' ? [1920, 1080] : [320, 180];
// one type: measuring levels takes most of the time until the first frame
const [model] = await loadSoldiers(values.folder);
const character = packCharacter(await addLods(model!, { ratios: [1 / 4, 1 / 8] }));
const crowd = await createCrowd(device, {
  characters: [character],
  capacity: count,
  poseSharing: { belowPx: 200, phases },
});
const side = Math.ceil(Math.sqrt(count / 2));
for (const army of [0, 1]) {
  const group = crowd.spawn(character, {
    count: count / 2,
    place(i, at) {
      const [x, z] = [i % side, Math.floor(i / side)];
      at.position.set(1.6 * (x - side / 2), 0, (army === 0 ? 1 : -1) * (3 + 1.6 * z));
      at.rotation.setYaw((army === 0 ? Math.PI : 0) + 0.3 * Math.sin(i * 7.1));
    },
  });
  // 0.6180: phases of neighbours differ
  group.setClips((i) => [{ clip: i % clipCount, phase: (i * 0.618034) % 1 }]);
  const { parts } = character;
  group.ids.forEach((id, i) => {
    const hidden = parts[parts.length - 1 - (i % kits)];
    if (i % kits > 0 && hidden !== undefined) crowd.hideParts([id], hidden);
  });
}
// 2 m are so many pixels at 200 m
const fovY = 2 * Math.atan((2 * height) / 2 / number('pixels') / 200);
const camera = { eye: [60, 70, 270 + 0.8 * side] as const, target: [0, 0, 0] as const, fovY };
const bounds = { min: [-side, 0, -2 * side], max: [side, 3, 2 * side] } as const;
const sizes = { belowPx: number('below'), tilePx: number('tile'), directions: number('directions') };
const renderers: Record<string, ForwardRenderer> = { meshes: await createForwardRenderer(device, crowd) };
for (const mebibytes of values.atlas.split(',')) {
  const impostors = { ...sizes, atlasBytes: Number(mebibytes) * 2 ** 20 };
  renderers[`impostors, ${mebibytes} MiB`] = await createForwardRenderer(device, crowd, { impostors });
}
const [picture, velocity] = [createReadableTarget(device, width, height), createVelocityTarget(device, width, height)];
const view = { camera, bounds, width, height, target: picture.view, velocity: velocity.view };
const heat = kind === 'hardware' ? createHeater(device) : undefined;

/** Frames before those that count. */
const SKIPPED = 4;
async function measure(renderer: ForwardRenderer, frames: number): Promise<Record<string, number>> {
  const times = new Map<string, number[]>();
  void renderer.timings;
  for (let frame = 0; frame < frames + SKIPPED; frame++) {
    const encoder = device.createCommandEncoder();
    heat?.(encoder);
    const encoded = crowd.encode(encoder, { dt: 1 / 60, views: renderer.crowdViews(view) });
    const drawn = renderer.render(encoder, view);
    device.queue.submit([encoder.finish()]);
    await Promise.all([encoded.submitted(), drawn.submitted()]);
    if (frame < SKIPPED) continue;
    for (const [name, time] of renderer.timings) times.set(name, [...(times.get(name) ?? []), time]);
  }
  const stages = Object.fromEntries(Array.from(times, ([name, all]) => [name, median(all)]));
  return { ...stages, together: Object.values(stages).reduce((sum, time) => sum + time, 0) };
}

/** Triangles that one pass over a picture's draws submits. */
async function trianglesOf(of: Crowd, renderer: ForwardRenderer): Promise<number> {
  const memory = internalsOf(of).host.backend.memory!;
  const far = renderer.impostors as DrawnImpostors | undefined;
  const targets = far ? far.meshes.targets : memory.targets;
  const [bytes] = await readRanges(device, [[targets, 0, memory.targets.size]]);
  const words = new Uint32Array(bytes!);
  const meshes = memory.draws
    .flatMap(({ primitiveBytes }) => primitiveBytes)
    .reduce((sum, byte) => sum + (words[byte / 4]! / 3) * words[byte / 4 + 1]!, 0);
  return meshes + 2 * ((await renderer.impostors?.readStats())?.drawn ?? 0);
}

const print = (line: string) => values.json || console.log(line);
print(`${info.description || info.vendor}: ${count} soldiers at ${width} × ${height}`);
const results: Record<string, unknown>[] = [];
for (let round = 0; round < number('rounds'); round++) {
  for (const [name, renderer] of Object.entries(renderers)) {
    // all tiles are drawn before anything counts
    if (round === 0 && renderer.impostors) await measure(renderer, 80);
    const stages = await measure(renderer, number('frames'));
    const triangles = await trianglesOf(crowd, renderer);
    const stats = await renderer.impostors?.readStats();
    results.push({ name, triangles, ...stages, ...stats });
    const line = Object.entries(stages).map(([stage, time]) => `${stage} ${time.toFixed(3)}`);
    print(`${name}: ${triangles} triangles; ms: ${line.join(', ')}${stats ? `; ${JSON.stringify(stats)}` : ''}`);
  }
}
print(`frame ${JSON.stringify(await crowd.readStats())}`);
for (const [name, { impostors }] of Object.entries(renderers)) {
  if (impostors) print(`${name}: ${impostors.tileCount} tiles, ${(impostors.byteLength / 1e6).toFixed(1)} MB`);
}
if (values.json) console.log(JSON.stringify({ adapter: info, results }));
process.exit(0);

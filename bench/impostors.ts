// Measures pictures of far soldiers, with and without impostors, in turn: triangles, and milliseconds by pass.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createHeater } from '../src/bench/gpu/gpu-heater.ts';
import { median } from '../src/bench/statistics.ts';
import { packCharacter } from '../src/character/pack/index.ts';
import { createCrowd } from '../src/crowd/create-crowd.ts';
import { internalsOf } from '../src/crowd/internals.ts';
import { readRanges } from '../src/device/read-back.ts';
import { addLods } from '../src/import/index.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { createForwardRenderer, type ForwardRenderer } from '../src/render/forward/forward.ts';
import type { ImpostorOptions } from '../src/render/impostors/options.ts';
import type { DrawnImpostors } from '../src/render/impostors/quads.ts';
import { createReadableTarget, createVelocityTarget } from '../src/render/target.ts';
import { createVisibilityRenderer, type VisibilityRenderer } from '../src/render/visibility/visibility.ts';
import { loadSoldiers } from './tasks/controllers-scene.ts';

const HELP = `Pictures of far soldiers, with and without impostors, in turn: triangles, and GPU milliseconds by pass.
  --renderer KIND   forward (default) or visibility
  --count N         soldiers (default 20000; 60 on a software adapter)
  --pixels N        height of a soldier in the middle of the army (default 24)
  --kits N          sets of shown parts (default 4)
  --clips N         clips (default 6), and --phases N shared poses of each (default 8)
  --rounds N        rounds (default 3; 1 on a software adapter)
  --frames N        measured frames of a round (default 10; 1 on a software adapter)
  --settle N        frames before, in which tiles are drawn (default 80; 2 on a software adapter)
  --atlas LIST      MiB of atlases to compare, comma-separated; 'default' is the renderer's own (default)
  --below N         impostors are smaller, pixels (default 24)
  --tile N          texels along a tile (default 48)
  --directions N    cells of directions each way (default 16)
  --folder DIR      where legionary.glb is (default characters)
  --json            results as JSON
  --help`;

const { values } = parseArgs({
  options: {
    renderer: { type: 'string', default: 'forward' },
    count: { type: 'string' },
    pixels: { type: 'string', default: '24' },
    kits: { type: 'string', default: '4' },
    clips: { type: 'string', default: '6' },
    phases: { type: 'string', default: '8' },
    frames: { type: 'string' },
    rounds: { type: 'string' },
    settle: { type: 'string' },
    below: { type: 'string', default: '24' },
    tile: { type: 'string', default: '48' },
    atlas: { type: 'string', default: 'default' },
    directions: { type: 'string', default: '16' },
    folder: { type: 'string', default: path.resolve('characters') },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (values.renderer !== 'forward' && values.renderer !== 'visibility') {
  console.error(`--renderer is '${values.renderer}'. Give forward or visibility.`);
  process.exit(1);
}
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const isHardware = kind === 'hardware';
const number = (name: 'pixels' | 'kits' | 'clips' | 'phases' | 'below' | 'tile' | 'directions') => Number(values[name]);
const count = Number(values.count ?? (isHardware ? 20_000 : 60));
const rounds = Number(values.rounds ?? (isHardware ? 3 : 1));
const frameCount = Number(values.frames ?? (isHardware ? 10 : 1));
const settled = Number(values.settle ?? (isHardware ? 80 : 2));
const [kits, clipCount, phases] = [number('kits'), number('clips'), number('phases')];
const [width, height] = isHardware ? [1920, 1080] : [320, 180];
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
type BenchRenderer = ForwardRenderer | VisibilityRenderer;
function createRenderer(impostors?: ImpostorOptions): Promise<BenchRenderer> {
  const shadows = isHardware ? {} : { shadowResolution: 512, cascadeCount: 1 };
  const sampleCount = values.renderer === 'forward' && isHardware ? 4 : 1;
  const options = { sampleCount, ...shadows, ...(impostors && { impostors }) } as const;
  return values.renderer === 'forward'
    ? createForwardRenderer(device, crowd, options)
    : createVisibilityRenderer(device, crowd, options);
}
const renderers: Record<string, BenchRenderer> = { meshes: await createRenderer() };
for (const mebibytes of values.atlas.split(',')) {
  const atlas = mebibytes === 'default' ? {} : { atlasBytes: Number(mebibytes) * 2 ** 20 };
  const renderer = await createRenderer({ ...sizes, ...atlas });
  renderers[`impostors, ${renderer.impostors!.tileCount} tiles`] = renderer;
}
const [picture, velocity] = [createReadableTarget(device, width, height), createVelocityTarget(device, width, height)];
const view = { camera, bounds, width, height, target: picture.view, velocity: velocity.view };
const heat = isHardware ? createHeater(device) : undefined;

/** Frames before those that count. */
const SKIPPED = isHardware ? 4 : 1;
async function measure(renderer: BenchRenderer, frames: number): Promise<Record<string, number>> {
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

/** Triangles that one pass over a picture's draws submits, or that the filter keeps for the picture. */
async function trianglesOf(renderer: BenchRenderer): Promise<number> {
  if ('readStats' in renderer) {
    const { kept } = (await renderer.readStats())!;
    return kept[0]!.compute + kept[0]!.hardware;
  }
  const memory = internalsOf(crowd).host.backend.memory!;
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
print(`${info.description || info.vendor}: ${count} soldiers at ${width} × ${height}, ${values.renderer} renderer`);
const results: Record<string, unknown>[] = [];
for (let round = 0; round < rounds; round++) {
  for (const [name, renderer] of Object.entries(renderers)) {
    // all tiles are drawn before anything counts
    if (round === 0 && renderer.impostors) await measure(renderer, settled);
    const stages = await measure(renderer, frameCount);
    const triangles = await trianglesOf(renderer);
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

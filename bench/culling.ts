// Measures cull-characters on characters that stand in a square, seen by views from its middle to all sides.
//   [--characters 1000000; 10000 on a software adapter] [--views 4] [--bins 8] [--json]
import { parseArgs } from 'node:util';
import { nodeDevice } from '../src/device/node.ts';
import { View } from '../src/layout/index.ts';
import { clipFromWorld } from '../src/render/camera.ts';
import { BinRange, cullGroups, CullBin, CullParams, VIEW_PLANES } from '../src/stages/cull-characters/layout.ts';
import { viewPlanes } from '../src/stages/cull-characters/planes.ts';
import { createCullCharacters } from '../src/stages/cull-characters/stage.ts';
import { Transform, VisibleCharacter } from '../src/stages/layout.ts';
import { readRanges } from '../src/frame/read-back.ts';
import { timePasses } from './tasks/controllers-timer.ts';

const { values } = parseArgs({
  options: {
    characters: { type: 'string' },
    views: { type: 'string', default: '4' },
    bins: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const count = Number(values.characters ?? (kind === 'hardware' ? 1_000_000 : 10_000));
const [viewCount, binCount] = [Number(values.views), Number(values.bins)];
const side = Math.ceil(Math.sqrt(count));

const upload = (data: Uint32Array<ArrayBuffer>, usage: number = GPUBufferUsage.STORAGE): GPUBuffer => {
  const buffer = device.createBuffer({
    size: data.byteLength,
    usage: usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
  });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
};
const params = new View(CullParams, 1);
params.assign(0, { homeCount: count, binCount, viewCount, motionRows: 24 });
const planes = new Float32Array(params.words.buffer, CullParams.offsets.planes);
for (let view = 0; view < viewCount; view++) {
  const turn = (2 * Math.PI * view) / viewCount;
  const target = [Math.cos(turn), 2, Math.sin(turn)] as const;
  planes.set(viewPlanes(clipFromWorld({ eye: [0, 2, 0], target, fovY: 0.5 }, 16 / 9)), 4 * VIEW_PLANES * view);
}
const homes = new View(VisibleCharacter, count);
const transforms = new View(Transform, count);
for (let i = 0; i < count; i++) {
  homes.assign(i, { character: i, bin: (i * 7919) % binCount });
  transforms.assign(i, {
    position: [(i % side) - side / 2, 0, Math.floor(i / side) - side / 2],
    scale: 1,
    rotation: [0, 0, 0, 1],
  });
}
const bins = new View(CullBin, binCount);
for (let bin = 0; bin < binCount; bin++) bins.assign(bin, { center: [0, 1, 0], radius: 1.5 });
const buffers = {
  params: upload(params.words, GPUBufferUsage.UNIFORM),
  homes: upload(homes.words),
  transforms: upload(transforms.words),
  bins: upload(bins.words),
  masks: upload(new Uint32Array(count)),
  counts: upload(new Uint32Array(binCount * cullGroups(count))),
  ranges: upload(new Uint32Array(2 * (binCount + 1))),
  visible: upload(new Uint32Array(homes.words.length)),
};
const names = ['cull', 'scan', 'place', 'list'];
const dispatches = createCullCharacters(device).bind(buffers, count, binCount);
const times = await timePasses(device, [
  ...dispatches.map((dispatch, i) => ({ name: names[i]!, dispatches: [dispatch] })),
  { name: 'all', dispatches },
]);
const [ranges] = await readRanges(device, [[buffers.ranges, 0, buffers.ranges.size]]);
const seen = new View(BinRange, ranges!).get(binCount, 'count');
if (values.json)
  console.log(JSON.stringify({ adapter: info, characters: count, views: viewCount, bins: binCount, seen, times }));
else {
  console.log(info.description || info.vendor);
  console.log(`${count} characters, ${viewCount} views, ${binCount} bins: ${seen} are seen`);
  for (const [name, milliseconds] of Object.entries(times))
    console.log(`  ${name.padEnd(6)} ${milliseconds.toFixed(3)} ms`);
}
process.exit(0);

// Measures filter-triangles and raster-triangles: ovals of 900 triangles, each in a slot of its own, at 1920 × 1080.
import { nodeDevice } from '../src/node/node-gpu.ts';
import { Timings } from '../src/device/timings.ts';
import { readRanges } from '../src/device/read-back.ts';
import { bindPasses, TRIANGLE_PASSES } from '../src/render/visibility/passes.ts';
import { RasterTarget } from '../src/render/visibility/raster-target.ts';
import { TriangleTables } from '../src/render/visibility/triangle-tables.ts';
import { tuneHardwareRaster } from '../src/render/visibility/tune-raster.ts';
import { triangleViews } from '../src/render/visibility/views.ts';
import { createSpan } from '../src/bench/gpu/gpu-span.ts';
import { createHeater } from '../src/bench/gpu/gpu-heater.ts';
import { median } from '../src/bench/statistics.ts';
import { createIndexedDraw } from './tasks/indexed-draw.ts';
import { ovalScene } from './tasks/triangle-scene.ts';
import { readOptions } from './tasks/read-options.ts';

const values = readOptions(
  'Measures filter-triangles and raster-triangles: ovals of 900 triangles, each in a slot of its own, at 1920 × 1080.',
  {
    instances: { type: 'string', value: 'N', help: 'ovals', defaultText: '20000; 200 on a software adapter' },
    size: { type: 'string', value: 'WxH', default: '1920x1080', help: 'size of the picture' },
    rounds: { type: 'string', value: 'N', default: '20', help: 'measured rounds' },
    'hardware-size': {
      type: 'string',
      value: 'PIXELS',
      default: 'Infinity',
      help: "size across from which on the hardware's rasteriser draws an instance",
    },
    'warm-up': { type: 'string', value: 'MS', default: '500', help: 'milliseconds before any round is measured' },
    tune: { type: 'boolean', default: false, help: 'instead: what tuneHardwareRaster measures, and chooses' },
  },
);
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
if (values.tune) await tune();
const instances = Number(values.instances ?? (kind === 'hardware' ? 20_000 : 200));
const [width, height] = values.size.split('x').map(Number) as [number, number];
const gridSteps = kind === 'hardware' ? 256 : 16;

const scene = ovalScene(device, instances, width / height);
const { source } = scene;
const tables = new TriangleTables(device, [source], 1);
const view = { clipFromWorld: scene.clipFromWorld, width, height, hardwareSize: Number(values['hardware-size']) };
device.queue.writeBuffer(tables.buffers.views, 0, triangleViews([view], { ...tables.viewParams, gridSteps }));
const target = new RasterTarget(device, 'picture', { width, height });
const timings = new Timings(device, [...TRIANGLE_PASSES.map(({ name }) => name), 'indexed']);
const recordPasses = bindPasses(TRIANGLE_PASSES, { device, tables, targets: [target] });
const indexedDraw = createIndexedDraw(device, scene, { width, height });
const heat = createHeater(device);
const whole = createSpan(device);

const measured: Record<string, number[]> = {};
const start = performance.now();
for (let round = 0; round < Number(values.rounds) || performance.now() - start < Number(values['warm-up']); round++) {
  const encoder = device.createCommandEncoder();
  if (kind === 'hardware') heat(encoder);
  whole.begin(encoder);
  recordPasses({ encoder, isFirst: true, timings });
  whole.end(encoder);
  indexedDraw.record(encoder, timings.writes('indexed'));
  const read = timings.resolve(encoder);
  device.queue.submit([encoder.finish()]);
  await read();
  (measured['filter + raster, with clears'] ??= []).push(await whole.read());
  for (const [name, time] of timings.latest) (measured[name] ??= []).push(time);
}
const [listWords] = await readRanges(device, [[tables.buffers.lists, 0, 8]]);
const kept = Array.from(new Uint32Array(listWords!));
await expectSamePicture();
const triangles = scene.triangles * instances;
const times = Object.fromEntries(
  Object.entries(measured).map(([name, list]) => [name, median(list.slice(-Number(values.rounds)))]),
);
if (values.json) console.log(JSON.stringify({ adapter: info, instances, triangles, kept, times }));
else {
  console.log(info.description || info.vendor);
  console.log(
    `${triangles} triangles of ${instances} instances, ${kept.join(' + ')} kept (compute + hardware), ${width} × ${height}`,
  );
  for (const [name, time] of Object.entries(times)) console.log(`  ${name.padEnd(32)} ${time.toFixed(3)} ms`);
  console.log(
    `  filter-triangles                 ${(triangles / times['filter-triangles']! / 1e6).toFixed(1)} G triangles/s`,
  );
}
process.exit(0);

/** Fails where the two draws cover different pixels, because then they do not draw the same triangles. */
async function expectSamePicture(): Promise<void> {
  const { visibility } = target.layers[0]!;
  const [bytes] = await readRanges(device, [[visibility, 0, visibility.size]]);
  const words = new Uint32Array(bytes!);
  let covered = 0;
  for (let w = 0; w < words.length; w += target.pixelWords) if (words[w] || words[w + 1]) covered++;
  const byHardware = await indexedDraw.readCovered();
  if (Math.abs(covered - byHardware) <= 0.01 * byHardware) return;
  throw new Error(
    `raster-triangles covers ${covered} pixels and the indexed draw ${byHardware}: they must differ by 1 % at most.`,
  );
}

async function tune(): Promise<never> {
  const start = performance.now();
  const { timed, ...chosen } = await tuneHardwareRaster(device);
  const seconds = (performance.now() - start) / 1e3;
  if (values.json) console.log(JSON.stringify({ adapter: info, ...chosen, seconds, timed }));
  else {
    console.log(`${info.description || info.vendor}: ${seconds.toFixed(1)} s`);
    console.log('of         pixels across   compute ms   hardware ms');
    for (const { of, size, compute, hardware } of timed) {
      const columns = [String(size).padStart(13), compute.toFixed(3).padStart(12), hardware.toFixed(3).padStart(13)];
      console.log(`${of.padEnd(10)} ${columns.join(' ')}`);
    }
    for (const [name, value] of Object.entries(chosen)) console.log(`  ${name.padEnd(14)} ${value}`);
  }
  process.exit(0);
}

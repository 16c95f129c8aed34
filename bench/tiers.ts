// Soldiers in a browser: three.js's mixers, the WebGL 2 tier and the host of the core tier, frame by frame in turn; and memory per tier.
import { REVISION } from 'three/webgpu';
import { openTiers } from './tasks/open-tiers.ts';
import { readOptions } from './tasks/read-options.ts';

const ABOUT =
  "CPU time of a frame in Chromium, in one run: mixers, the WebGL 2 tier, the core tier's host. Memory of each tier.";
const values = readOptions(ABOUT, {
  count: { type: 'string', multiple: true, value: 'N', default: ['100', '500', '1000'], help: 'characters' },
  frames: { type: 'string', value: 'N', default: '120', help: 'measured frames of each' },
  memory: { type: 'boolean', default: false, help: 'memory instead of times, of the largest count' },
  folder: { type: 'string', value: 'DIR', default: 'characters', help: 'where legionary.glb is' },
});
const say = (line: string) => values.json || console.log(line);
const counts = values.count.map(Number);
const opened = await openTiers(values.folder);
const { page, errors, joints } = opened;
say(`three.js r${REVISION}; a legionary of ${joints} joints at four levels of detail`);
const results = values.memory ? await countMemory() : await measureTimes();
await opened.close();
if (errors.length > 0) throw new Error(errors[0]);
if (values.json) console.log(JSON.stringify({ three: REVISION, joints, results }));
process.exit(0);

async function measureTimes() {
  const measured: object[] = [];
  say('CPU milliseconds a frame');
  for (const count of counts) {
    const times = await page.evaluate((options) => window.tierBench.measure(options), {
      count,
      frames: Number(values.frames),
    });
    const { full, webgl2, mixers, listed, posed, posedInCore, ...others } = times;
    const ratios = { 'mixers ÷ full': mixers / full, 'mixers ÷ webgl2': mixers / webgl2 };
    const row = { ...others, mixers, full, webgl2, ...ratios, listed, posed, posedInCore };
    if (measured.length === 0) say(Object.keys(row).map(padded).join(''));
    say(
      Object.entries(row)
        .map(([name, value]) => (Number.isInteger(value) ? String(value) : value.toFixed(2)).padStart(widthOf(name)))
        .join(''),
    );
    measured.push(row);
  }
  return measured;
}

async function countMemory() {
  const rows = await page.evaluate((count) => window.tierBench.memory(count), Math.max(...counts));
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1).padStart(18);
  say(`MB of ${rows[0]!.count} characters${'crowd.byteLength'.padStart(36)}${'on the GPU'.padStart(18)}`);
  for (const { tier, renderer, crowd, gpu } of rows) say(`${`${tier}, ${renderer}`.padEnd(38)}${mb(crowd)}${mb(gpu)}`);
  return rows;
}

function widthOf(name: string): number {
  return Math.max(8, name.length + 1);
}

function padded(name: string): string {
  return name.padStart(widthOf(name));
}

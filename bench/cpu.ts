// Characters on the CPU: the CPU backend beside three.js's mixers, frame by frame in turn, and state machines beside PlayCanvas's.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { REVISION } from 'three/webgpu';
import { median } from '../src/bench/statistics.ts';
import { importGltf } from '../src/import/index.ts';
import { type CpuCrowds, cpuCrowds } from './tasks/cpu-crowds.ts';
import { TwinSoldiers } from './tasks/cpu-machines.ts';
import { performerOf } from './tasks/performers.ts';
import { loadSoldiers, soldierScene } from './tasks/controllers-scene.ts';
import { readOptions } from './tasks/read-options.ts';

const ABOUT =
  "CPU time of animating soldiers, in one run: the CPU backend beside three.js's mixers, and state machines beside PlayCanvas's.";
const values = readOptions(ABOUT, {
  count: { type: 'string', multiple: true, value: 'N', default: ['100', '500', '1000'], help: 'characters' },
  frames: { type: 'string', value: 'N', default: '120', help: 'measured frames of each' },
  machines: {
    type: 'string',
    value: 'N',
    default: '5000',
    help: 'soldiers with two state machines each, beside PlayCanvas; 0: none',
  },
  host: {
    type: 'boolean',
    default: false,
    help: "also the main thread of a crowd on the device (MANIPLE_GPU=null: without the GPU's own work)",
  },
  folder: { type: 'string', value: 'DIR', default: 'characters', help: 'where legionary.glb and raider.glb are' },
});

const DT = 1 / 60;
/** Frames before those that count. */
const WARM_UP = 30;
const STAGES = ['step-controllers', 'cull-characters', 'gather-motions', 'pose-joints', 'keep-palettes'] as const;
const say = (line: string) => values.json || console.log(line);
const frames = Number(values.frames);

const bytes = readFileSync(path.join(values.folder, 'legionary.glb'));
const performer = await performerOf(await importGltf({ name: 'legionary', bytes }));
const device = values.host ? (await (await import('../src/node/node-gpu.ts')).nodeDevice()).device : undefined;

const results: Record<string, number>[] = [];
say(`three.js r${REVISION}; a legionary of ${performer.character.joints.length} joints; CPU milliseconds a frame`);
const names = ['characters', 'clips', 'mixers', 'backend', 'ratio', ...(device ? ['host'] : []), ...STAGES];
say(names.map((name) => name.padStart(Math.max(8, name.length + 1))).join(''));
for (const count of values.count.map(Number)) {
  const crowds = await cpuCrowds(performer, count, device);
  const row = { count, clips: crowds.clipsPerCharacter, ...(await measure(crowds)) };
  results.push(row);
  const cells = [row.count, row.clips, row.mixers, row.backend, row.ratio, ...(device ? [row.host] : [])];
  const stages = STAGES.map((stage) => (row as Record<string, number>)[stage]!);
  const text = [...cells, ...stages].map((value, i) => (i === 0 ? String(value) : value!.toFixed(2)));
  say(text.map((cell, i) => cell.padStart(Math.max(8, names[i]!.length + 1))).join(''));
  crowds.destroy();
}
const machines = Number(values.machines) > 0 ? await measureMachines(Number(values.machines)) : undefined;
if (values.json) console.log(JSON.stringify({ three: REVISION, frames, results, machines }));
process.exit(0);

interface Times {
  readonly mixers: number;
  readonly backend: number;
  readonly ratio: number;
  readonly host: number;
}

/** Lower quartiles of milliseconds: other processes lengthen some frames. */
async function measure({ crowd, views, host, mix, drive }: CpuCrowds): Promise<Times> {
  const times: Record<string, number[]> = { mixers: [], backend: [], host: [] };
  const put = (name: string, value: number) => (times[name] ??= []).push(value);
  for (let frame = 0; frame < frames + WARM_UP; frame++) {
    drive();
    const mixers = timeOf(() => mix(DT));
    const backend = timeOf(() => crowd.update({ dt: DT, views }));
    const stages = STAGES.map((stage) => [stage, crowd.timings.get(stage) ?? 0] as const);
    const hostTime = timeOf(() => host?.update({ dt: DT, views }));
    await Promise.all([crowd.workDone(), host?.workDone()]);
    if (frame < WARM_UP) continue;
    put('mixers', mixers);
    put('backend', backend);
    put('host', hostTime);
    for (const [stage, time] of stages) put(stage, time);
  }
  const quartile = (list: readonly number[]) => [...list].sort((a, b) => a - b)[list.length >> 2]!;
  const low = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, quartile(list)]));
  return { ...(low as unknown as Times), ratio: low.mixers! / low.backend! };
}

function timeOf(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Steps of the same soldiers in turn. */
async function measureMachines(count: number): Promise<Record<string, number>> {
  const { version } = await import('playcanvas');
  const { playCanvasSoldiers } = await import('../src/bench/baselines/playcanvas.ts');
  const scene = soldierScene(await loadSoldiers(values.folder));
  const ours = new TwinSoldiers(scene, count);
  const theirs = playCanvasSoldiers(scene.characters[0]!, count, 60);
  const times: [number, number][] = [];
  for (let step = 0; step < 60; step++) times.push([ours.step() / ours.machines, theirs.step() / theirs.machines]);
  const [twin, playcanvas] = [0, 1].map((side) => 1 / (1000 * median(times.slice(-30).map((pair) => pair[side]!))));
  say(
    `\nstate machines a second, millions: CPU backend ${twin!.toFixed(2)}, PlayCanvas ${version} ${playcanvas!.toFixed(2)}`,
  );
  say(`CPU backend ÷ PlayCanvas ${(twin! / playcanvas!).toFixed(2)}`);
  return { soldiers: count, twin: twin!, playcanvas: playcanvas!, ratio: twin! / playcanvas! };
}

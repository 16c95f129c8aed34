// Crowds in three.js, the same in five ways: what a frame costs the CPU and the GPU.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Object3D, REVISION } from 'three/webgpu';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { importGltf } from '../src/import/index.ts';
import { decodeImage, encodePng } from '../src/render/images/index.ts';
import { computedSkins } from '../src/bench/three/computed-skins.ts';
import { manipleAsUsed, manipleSameWork } from '../src/bench/three/maniple-crowds.ts';
import { countMemory, type CrowdMemory, memoryLine } from '../src/bench/three/memory.ts';
import { differenceOf, meanDifference, type Picture } from '../src/bench/three/pictures.ts';
import { planOf } from '../src/bench/three/plan.ts';
import { measureSubject, type Measured, pictureOfSubject, type Setting, typicalOf } from '../src/bench/three/run.ts';
import { skinnedMeshes } from '../src/bench/three/skinned-meshes.ts';
import { soldierOf } from '../src/bench/three/soldier.ts';
import { DoesNotFit, type MakeSubject } from '../src/bench/three/subject.ts';
import { HEADER, rowOf } from '../src/bench/three/table.ts';
import { vertexTextures } from '../src/bench/three/vertex-textures.ts';
import { readOptions } from './tasks/read-options.ts';

const SUBJECTS: Readonly<Record<string, MakeSubject>> = {
  empty: () => ({ object: new Object3D(), step: () => undefined, dispose: () => undefined }),
  mixers: skinnedMeshes,
  'compute-skinning': computedSkins,
  'vertex-texture': vertexTextures,
  maniple: manipleSameWork,
  'maniple-as-used': manipleAsUsed,
};
/**
 * How much of what a tenth of a second changes a subject's picture may be off from three's own: those that blend baked frames or
 * draw coarser meshes are off by nature.
 */
const DIFFERENCE_LIMIT: Readonly<Record<string, number>> = { 'vertex-texture': 0.3, 'maniple-as-used': 0.5 };
const COMMON_LIMIT = 0.1;
const LOOKED_AT = 100;
/** Codes of 255, on average over a picture, by which two revisions may differ. */
const BEFORE_LIMIT = 0.5;

const ABOUT = "Frame cost of crowds in three.js, the same in several ways: CPU and GPU, on this machine's WebGPU.";
const values = readOptions(ABOUT, {
  count: {
    type: 'string',
    multiple: true,
    value: 'N',
    help: 'characters',
    defaultText: '100, 1000, on a GPU also 10000',
  },
  subjects: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    default: Object.keys(SUBJECTS),
    help: 'ways to draw the crowd',
  },
  size: { type: 'string', value: 'WxH', help: 'size of the picture', defaultText: '1920x1080 on a GPU, else 640x360' },
  shadows: {
    type: 'string',
    multiple: true,
    value: 'on|off',
    default: ['off', 'on'],
    help: 'with one shadow map, or without',
  },
  frames: { type: 'string', value: 'N', help: 'measured frames of each kind', defaultText: '60 on a GPU, else 6' },
  seconds: { type: 'string', value: 'S', default: '4', help: 'seconds after which four frames are enough' },
  rounds: {
    type: 'string',
    value: 'N',
    help: 'rounds of all subjects; medians count, on a software adapter the least',
    defaultText: '3 on a GPU, else 2',
  },
  ratio: { type: 'string', value: 'R', default: '0.5', help: "share of the character's triangles that is kept" },
  folder: { type: 'string', value: 'DIR', default: 'characters', help: 'where legionary.glb is' },
  out: { type: 'string', value: 'DIR', default: 'out/three', help: 'where pictures are written' },
  pictures: { type: 'boolean', default: true, help: 'skips the comparison of pictures' },
  before: {
    type: 'string',
    value: 'DIR',
    help: `compares pictures with those of an earlier run; they may differ by ${BEFORE_LIMIT} codes`,
  },
  memory: {
    type: 'boolean',
    default: false,
    help: "only counts the crowd's memory, for both ways of skinning, with one copy and with two",
  },
});
const subjects = values.subjects.map((name) => {
  const make = SUBJECTS[name];
  if (!make) throw new Error(`there is no subject ${name}: use ${Object.keys(SUBJECTS).join(', ')}.`);
  return { name, make };
});
const { device, info, kind } = await nodeDevice();
const problems: string[] = [];
device.addEventListener('uncapturederror', ({ error }) => problems.push(error.message));
const isHardware = kind === 'hardware';
const [width, height] = (values.size ?? (isHardware ? '1920x1080' : '640x360')).split('x').map(Number);
const size = { width: width!, height: height! };
const budget = { frames: Number(values.frames ?? (isHardware ? 60 : 6)), seconds: Number(values.seconds) };
const rounds = Number(values.rounds ?? (isHardware ? 3 : 2));
const counts = (values.count ?? (isHardware ? ['100', '1000', '10000'] : ['100', '1000'])).map(Number);

const bytes = readFileSync(path.join(values.folder, 'legionary.glb'));
const soldier = await soldierOf(await importGltf({ name: 'legionary', bytes }), Number(values.ratio));
const durations = soldier.animations.map(({ duration }) => duration);
const print = (line: string) => values.json || console.log(line);
const character = {
  vertices: soldier.vertexCount,
  triangles: soldier.triangleCount,
  bones: soldier.mesh.skeleton.bones.length,
  clips: durations.length,
};
print(`${info.description || info.vendor}, three.js r${REVISION}, ${size.width} × ${size.height}`);
print(
  `a soldier: ${Object.entries(character)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ')}`,
);

if (values.memory) {
  const rows: CrowdMemory[] = [];
  print(`\n${'MB'.padEnd(48)}${['crowd', 'three', 'all'].map((name) => name.padStart(8)).join('')}`);
  for (const count of counts) {
    const counted = await countMemory(planOf(count, durations), settingOf(false));
    if (problems.length > 0) throw new Error(problems[0]);
    for (const row of counted) print(memoryLine(row));
    rows.push(...counted);
  }
  if (values.json) console.log(JSON.stringify({ adapter: info, three: REVISION, size, character, memory: rows }));
  process.exit(0);
}

const pictures = values.pictures ? await comparePictures() : {};
const results: object[] = [];
for (const shadows of values.shadows) {
  const setting = settingOf(shadows === 'on');
  for (const count of counts) {
    print(`\n${count} characters, shadows ${shadows}\n${HEADER}`);
    const plan = planOf(count, durations);
    const runs = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]));
    const misfits = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      for (const { name, make } of subjects) {
        if (misfits.has(name)) continue;
        try {
          runs.get(name)!.push(await measureSubject(make, plan, setting, budget));
          if (problems.length > 0) throw new Error(problems.splice(0)[0]);
        } catch (thrown) {
          misfits.set(
            name,
            `${thrown instanceof DoesNotFit ? 'does not fit' : 'failed'}: ${(thrown as Error).message}`,
          );
        }
      }
    }
    for (const { name } of subjects) {
      const reason = misfits.get(name);
      const measured = reason === undefined ? typical(setting, runs.get(name)!) : undefined;
      print(measured ? rowOf(name, measured) : `${name.padEnd(18)} ${reason}`);
      results.push({ subject: name, count, shadows, ...(measured ?? { reason }), runs: runs.get(name) });
    }
  }
}
if (values.json) console.log(JSON.stringify({ adapter: info, three: REVISION, size, character, pictures, results }));
process.exit(0);

function settingOf(shadows: boolean): Setting {
  const shadowTexels = shadows ? (isHardware ? 2048 : 512) : undefined;
  return { device, isHardware, soldier, size, shadowTexels };
}

/** All have to show the same, or they cannot be compared. */
async function comparePictures(): Promise<Record<string, number>> {
  mkdirSync(values.out, { recursive: true });
  const [plan, setting] = [planOf(LOOKED_AT, durations), settingOf(values.shadows.includes('on'))];
  const seen = new Map<string, Picture>();
  for (const name of new Set(['empty', 'mixers', ...subjects.map((subject) => subject.name)])) {
    const picture = await pictureOfSubject(SUBJECTS[name]!, plan, setting);
    if (problems.length > 0) throw new Error(`${name}: ${problems[0]}`);
    seen.set(name, picture);
    await compareWithBefore(name, picture);
    writeFileSync(path.join(values.out, `${name}.png`), await encodePng(picture));
  }
  const differenceFrom = (picture: Picture) => differenceOf(picture, seen.get('mixers')!, seen.get('empty')!);
  const moved = differenceFrom(await pictureOfSubject(SUBJECTS.mixers!, plan, setting, 0.1));
  const differences: Record<string, number> = { 'mixers, a tenth of a second later': moved };
  for (const [name, picture] of seen)
    if (name !== 'empty' && name !== 'mixers') differences[name] = differenceFrom(picture);
  print('\nCodes of 255 by which pictures differ from that of mixers, where there is anybody:');
  for (const [name, difference] of Object.entries(differences)) print(`${name.padEnd(36)} ${difference.toFixed(2)}`);
  for (const { name } of subjects) {
    const limit = (DIFFERENCE_LIMIT[name] ?? COMMON_LIMIT) * moved;
    if (name in differences && !(differences[name]! <= limit)) throw new Error(`${name} shows something else.`);
  }
  return differences;
}

/** Compares a picture with that of an earlier revision, if it drew one. */
async function compareWithBefore(name: string, picture: Picture): Promise<void> {
  if (values.before === undefined) return;
  const file = path.join(values.before, `${name}.png`);
  if (!existsSync(file)) return void print(`${name}: there is no ${file}`);
  const difference = meanDifference(picture, await decodeImage(readFileSync(file), 'image/png', file));
  print(`${name} differs from ${file} by ${difference.toFixed(4)} codes of 255`);
  if (!(difference <= BEFORE_LIMIT)) throw new Error(`${name} shows something else than before.`);
}

/** Over rounds, each number for itself. */
function typical(setting: Setting, runs: readonly Measured[]): Measured {
  const keys = Object.keys(runs[0]!) as (keyof Measured)[];
  const numbers = keys.map((key) => [
    key,
    typicalOf(
      setting,
      runs.map((run) => run[key]),
    ),
  ]);
  return Object.fromEntries(numbers) as unknown as Measured;
}

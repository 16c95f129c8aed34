// Packs the clips of every shared file within 0.1 mm and writes bytes, error and times to docs/tables/clips.md, beside ACL's figures for
// recorded clips; with --check it only measures. Exits 1 when an error is over the budget, or recorded clips take too many bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Character } from '../src/character/character.ts';
import { ClipPoses } from '../src/character/pack/joint-chain.ts';
import type { CharacterModel, ClipModel } from '../src/character/model.ts';
import { PackedPoses } from '../src/character/packed-poses.ts';
import { packCharacter } from '../src/character/pack/index.ts';
import { loadModel } from '../src/import/index.ts';
import { referencedFiles } from '../test/support/references.ts';
import { shared } from '../test/support/shared.ts';
import { root } from './shader-sources.ts';

/** Metres. */
const BUDGET = 0.0001;
/** Bytes of a joint and sample that recorded clips may take. */
const RECORDED_LIMIT = 4.6;
const RECORDED = ['bandai1', 'cmu02'] as const;
/** Poses of each clip that are timed, at times in no order; and seconds to measure for. */
const POSES = 64;
const POSE_SECONDS = 0.2;
/** ACL's settings that come closest to the budget. */
const ACL_SETTINGS = 'medium, threshold 0.005 cm';

interface AclFigures {
  readonly clip: string;
  readonly file: string;
  readonly acl: Readonly<Record<string, { readonly bytes: number; readonly maxErrorMm: number }>>;
}

const acl = JSON.parse(readFileSync(path.join(shared, 'mocap/compression.json'), 'utf8')) as readonly AclFigures[];
const rows = [
  '| file | clips | joints | samples | bytes | bytes a joint and sample | error, mm | packed in, ms | posed in, ns a joint | by keys of the source | forms | ACL 2.1: bytes | error, mm |',
  '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- | --: | --: |',
];
let failed = 0;

const samplesOf = ({ tracks }: ClipModel) => Math.max(0, ...tracks.map(({ times }) => times.length));
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Nanoseconds a joint of composing all clips at times in no order: the best of several rounds. */
function timePoses(model: CharacterModel, pose: (clip: number, share: number) => void): number {
  let best = Infinity;
  const end = performance.now() + 1000 * POSE_SECONDS;
  do {
    const begin = performance.now();
    for (const clip of model.clips.keys()) for (let i = 0; i < POSES; i++) pose(clip, (i * 0.618) % 1);
    best = Math.min(best, performance.now() - begin);
  } while (performance.now() < end);
  return (best * 1e6) / (POSES * model.clips.length * model.joints.length);
}

/** Time to pose from the tables, by the float64 reader of the twins' format, and from the source's own keys. */
function timeBoth(model: CharacterModel, character: Character): [number, number] {
  const packed = new PackedPoses(character);
  const sources = model.clips.map((clip) => new ClipPoses(model, clip));
  const out = new Float64Array(12 * model.joints.length);
  return [
    timePoses(model, (clip, share) => packed.joints({ clip, phase: Math.floor(share * 2 ** 32) })),
    timePoses(model, (clip, share) => sources[clip]!.compose(share * model.clips[clip]!.duration, out)),
  ];
}

async function measure(file: string): Promise<void> {
  const model = await loadModel(path.join(shared, file));
  if (model.clips.length === 0) return;
  const begin = performance.now();
  const character = packCharacter(model, { errorBudget: BUDGET });
  const { clips } = character;
  const milliseconds = performance.now() - begin;
  const times = timeBoth(model, character).map((nanoseconds) => nanoseconds.toFixed(0));
  const packed = sum(clips.map((clip) => clip.bytes));
  const samples = sum(model.clips.map(samplesOf));
  const each = packed / (samples * model.joints.length);
  const worst = Math.max(...clips.map(({ maxError }) => maxError));
  const name = path.basename(file).replace(/\.\w+$/, '');
  const isRecorded = RECORDED.some((recorded) => recorded === name);
  if (worst > BUDGET || (isRecorded && each > RECORDED_LIMIT)) failed++;
  const known = acl.filter(({ file: of, clip }) => of === name && clips.some((own) => own.name === clip));
  const figures = known.flatMap(({ acl: settings }) => settings[ACL_SETTINGS] ?? []);
  const peers = [
    figures.length === 0 ? '' : sum(figures.map((figure) => figure.bytes)),
    figures.length === 0 ? '' : Math.max(...figures.map(({ maxErrorMm }) => maxErrorMm)).toFixed(3),
  ];
  const forms = [...new Set(clips.map(({ form }) => form))]
    .sort()
    .map((form) => `${clips.filter((clip) => clip.form === form).length} ${form}`);
  const cells = [clips.length, model.joints.length, samples, packed, each.toFixed(2), (1000 * worst).toFixed(3)];
  rows.push(`| ${[file, ...cells, milliseconds.toFixed(0), ...times, forms.join(', '), ...peers].join(' | ')} |`);
  console.log(rows.at(-1));
}

for (const name of RECORDED) await measure(`mocap/${name}.glb`);
for (const { file } of referencedFiles()) await measure(`assets/${file}`);

const text = `# Clips within 0.1 mm

Every clip of the shared files, packed so that no vertex is off by more than 0.1 mm at any time, at its keys or between them
(\`packCharacter(model, { errorBudget: 0.0001 })\`). _Samples_ are keys of the channel that has the most. _Bytes_ are those of clips, in
memory as in a file. Times are of one thread and of one run; those of packing include compiling. Posing is composing all joints at times in no
order, in float64 on the CPU of a busy machine. So only the two times of a row compare. The first is from the packed tables, by the twins' reader. The
second is the baseline: from the source's keys, by the packer's reader.
GPU times are in [the bench](../bench.md). ACL's figures are with _${ACL_SETTINGS}_; its errors are
of joints, at its samples. Made by \`npm run clip-table\`.

${rows.join('\n')}
`;
if (!process.argv.includes('--check')) writeFileSync(path.join(root, 'docs/tables/clips.md'), text);
console.log(failed === 0 ? 'all within limits' : `${failed} files over their limits`);
process.exit(failed === 0 ? 0 : 1);

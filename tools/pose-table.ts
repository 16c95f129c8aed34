// Measures `maniple pose` on every shared asset against independent reference positions and writes the table to
// docs/tables/pose.md; with --check it only measures. Exits 1 when a figure is over its limit.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { poseError, referencedFiles } from '../test/support/references.ts';
import { POSE_LIMITS } from '../test/support/pose-limits.ts';
import { root } from './shader-sources.ts';

const rows = [
  '| file | points | cpu: worst | mean | gpu: worst | mean | cpu, keys unquantised: worst | gpu, keys unquantised: worst |',
  '|---|---|---|---|---|---|---|---|',
];
const figure = (value: number) => value.toExponential(1);
let failed = 0;
for (const { file, size, quantized } of referencedFiles()) {
  const runs = [];
  for (const [backend, budget] of [['cpu'], ['gpu'], ['cpu', 0], ['gpu', 0]] as const) {
    runs.push(await poseError(file, size, { backend, ...(budget === undefined ? {} : { errorBudget: budget }) }));
  }
  const [cpu, gpu, cpuExact, gpuExact] = runs as [
    (typeof runs)[0],
    (typeof runs)[0],
    (typeof runs)[0],
    (typeof runs)[0],
  ];
  const limit = quantized ? POSE_LIMITS.exactQuantized : POSE_LIMITS.exact;
  for (const { worst, mean } of [cpu, gpu]) if (worst > POSE_LIMITS.worst || mean > POSE_LIMITS.mean) failed++;
  for (const { worst } of [cpuExact, gpuExact]) if (worst > limit) failed++;
  const cells = [cpu.worst, cpu.mean, gpu.worst, gpu.mean, cpuExact.worst, gpuExact.worst].map(figure);
  rows.push(`| ${file} | ${cpu.points} | ${cells.join(' | ')} |`);
  console.log(rows.at(-1));
}
const { worst, mean, exact, exactQuantized } = POSE_LIMITS;
const text = `# Poses against independent references

Distances between what \`maniple pose\` prints and float64 reference positions that were computed independently, as
shares of each model's size (the diagonal of its rest bounds). Limits: ${figure(worst)} at worst and ${figure(mean)} on
average with the default error budget; ${figure(exact)} with \`--error-budget 0\` (${figure(exactQuantized)} where the
file itself is quantised). Made by \`npm run pose-table\`.

${rows.join('\n')}
`;
if (!process.argv.includes('--check')) {
  mkdirSync(path.join(root, 'docs/tables'), { recursive: true });
  writeFileSync(path.join(root, 'docs/tables/pose.md'), text);
}
console.log(failed === 0 ? 'all within limits' : `${failed} figures over their limits`);
process.exit(failed === 0 ? 0 : 1);

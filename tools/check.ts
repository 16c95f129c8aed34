// Everything that has to hold, part by part, with the wall time of each: `npm test`, and with --full `npm run verify`.
import { spawn } from 'node:child_process';

interface Part {
  readonly name: string;
  readonly command: string;
  readonly env?: NodeJS.ProcessEnv;
}

const tsx = (script: string) => `node --import tsx ${script}`;
const vitest = (project: string, ...args: string[]) => ['vitest run --project', project, ...args].join(' ');

/** Without --full a seeded tenth of the long matrices. */
const full = process.argv.includes('--full');
const env: NodeJS.ProcessEnv = full ? { MANIPLE_FULL: '1' } : {};

/** Tests of the command run what users run: these come first, at once. */
const FIRST: readonly Part[] = [
  { name: 'types', command: 'tsc --noEmit' },
  { name: 'package', command: `${tsx('tools/build.ts --unchecked')} && ${tsx('tools/footprint.ts')}` },
];
process.env.MANIPLE_CLI = 'dist/cli/main.js';
// compilers of shaders give memory back to the system and ask for it again: a twentieth of the time
process.env.MALLOC_TRIM_THRESHOLD_ ??= '1000000000';
process.env.MALLOC_MMAP_THRESHOLD_ ??= '100000000';
process.env.MALLOC_TOP_PAD_ ??= '16777216';

const RENDERERS = 'src/render';
const MACHINES = '.machines.';
/** Where devices of a lower level take other kernels, or draw in other ways. */
const LEVELLED = ['src/device', 'src/frame', 'src/stages', RENDERERS, 'test/frame', 'test/three'];
const except = (...globs: string[]) => globs.map((glob) => `--exclude '${glob}'`).join(' ');
/** Short runs have the limits that every device has wherever no state machine is. */
const limited: NodeJS.ProcessEnv = full ? env : { MANIPLE_LIMITS: 'default' };

/** Parts that otherwise only people run: all that take one core, so that the long tests have another beside them. */
const FULL: readonly Part[] = [
  // the site's packages have the older compiler
  { name: 'site, types of users', command: `npm run site && ${tsx('tools/check-types.ts')}` },
  { name: 'SIMD', command: tsx('tools/build-simd.ts --check') },
  { name: 'battle', command: tsx('src/cli/main.ts render --out out/verify-battle.png') },
  { name: 'pose table', command: tsx('tools/pose-table.ts --check') },
  { name: 'clip table', command: tsx('tools/clip-table.ts --check') },
  { name: 'Unity table', command: tsx('tools/unity-table.ts --check') },
  { name: 'PlayCanvas table', command: tsx('tools/playcanvas-table.ts --check') },
];

/** Two at a time, in this order: tests on a GPU keep to a core, and unit tests take what is left at the end. */
const QUEUE: readonly Part[] = [
  { name: 'lint', command: 'oxlint --type-aware --deny-warnings --report-unused-disable-directives' },
  { name: 'format', command: 'oxfmt --check' },
  { name: 'dead code', command: 'knip' },
  { name: 'shaders', command: tsx('tools/build-shaders.ts --check') },
  { name: 'schema', command: tsx('tools/controller-schema.ts --check') },
  { name: 'sizes', command: tsx('tools/bundle-sizes.ts --check') },
  // a worker for each, which compiles a kernel once for all of its files: those of state machines take ten seconds
  { name: 'tests: gpu', command: vitest('gpu', except(`**/*${MACHINES}*`, `${RENDERERS}/**`)), env: limited },
  { name: 'tests: browser', command: vitest('browser'), env },
  { name: 'tests: gpu, state machines', command: vitest('gpu', MACHINES), env },
  { name: 'tests: gpu, renderers', command: vitest('gpu', RENDERERS, except(`**/*${MACHINES}*`)), env: limited },
  ...(full
    ? [
        { name: 'tests: gpu at default limits', command: vitest('gpu'), env: { MANIPLE_LIMITS: 'default' } },
        // a short run, of all that depends on the level
        {
          name: 'tests: gpu at the compatibility level',
          command: vitest('gpu', ...LEVELLED, except(`**/*${MACHINES}*`)),
          env: { MANIPLE_LIMITS: 'compatibility' },
        },
      ]
    : []),
  ...(full ? FULL : []),
  { name: 'tests: unit', command: vitest('unit'), env },
];

const times: string[] = [];
let failed = 0;
await Promise.all(FIRST.map(runPart));
const queue = [...QUEUE];
await Promise.all([takeTurns(), takeTurns()]);
console.log(`\n${times.join('\n')}\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs the remaining parts of the queue, one after another. */
async function takeTurns(): Promise<void> {
  for (let part = queue.shift(); part; part = queue.shift()) await runPart(part);
}

async function runPart({ name, command, env }: Part): Promise<void> {
  console.log(`\n── ${name}: ${command}`);
  const start = performance.now();
  const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, ...env } });
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (status !== 0) failed++;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  times.push(`${status === 0 ? 'ok    ' : 'FAILED'}  ${seconds.padStart(7)} s  ${name}`);
}

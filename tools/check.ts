// Everything that has to hold, part by part, with the wall time of each: `npm test`, and with --full `npm run verify`.
import { spawn } from 'node:child_process';

interface Part {
  readonly name: string;
  readonly command: string;
  readonly env?: NodeJS.ProcessEnv;
}

const tsx = (script: string) => `node --import tsx ${script}`;
const vitest = (project: string, filter = '') => `vitest run --project ${project} ${filter}`;

/** What is looked at, and what is made; side by side, since most of them keep to one core. */
const CHECKS: readonly Part[] = [
  { name: 'types', command: 'tsc --noEmit' },
  { name: 'lint', command: 'oxlint --type-aware --deny-warnings' },
  { name: 'dead code', command: 'knip' },
];
const PRODUCTS: readonly Part[] = [
  { name: 'format', command: 'oxfmt --check' },
  { name: 'shaders', command: tsx('tools/build-shaders.ts --check') },
  { name: 'schema', command: tsx('tools/controller-schema.ts --check') },
  { name: 'sizes', command: tsx('tools/bundle-sizes.ts --check') },
  { name: 'package', command: tsx('tools/build.ts') },
];

/** Without --full a seeded tenth of the long matrices. */
const full = process.argv.includes('--full');
const env: NodeJS.ProcessEnv = full ? { MANIPLE_FULL: '1' } : {};

/** On all cores; what waits for a browser runs beside it. */
const UNIT: Part = { name: 'tests: unit', command: vitest('unit'), env };
const BROWSER: Part = { name: 'tests: browser', command: vitest('browser'), env };

/** A core each: see `test/support/kernel-sequencer.ts`. */
const gpu = (name: string, shard: string): Part => ({
  name: `tests: gpu, ${name}`,
  command: vitest('gpu', `--shard ${shard}`),
  env,
});
const MACHINES = gpu('state machines', '1/2');
const OTHERS = gpu('all others', '2/2');

const LIMITS: Part = {
  name: 'tests: gpu at default limits',
  command: vitest('gpu', full ? '' : 'test/frame/random test/frame/crowd.gpu'),
  env: { MANIPLE_LIMITS: 'default' },
};

/** What only people run otherwise. */
const FULL: readonly Part[] = [
  { name: 'battle', command: tsx('src/cli/main.ts render --out out/verify-battle.png') },
  { name: 'pose table', command: tsx('tools/pose-table.ts --check') },
  { name: 'Unity table', command: tsx('tools/unity-table.ts --check') },
  { name: 'site', command: 'npm run site' },
  // the site's packages have the older compiler
  { name: 'types of users', command: tsx('tools/check-types.ts') },
  { name: 'PlayCanvas table', command: tsx('tools/playcanvas-table.ts --check') },
];

/** The package has been built by then: tests of the command run what users run. */
process.env.MANIPLE_CLI = 'dist/cli/main.js';

const times: string[] = [];
let failed = 0;
await Promise.all([runParts(CHECKS), runParts(PRODUCTS)]);
await Promise.all([runParts([UNIT, MACHINES]), runParts([BROWSER, LIMITS, OTHERS])]);
if (full) await runParts(FULL);
console.log(`\n${times.join('\n')}\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** One after the other. */
async function runParts(parts: readonly Part[]): Promise<void> {
  for (const { name, command, env } of parts) {
    console.log(`\n── ${name}: ${command}`);
    const start = performance.now();
    const child = spawn(command, { shell: true, stdio: 'inherit', env: { ...process.env, ...env } });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    if (status !== 0) failed++;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    times.push(`${status === 0 ? 'ok    ' : 'FAILED'}  ${seconds.padStart(7)} s  ${name}`);
  }
}

import { execFileSync } from 'node:child_process';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

/** Room for what is young, and code that is optimized later: collecting and compiling take a tenth of the time each otherwise. */
const V8_OPTIONS = ['--max-semi-space-size=64', '--interrupt-budget=400000'];

/** Some tests take minutes in full; machines differ, and may be busy. */
const testTimeout = process.env.MANIPLE_FULL === '1' ? 300_000 : 120_000;

// forks, not threads: a worker thread's process.env is a copy, so a Vulkan driver chosen there is never found
const gpu = {
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: 1,
  testTimeout,
  hookTimeout: 120_000,
  execArgv: V8_OPTIONS,
};

/** Short runs take other cases with every commit, and all processes of a run the same; full runs fuzz from a new start. */
function chooseSeed(): string {
  if (process.env.MANIPLE_FULL === '1') return String(Date.now() % 1_000_000);
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return String(Number.parseInt(commit.slice(0, 8), 16) % 1_000_000);
  } catch {
    return '1'; // an archive without its history
  }
}

/** Tests of the visibility renderer need the core level. */
const coreOnly =
  process.env.MANIPLE_LIMITS === 'compatibility'
    ? ['src/render/visibility/**', 'src/render/reference/agreement.gpu.test.ts']
    : [];

process.env.MANIPLE_SEED ??= chooseSeed();
console.log(`MANIPLE_SEED=${process.env.MANIPLE_SEED}`);

/** Takes away what tests leave in the temporary folder. */
const globalSetup = ['test/support/temporary-folder.ts'];

const config: ViteUserConfig = defineConfig({
  test: {
    // the parts of a check read the same modules: what one has transformed, the others find in node_modules
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,test,tools}/**/*.test.ts'],
          exclude: ['**/*.gpu.test.ts', '**/parity.test.ts', '**/*.browser.test.ts'],
          testTimeout,
          hookTimeout: 120_000,
          // the command runs in this process in short runs: see test/cli/maniple.ts
          env: { MANIPLE_COMMAND: 'here' },
          isolate: false,
          // Vitest would leave one core to itself, which on two cores takes twice as long
          maxWorkers: 2,
          execArgv: V8_OPTIONS,
          globalSetup,
          setupFiles: ['test/support/setup.ts'],
        },
      },
      {
        test: {
          ...gpu,
          name: 'gpu',
          // a list here replaces those of the command line
          ...(coreOnly.length > 0 && { exclude: [...configDefaults.exclude, ...coreOnly] }),
          include: ['{src,test}/**/*.{gpu,backends}.test.ts', 'src/**/parity.test.ts'],
          env: { MANIPLE_BACKEND: 'gpu' },
          globalSetup,
          setupFiles: ['test/support/setup.ts', 'test/support/setup-gpu.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          // one browser for all files, whose start takes seconds
          isolate: false,
          maxWorkers: 1,
          include: ['test/**/*.browser.test.ts'],
          testTimeout: Math.max(180_000, testTimeout),
          hookTimeout: 120_000,
          // a software adapter on a busy machine compiles for minutes; tests that hang end by their own limits
          expect: { poll: { timeout: 240_000 } },
          globalSetup,
          setupFiles: ['test/support/setup.ts'],
        },
      },
    ],
  },
});

export default config;

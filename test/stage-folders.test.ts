// "Everything twice": the contract of a stage's folder, src/stages/README.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { STAGES } from '../src/frame/stages.ts';

const src = path.resolve(import.meta.dirname, '../src');
/** Stages of the frame, and those of one renderer. */
const folders = new Map(
  ['stages', 'render/visibility'].flatMap((home) =>
    readdirSync(path.join(src, home), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, `${home}/${name}`] as const),
  ),
);
const stages = [...folders.keys()];

/** What folders lack today, by name. A line that is not needed any more fails: the list can only shrink. */
const LACKS: Readonly<Record<string, readonly string[]>> = {
  'filter-triangles': ['reference.test.ts'],
  // test/controller holds both: golden values and random controllers on kernel and twin
  'step-controllers': ['reference.test.ts', 'parity.test.ts'],
  // test/frame/providers.gpu.test.ts runs both: the kernel is linked from providers
  'update-characters': ['parity.test.ts'],
};

const FILES = ['README.md', 'layout.ts', 'stage.ts', 'reference.ts', 'reference.test.ts', 'parity.test.ts'];

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.gen.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(src, file), 'utf8') }));

/** Files outside of the stage's folder that import values, not types alone, of its twin. */
function callersOf(stage: string): string[] {
  const twin = new RegExp(`(?:import|export) (?!type\\b)[^;]*from '[./]*/(?:[\\w-]+/)*${stage}/reference\\.ts'`);
  return sources
    .filter(({ file, text }) => !file.startsWith(`${folders.get(stage)!}/`) && twin.test(text))
    .map(({ file }) => file);
}

/** What the contract asks for and the folder has not. */
function lacks(stage: string): string[] {
  const folder = path.join(src, folders.get(stage)!);
  const callers = callersOf(stage);
  return [
    ...FILES.filter((file) => !existsSync(path.join(folder, file))),
    // the CPU backend, or what else does on twins what kernels do
    ...(callers.some((file) => !file.startsWith('capture/')) ? [] : ['caller']),
  ];
}

describe('the folder of a stage has all that the contract says', () => {
  test.each(stages)('%s', (stage) => {
    expect(lacks(stage)).toEqual(LACKS[stage] ?? []);
  });

  test('and every stage of the frame has a folder; none is excused that is not there', () => {
    expect(stages).toEqual(expect.arrayContaining([...STAGES]));
    expect(stages).toEqual(expect.arrayContaining(Object.keys(LACKS)));
  });

  test('and the README of all stages names it', () => {
    const readme = readFileSync(path.join(src, 'stages/README.md'), 'utf8');
    expect(stages.filter((stage) => !readme.includes(`[${stage}](`))).toEqual([]);
  });

  test('and the CPU backend runs the twin of each that is part of the frame', () => {
    const missing = STAGES.filter((stage) => !callersOf(stage).some((file) => file.startsWith('frame/cpu/')));
    expect(missing).toEqual([]);
  });
});

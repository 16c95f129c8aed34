import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as source from '../src/wgsl/compile.ts';
import * as tables from '../src/wgsl/frame-declarations.gen.ts';
import { kernels } from '../src/stages/gather-motions/kernel.gen.ts';
import { kernelFiles, readKernels } from './kernel-files.ts';
import { shippedFiles, shippedShaders } from './ship-shaders.ts';

const src = path.resolve(import.meta.dirname, '../src');

type Compile = typeof source;

/** The text that a device would compile. */
function compiled({ compileShader }: Compile, code: string): string {
  const createShaderModule = vi.fn<(descriptor: { label: string; code: string }) => void>();
  compileShader({ createShaderModule } as unknown as GPUDevice, 'kernel', code);
  const { label, code: text } = createShaderModule.mock.lastCall![0];
  expect(label).toBe('kernel');
  return text;
}

test('committed files are read as they were written', () => {
  const files = kernelFiles(readKernels(src));
  expect(files.size).toBe(shippedFiles().size - 1);
  expect(files.get('wgsl/frame-declarations.gen.ts')).toContain(`\n\`${tables.shared[0]!}\`,\n`);
  expect(
    readKernels(src)
      .find(({ module }) => module === 'stages/gather-motions/kernel')!
      .variants.get('base'),
  ).toEqual(kernels.base.trim().split(/\n(?![ }])/));
});

test('work from source compiles readable kernels, before and after they are asked for', async () => {
  expect(compiled(source, kernels.base)).toBe(kernels.base);
  await source.useReadableShaders();
  expect(compiled(source, kernels.base)).toBe(kernels.base);
});

describe('what ships', () => {
  let folder: string;
  let shipped: Compile & { readonly kernels: typeof kernels };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'maniple-shipped-'));
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from './wgsl/compile.ts';
export { kernels } from './stages/gather-motions/kernel.gen.ts';`,
        resolveDir: src,
      },
      bundle: true,
      format: 'esm',
      write: false,
      plugins: [shippedShaders],
    });
    const file = path.join(folder, 'shipped.mjs');
    await writeFile(file, outputFiles[0]!.contents);
    shipped = (await import(/* @vite-ignore */ file)) as typeof shipped;
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('are the same variants with short names, no space and no plain constants', () => {
    expect(Object.keys(shipped.kernels)).toEqual(Object.keys(kernels));
    for (const [name, code] of Object.entries(shipped.kernels)) {
      expect(code).not.toMatch(/ {2}|gatherPlayers|_NO_/);
      expect(code.length).toBeLessThan(kernels[name as keyof typeof kernels].length * 0.7);
    }
  });

  test('kernels have the names of their sources once those are loaded, and lines of providers as they are', async () => {
    const code = `${shipped.kernels.base}fn _a(a: u32) -> u32 { return a; }`;
    expect(compiled(shipped, code)).toBe(code);
    await shipped.useReadableShaders();
    const text = compiled(shipped, code);
    expect(text).toContain(
      'fn _gatherPlayers(slots: ptr<function, _Slots>, character: u32, typeRow: u32, clipRow: u32) {\n',
    );
    expect(text).toContain('\n  let who = visible[index];\n  if (who.motionRow == 4294967295u) {\n    return;\n  }\n');
    expect(text).toContain('struct _Slots {\n  row: u32,\n  count: u32,\n');
    expect(text.endsWith('\nfn _a(a: u32) -> u32 { return a; }')).toBe(true);
  });
});

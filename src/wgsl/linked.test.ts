import { expect, test, vi } from 'vitest';
import { kernels } from '../stages/gather-motions/kernel.gen.ts';
import type * as compile from './compile.ts';
import { linked } from './linked.ts';

test('a variant has its declarations, its own and shared ones', () => {
  const own = ['enable f16;', 'o1', 'o2', 'o3'];
  const texts = linked(own, ['s0', 's1', 's2'], { base: ['0-1 3', ''], 'a+b': ['2', '0 2'], none: ['', '0-2'] });
  expect({ ...texts }).toEqual({
    base: 'enable f16;\no1\no3\n',
    'a+b': 'o2\ns0\ns2\n',
    none: 's0\ns1\ns2\n',
  });
});

test('kernels are compiled with the names of their sources once those are loaded, and lines of providers as they are', async () => {
  // a module of its own: other tests compile as pages do
  const fresh = './compile.ts?fresh';
  const { compileShader, loadShaderNames } = (await import(/* @vite-ignore */ fresh)) as typeof compile;
  const createShaderModule = vi.fn<(descriptor: { label: string; code: string }) => void>();
  const compiled = (code: string): string => {
    compileShader({ createShaderModule } as unknown as GPUDevice, 'kernel', code);
    const { label, code: text } = createShaderModule.mock.lastCall![0];
    expect(label).toBe('kernel');
    return text;
  };
  const code = `${kernels.base}fn _a(a: u32) -> u32 { return a; }`;
  expect(compiled(code)).toBe(code);
  await loadShaderNames();
  const text = compiled(code);
  expect(text).toContain(
    'fn gatherPlayers(slots: ptr<function, Slots>, character: u32, typeRow: u32, clipRow: u32) {\n',
  );
  expect(text).toContain('\n  let who = visible[index];\n  if (who.motionRow == 4294967295u) {\n    return;\n  }\n');
  expect(text).toContain('struct Slots {\n  row: u32,\n  count: u32,\n');
  expect(text.endsWith('\nfn _a(a: u32) -> u32 { return a; }')).toBe(true);
});

import { afterEach, expect, test, vi } from 'vitest';
import { GltfBuilder } from '../../test/import/build-gltf.ts';
import { addLods, importGltf } from './index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('where a page forbids WebAssembly, the error names the directive that allows it', async () => {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  const source = { name: 'hero', bytes: gltf.glb() };
  const model = await importGltf(source);
  const words = 'WebAssembly.compile(): Refused to compile or instantiate WebAssembly module because '.repeat(9);
  vi.spyOn(WebAssembly, 'compile').mockRejectedValue(new WebAssembly.CompileError(words));
  for (const attempt of [() => importGltf(source), () => addLods(model)]) {
    const thrown: unknown = await attempt().catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({
      code: 'WASM_BLOCKED',
      issues: [{ suggestion: expect.stringContaining("Add 'wasm-unsafe-eval' to script-src") as string }],
    });
    expect((thrown as Error).message.length).toBeLessThan(400);
  }
  // a file of another kind is told as such
  await expect(importGltf({ name: 'hero', bytes: new Uint8Array() })).rejects.toMatchObject({ code: 'FILE_NOT_A_MODEL' }); // prettier-ignore
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusalOf, toGlb } from '../../test/import/build-gltf.ts';
import { full, noShared, runSeed, shared } from '../../test/support/setup.ts';

describe.skipIf(noShared())('truncated files', () => {
  const read = (file: string): Uint8Array => new Uint8Array(readFileSync(path.join(shared, 'assets', file)));

  it.each([
    ['malformed/edge-cases/00-baseline-valid.glb', 1],
    ['basics/RiggedSimple.glb', full ? 1 : 61],
    ['derived/robotexpressive-meshopt.glb', full ? 61 : 4_093],
  ])('%s at every %i bytes', async (file, step) => {
    const bytes = read(file);
    for (let length = runSeed % step; length < bytes.length; length += step) {
      const { code } = await refusalOf(bytes.subarray(0, length));
      expect(['FILE_TRUNCATED', 'FILE_NOT_A_MODEL']).toContain(code);
    }
  });

  // a proxy or a repair tool may have fixed the lengths in the header
  it.each([
    ['malformed/edge-cases/00-baseline-valid.glb', full ? 1 : 7],
    ['basics/RiggedSimple.glb', full ? 4 : 64],
  ] as const)('%s at every %i bytes, with lengths that agree', async (file, step) => {
    const bytes = read(file);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const jsonLength = view.getUint32(12, true);
    const text = new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)).trimEnd();
    const binary = bytes.subarray(20 + jsonLength + 8);
    for (let length = runSeed % step; length < text.length; length += step)
      await refusalOf(toGlb(text.slice(0, length), binary));
    // a chunk is padded to four bytes, so that the last few lengths may still hold everything
    for (let length = runSeed % step; length < binary.length - 4; length += step) {
      const { code } = await refusalOf(toGlb(text, binary.subarray(0, length)));
      expect(code).toBe(length === 0 ? 'GLTF_RESOURCE_MISSING' : 'FILE_TRUNCATED');
    }
  });

  it('SimpleSkin.gltf, JSON with embedded buffers', async () => {
    const bytes = read('basics/SimpleSkin.gltf');
    const step = full ? 1 : 13;
    for (let length = runSeed % step; length < bytes.length - 2; length += step) {
      const { code } = await refusalOf(bytes.subarray(0, length));
      expect(['FILE_TRUNCATED', 'FILE_NOT_A_MODEL']).toContain(code);
    }
  });
});

import { Logger, WebIO } from '@gltf-transform/core';
import { EXTMeshoptCompression, KHRDracoMeshCompression, KHRMeshQuantization } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noShared, shared } from '../../test/support/setup.ts';
import { AccessorReader } from './gltf/accessors.ts';
import { openContainer } from './gltf/container.ts';
import { decodeDraco } from './gltf/draco.ts';
import { IssueList } from './gltf/issue-list.ts';
import { DEFAULT_IMPORT_LIMITS } from './gltf/limits.ts';
import { decodeMeshoptViews } from './gltf/meshopt.ts';
import { checkSchema } from './gltf/schema.ts';

/** One of each storage: plain, strided, many small, Draco, meshopt, quantised, sparse morph targets. */
const FILES = [
  'characters/kaykit-knight.glb',
  'characters/cesium-man.glb',
  'characters/astronaut-bee-draco.glb',
  'derived/knight-meshopt-c.glb',
  'derived/wolf-quantized.glb',
  'derived/robotexpressive-meshopt.glb',
  'basics/MorphStressTest.glb',
];

describe.skipIf(noShared())('accessors are read as glTF-Transform reads them', () => {
  it.each(FILES)('%s', async (name) => {
    const bytes = new Uint8Array(readFileSync(path.join(shared, 'assets', name)));
    const issues = new IssueList();
    const { json: unchecked, binary } = openContainer(bytes, DEFAULT_IMPORT_LIMITS, issues);
    const json = checkSchema(unchecked, issues);
    const file = { json, limits: DEFAULT_IMPORT_LIMITS, issues };
    const views = await decodeMeshoptViews(file, [binary]);
    const viewBytes = (index: number): Uint8Array => {
      const { byteOffset = 0, byteLength } = json.bufferViews![index]!;
      return views.get(index) ?? binary!.subarray(byteOffset, byteOffset + byteLength);
    };
    const decoded = await decodeDraco(file, viewBytes, () => draco3d.createDecoderModule());
    const reader = new AccessorReader(json, viewBytes, decoded);

    await MeshoptDecoder.ready;
    const io = new WebIO()
      .setLogger(new Logger(Logger.Verbosity.SILENT))
      .registerExtensions([EXTMeshoptCompression, KHRDracoMeshCompression, KHRMeshQuantization])
      .registerDependencies({
        'meshopt.decoder': MeshoptDecoder,
        'draco3d.decoder': await draco3d.createDecoderModule(),
      });
    const document = await io.readBinary(bytes);
    const theirs = document.getRoot().listAccessors();
    expect(theirs).toHaveLength(json.accessors!.length);
    theirs.forEach((accessor, i) => {
      const { values, width, count, normalized } = reader.elements(i);
      expect([width, count, normalized]).toEqual([
        accessor.getElementSize(),
        accessor.getCount(),
        accessor.getNormalized(),
      ]);
      const array = accessor.getArray()!;
      // NaN equals NaN here, as bits do
      const differs = values.findIndex((value, k) => !Object.is(value, array[k]));
      expect(differs, `accessor ${i}`).toBe(-1);
      const floats = reader.floats(i);
      const last = accessor.getElement(count - 1, []);
      last.forEach((value, c) => expect(floats[(count - 1) * width + c]).toBe(Math.fround(value)));
    });
  });
});

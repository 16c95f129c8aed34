import { openContainer } from '../../src/import/gltf/container.ts';
import { type AccessorReader, decodeAccessors } from '../../src/import/gltf/decode.ts';
import { IssueList } from '../../src/import/model-builder/issue-list.ts';
import { checkLayout } from '../../src/import/gltf/layout.ts';
import { DEFAULT_IMPORT_LIMITS } from '../../src/import/gltf/limits.ts';
import { loadBuffers, Resources } from '../../src/import/gltf/resources.ts';
import { checkSchema } from '../../src/import/gltf/schema.ts';
import type { GltfBuilder } from './build-gltf.ts';

/** The accessors of a file without Draco, by the importer's own steps, and no further. */
export async function readAccessors(gltf: GltfBuilder): Promise<AccessorReader> {
  const issues = new IssueList();
  const limits = DEFAULT_IMPORT_LIMITS;
  const { json, binary } = await openContainer(gltf.glb(), limits, issues);
  const file = { json: checkSchema(json, issues), limits, issues };
  checkLayout(file);
  issues.throwIfErrors();
  const buffers = await loadBuffers(file, binary, new Resources(undefined, limits, 0));
  issues.throwIfErrors();
  return decodeAccessors(file, buffers, () => Promise.reject(new Error('no Draco here')));
}

/** The numbers of each accessor, as they are stored. */
export async function readElements(gltf: GltfBuilder): Promise<number[][]> {
  const reader = await readAccessors(gltf);
  return gltf.accessors.map((_, i) => Array.from(reader.elements(i)));
}

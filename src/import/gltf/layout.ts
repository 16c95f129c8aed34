import type { GLTF } from '@gltf-transform/core';
import { pointer } from '../model-builder/issue-list.ts';
import { type GltfJson, meshoptOf, type MeshoptView } from './schema.ts';

/** Numbers per element. */
export const TYPE_WIDTH: Readonly<Record<GLTF.AccessorType, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

/** Bytes of one number, by component type. */
export function componentBytes(componentType: number): number {
  return componentType <= 5121 ? 1 : componentType <= 5123 ? 2 : 4;
}

/**
 * Bytes of one element without padding. Maniple reads no matrices of small integers, because they have padded columns.
 */
export function elementBytes(accessor: Pick<GLTF.IAccessor, 'componentType' | 'type'>): number {
  return TYPE_WIDTH[accessor.type] * componentBytes(accessor.componentType);
}

/** Checks that every view lies in its buffer and every accessor in its view, and that all of it may be decoded. */
export function checkLayout(file: GltfJson): void {
  const { json, limits, issues } = file;
  const buffers = json.buffers ?? [];
  let decoded = 0;
  let count = 0;
  json.bufferViews?.forEach((view, i) => {
    const end = (view.byteOffset ?? 0) + view.byteLength;
    const available = buffers[view.buffer]!.byteLength;
    if (end > available) {
      const message = `the view ends at byte ${end} of buffer ${view.buffer}, which has ${available}`;
      issues.error('GLTF_INVALID', pointer('bufferViews', i), message);
    }
    const meshopt = meshoptOf(view);
    if (!meshopt) return;
    decoded += meshopt.count * meshopt.byteStride;
    const problem = meshoptProblem(meshopt, view.byteLength, buffers[meshopt.buffer]!.byteLength);
    if (problem) issues.error('GLTF_INVALID', pointer('bufferViews', i), problem);
  });
  json.accessors?.forEach((accessor, i) => {
    checkAccessor(file, accessor, pointer('accessors', i));
    const width = TYPE_WIDTH[accessor.type];
    // as the 32-bit floats that most of them become, overrides with their indices
    decoded += 4 * (accessor.count * width + (accessor.sparse?.count ?? 0) * (1 + width));
    count += accessor.sparse ? 2 : 1;
  });
  if (count > limits.accessors) {
    const message = `the file has ${count} accessors, sparse ones counted twice; the limit is ${limits.accessors}`;
    issues.error('GLTF_LIMIT', '/accessors', message);
  }
  if (decoded > limits.decodedBytes) {
    const message = `accessors and compressed views declare ${decoded} bytes, the limit is ${limits.decodedBytes}`;
    issues.error('GLTF_LIMIT', '/accessors', message);
  }
}

function checkAccessor(file: GltfJson, accessor: GLTF.IAccessor, path: string): void {
  const { bufferView, byteOffset, count, sparse } = accessor;
  const bytes = elementBytes(accessor);
  checkRun(file, { bufferView, byteOffset, count, bytes }, path);
  if (!sparse) return;
  if (sparse.count > count) {
    const message = `${sparse.count} elements are overridden, the accessor has ${count}`;
    file.issues.error('GLTF_INVALID', `${path}/sparse/count`, message);
  }
  const { indices, values } = sparse;
  const indexBytes = componentBytes(indices.componentType);
  checkRun(file, { ...indices, count: sparse.count, bytes: indexBytes }, `${path}/sparse/indices`);
  checkRun(file, { ...values, count: sparse.count, bytes }, `${path}/sparse/values`);
}

/** `count` elements of `bytes` bytes each in a view. */
interface Run {
  readonly bufferView?: number | undefined;
  readonly byteOffset?: number | undefined;
  readonly count: number;
  readonly bytes: number;
}

function checkRun({ json, issues }: GltfJson, { bufferView, byteOffset = 0, count, bytes }: Run, path: string): void {
  if (bufferView === undefined) return;
  const view = json.bufferViews![bufferView]!;
  const stride = view.byteStride || bytes;
  if (stride < bytes) issues.error('GLTF_INVALID', path, `elements of ${bytes} bytes are ${stride} bytes apart`);
  const end = byteOffset + (count - 1) * stride + bytes;
  if (end <= view.byteLength) return;
  const message = `${count} elements end at byte ${end} of buffer view ${bufferView}, which has ${view.byteLength}`;
  issues.error('GLTF_INVALID', path, message);
}

/** The reason why compressed data cannot decode to its view of `viewLength` bytes, if there is one. */
function meshoptProblem(meshopt: MeshoptView, viewLength: number, available: number): string | undefined {
  const { byteOffset = 0, byteLength, byteStride, count, mode, filter = 'NONE' } = meshopt;
  if (byteOffset + byteLength > available) return `the compressed data ends past its buffer of ${available} bytes`;
  if (count * byteStride !== viewLength) {
    return `${count} elements of ${byteStride} bytes do not make the view's ${viewLength} bytes`;
  }
  const strideFits =
    mode === 'ATTRIBUTES'
      ? byteStride % 4 === 0 && FILTER_STRIDES[filter](byteStride)
      : (byteStride === 2 || byteStride === 4) && filter === 'NONE' && (mode === 'INDICES' || count % 3 === 0);
  return strideFits ? undefined : `mode ${mode}, filter ${filter} cannot hold ${count} × ${byteStride} bytes`;
}

const FILTER_STRIDES: Record<NonNullable<MeshoptView['filter']>, (stride: number) => boolean> = {
  NONE: () => true,
  OCTAHEDRAL: (stride) => stride === 4 || stride === 8,
  QUATERNION: (stride) => stride === 8,
  EXPONENTIAL: () => true,
  COLOR: (stride) => stride === 4 || stride === 8,
};

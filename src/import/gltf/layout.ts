import type { GLTF } from '@gltf-transform/core';
import { type IssueList, pointer } from './issue-list.ts';
import type { ImportLimits } from './limits.ts';
import { type CheckedGltf, type MeshoptView, meshoptOf } from './schema.ts';

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

/** Bytes of one element without padding. Maniple reads no matrices of small integers, whose columns are padded. */
export function elementBytes(accessor: Pick<GLTF.IAccessor, 'componentType' | 'type'>): number {
  return TYPE_WIDTH[accessor.type] * componentBytes(accessor.componentType);
}

/** Checks that every view lies in its buffer and every accessor in its view, and that all of it may be decoded. */
export function checkLayout(json: CheckedGltf, limits: ImportLimits, issues: IssueList): void {
  const buffers = json.buffers ?? [];
  let decoded = 0;
  json.bufferViews?.forEach((view, i) => {
    const end = (view.byteOffset ?? 0) + view.byteLength;
    const available = buffers[view.buffer]!.byteLength;
    if (end > available) {
      const message = `the view ends at byte ${end} of buffer ${view.buffer}, which has ${available}`;
      issues.error('GLTF_INVALID', pointer('bufferViews', i), message);
    }
    const meshopt = meshoptOf(view);
    if (meshopt) {
      checkMeshopt(meshopt, view, buffers[meshopt.buffer]!.byteLength, pointer('bufferViews', i), issues);
      decoded += meshopt.count * meshopt.byteStride;
    }
  });
  json.accessors?.forEach((accessor, i) => {
    checkAccessor(json, accessor, pointer('accessors', i), issues);
    // as the 32-bit floats that most of them become
    decoded += accessor.count * TYPE_WIDTH[accessor.type] * 4;
  });
  if (decoded > limits.decodedBytes) {
    const message = `accessors and compressed views declare ${decoded} bytes, the limit is ${limits.decodedBytes}`;
    issues.error('GLTF_LIMIT', '/accessors', message);
  }
}

function checkAccessor(json: CheckedGltf, accessor: GLTF.IAccessor, path: string, issues: IssueList): void {
  const bytes = elementBytes(accessor);
  checkFit(json, accessor.bufferView, { offset: accessor.byteOffset ?? 0, count: accessor.count, bytes }, path, issues);
  const { sparse } = accessor;
  if (!sparse) return;
  const { indices, values, count } = sparse;
  if (count > accessor.count) {
    const message = `${count} elements are overridden, the accessor has ${accessor.count}`;
    issues.error('GLTF_INVALID', `${path}/sparse/count`, message);
  }
  const indexBytes = componentBytes(indices.componentType);
  const indexRun = { offset: indices.byteOffset ?? 0, count, bytes: indexBytes };
  checkFit(json, indices.bufferView, indexRun, `${path}/sparse/indices`, issues);
  const valueRun = { offset: values.byteOffset ?? 0, count, bytes };
  checkFit(json, values.bufferView, valueRun, `${path}/sparse/values`, issues);
}

function checkFit(
  json: CheckedGltf,
  viewIndex: number | undefined,
  run: { offset: number; count: number; bytes: number },
  path: string,
  issues: IssueList,
): void {
  if (viewIndex === undefined) return;
  const view = json.bufferViews![viewIndex]!;
  const stride = view.byteStride || run.bytes;
  if (stride < run.bytes) {
    issues.error('GLTF_INVALID', path, `elements of ${run.bytes} bytes stand ${stride} bytes apart`);
  }
  const end = run.offset + (run.count - 1) * stride + run.bytes;
  if (end > view.byteLength) {
    const message = `${run.count} elements end at byte ${end} of buffer view ${viewIndex}, which has ${view.byteLength}`;
    issues.error('GLTF_INVALID', path, message);
  }
}

function checkMeshopt(
  meshopt: MeshoptView,
  view: GLTF.IBufferView,
  available: number,
  path: string,
  issues: IssueList,
): void {
  const { byteOffset = 0, byteLength, byteStride, count, mode, filter = 'NONE' } = meshopt;
  if (byteOffset + byteLength > available) {
    issues.error('GLTF_INVALID', path, `the compressed data ends past its buffer of ${available} bytes`);
  }
  if (count * byteStride !== view.byteLength) {
    const message = `${count} elements of ${byteStride} bytes do not make the view's ${view.byteLength} bytes`;
    issues.error('GLTF_INVALID', path, message);
  }
  const strideFits =
    mode === 'ATTRIBUTES'
      ? byteStride % 4 === 0 && FILTER_STRIDES[filter](byteStride)
      : (byteStride === 2 || byteStride === 4) && filter === 'NONE' && (mode === 'INDICES' || count % 3 === 0);
  if (!strideFits) {
    issues.error('GLTF_INVALID', path, `mode ${mode}, filter ${filter} cannot hold ${count} × ${byteStride} bytes`);
  }
}

const FILTER_STRIDES: Record<NonNullable<MeshoptView['filter']>, (stride: number) => boolean> = {
  NONE: () => true,
  OCTAHEDRAL: (stride) => stride === 4 || stride === 8,
  QUATERNION: (stride) => stride === 8,
  EXPONENTIAL: () => true,
  COLOR: (stride) => stride === 4 || stride === 8,
};

import type { IssueList } from './issue-list.ts';

const TRIANGLES = 4;
const TRIANGLE_STRIP = 5;
const TRIANGLE_FAN = 6;

/** Returns true if a primitive of this mode has an area that can be drawn. */
export function isTriangleMode(mode: number | undefined): boolean {
  return mode === undefined || mode === TRIANGLES || mode === TRIANGLE_STRIP || mode === TRIANGLE_FAN;
}

/** How many triangles `length` indices of a mode make. */
export function triangleCount(mode: number | undefined, length: number): number {
  return mode === TRIANGLE_STRIP || mode === TRIANGLE_FAN ? Math.max(0, length - 2) : Math.floor(length / 3);
}

/** The vertices that a primitive draws: in order, or by indices. */
export interface Topology {
  readonly mode: number | undefined;
  readonly indices: ArrayLike<number> | undefined;
  readonly vertexCount: number;
}

/**
 * The primitive as a triangle list over its source vertices. Winding is kept: every second triangle of a strip is
 * reversed. Undefined, with an error, if an index is out of range.
 */
export function triangleList(topology: Topology, path: string, issues: IssueList): Uint32Array | undefined {
  const { mode = TRIANGLES, indices, vertexCount } = topology;
  const length = indices?.length ?? vertexCount;
  const count = triangleCount(mode, length);
  if (mode === TRIANGLES && length % 3 !== 0) {
    const message = `${length} indices do not make whole triangles; the last ${length % 3} are ignored`;
    issues.warn('GLTF_VALUES_REPAIRED', path, message);
  }
  if (indices && !areInRange(indices, vertexCount, path, issues)) return undefined;
  const at = (i: number): number => indices?.[i] ?? i;
  const list = new Uint32Array(3 * count);
  for (let t = 0; t < count; t++) {
    // the corners of triangle t, in order
    const [a, b, c] =
      mode === TRIANGLE_STRIP
        ? [t, t + 1 + (t % 2), t + 2 - (t % 2)]
        : mode === TRIANGLE_FAN
          ? [t + 1, t + 2, 0]
          : [3 * t, 3 * t + 1, 3 * t + 2];
    list[3 * t] = at(a);
    list[3 * t + 1] = at(b);
    list[3 * t + 2] = at(c);
  }
  return list;
}

function areInRange(indices: ArrayLike<number>, vertexCount: number, path: string, issues: IssueList): boolean {
  let bad = 0;
  let first = -1;
  for (let i = 0; i < indices.length; i++) {
    if (indices[i]! < vertexCount) continue;
    if (bad++ === 0) first = i;
  }
  if (bad === 0) return true;
  const message =
    `${bad} of ${indices.length} indices are out of range; the first, number ${first}, is ${indices[first]}, ` +
    `the primitive has ${vertexCount} vertices`;
  issues.error('GLTF_INDEX_OUT_OF_RANGE', `${path}/indices`, message);
  return false;
}

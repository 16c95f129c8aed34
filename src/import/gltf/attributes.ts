import type { GLTF } from '@gltf-transform/core';
import type { AccessorReader } from './accessors.ts';
import type { GltfFile } from './file.ts';
import { type IssueList, pointer } from '../model-builder/issue-list.ts';
import { withoutUnusable } from '../model-builder/limits.ts';

type Types = readonly GLTF.AccessorType[];

/** Reads a primitive's or a morph target's attributes by semantic and holds them to one vertex count. */
export class Attributes {
  readonly #reader: AccessorReader;
  readonly #indices: Readonly<Record<string, number>>;
  readonly #vertexCount: number;
  readonly #path: string;
  readonly #issues: IssueList;

  constructor(
    { reader, issues }: GltfFile,
    indices: Readonly<Record<string, number>>,
    at: { vertexCount: number; path: string },
  ) {
    this.#reader = reader;
    this.#indices = indices;
    this.#vertexCount = at.vertexCount;
    this.#path = at.path;
    this.#issues = issues;
  }

  /** An attribute that vertices need to be in the right place. One of a wrong type is refused. */
  required(semantic: string, types: Types): Float32Array | undefined {
    const index = this.#find(semantic, types, 'error');
    return index === undefined ? undefined : this.#reader.floats(index);
  }

  /** Required as well, as the numbers are stored. */
  integers(semantic: string, types: Types): ArrayLike<number> | undefined {
    const index = this.#find(semantic, types, 'error');
    return index === undefined ? undefined : this.#reader.elements(index);
  }

  /** An attribute that only improves the picture: of a wrong type, it is left out. */
  optional(semantic: string, types: Types): Float32Array | undefined {
    const index = this.#find(semantic, types, 'warning');
    return index === undefined ? undefined : this.#reader.floats(index);
  }

  /** Optional, and with unusable numbers replaced. */
  usable(semantic: string, types: Types, fallback: number): Float32Array | undefined {
    const values = this.optional(semantic, types);
    return values && this.repaired(semantic, values, fallback);
  }

  /** The values with NaN, infinite and absurd ones replaced, counted and reported. */
  repaired(semantic: string, values: Float32Array, fallback: number): Float32Array {
    return withoutUnusable(values, { semantic, place: this.#place(semantic), fallback }, this.#issues);
  }

  /** The accessor of an attribute. */
  definition(semantic: string): GLTF.IAccessor | undefined {
    const index = this.#indices[semantic];
    return index === undefined ? undefined : this.#reader.definition(index);
  }

  /** COLOR_0 as RGBA in [0, 1]. */
  colors(): Float32Array | undefined {
    const values = this.usable('COLOR_0', ['VEC3', 'VEC4'], 1);
    if (!values) return undefined;
    const width = values.length / this.#vertexCount;
    const colors = new Float32Array(4 * this.#vertexCount).fill(1);
    for (let v = 0; v < this.#vertexCount; v++) {
      for (let c = 0; c < width; c++) colors[4 * v + c] = Math.min(1, Math.max(0, values[v * width + c]!));
    }
    return colors;
  }

  #find(semantic: string, types: Types, severity: 'error' | 'warning'): number | undefined {
    if (!Object.hasOwn(this.#indices, semantic)) return undefined;
    const index = this.#indices[semantic]!;
    const { type, count } = this.#reader.definition(index);
    if (count !== this.#vertexCount) {
      const message = `${semantic} has ${count} elements, the primitive has ${this.#vertexCount} vertices`;
      this.#issues.error('GLTF_INVALID', this.#place(semantic), message);
      return undefined;
    }
    if (types.includes(type)) return index;
    const message = `${semantic} is ${type}, must be ${types.join(' or ')}`;
    if (severity === 'error') this.#issues.error('GLTF_INVALID', this.#place(semantic), message);
    else this.#issues.warn('GLTF_ATTRIBUTE_IGNORED', this.#place(semantic), `${message}; it is ignored`);
    return undefined;
  }

  #place(semantic: string): string {
    return this.#path + pointer(semantic);
  }
}

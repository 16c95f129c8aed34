import { View } from '../../layout/index.ts';
import { unpackPosition } from '../../math/packing.ts';
import { VISIBLE_WORDS, VISIBLE_WORDS_SHIFT } from '../../stages/layout.ts';
import {
  DrawnInstance,
  INSTANCE_MIRRORED,
  TRIANGLE_BATCH,
  TRIANGLE_DOUBLE_SIDED,
  TRIANGLE_SHIFT,
  TrianglePrimitive,
  TriangleRun,
  TriangleView,
  TriangleViews,
  type InstanceView,
  type PrimitiveView,
  type RunView,
} from './triangles.ts';

/** Arrays that kernels that draw triangles bind: those of one page, and `drawn`, in which sources follow each other. */
export interface TriangleArrays {
  readonly views: Uint32Array<ArrayBuffer>;
  readonly drawn: Uint32Array<ArrayBuffer>;
  readonly indices: Uint32Array;
  /** Words of a page: positions, and attributes where instances say. */
  readonly skinned: Uint32Array<ArrayBuffer>;
}

/** A triangle found by its id: twin of `triangle.wesl`. */
export interface FoundTriangle {
  readonly run: number;
  readonly instance: number;
  /** Its place among the mesh's. */
  readonly index: number;
  readonly primitive: number;
  /** World places of its corners, metres. */
  readonly corners: readonly [Point, Point, Point];
  /** Sign of the area of front faces where y points down; 0: both sides are drawn. */
  readonly side: number;
  /** Its primitive's part is shown. */
  readonly shown: boolean;
}

export interface ShownInstance {
  /** Rows of 3 × 4 matrices, twelve numbers each: of this frame, and of the last one that had views. */
  readonly worldFromModel: ArrayLike<number>;
  readonly previousFromModel: ArrayLike<number>;
  readonly isMirrored: boolean;
  /** Rows of its page. */
  readonly currentVertexOffset: number;
  readonly previousVertexOffset: number;
  /** Word of its page where attributes begin, and words per vertex. */
  readonly attributeWord: number;
  readonly attributeWords: number;
  readonly geometryRow: number;
  /** 1 + row of its character; 0: scenery. */
  readonly character: number;
  /** Linear RGBA, unorm8. */
  readonly tint: number;
}

/** A triangle as pixels rebuild it, wherever it is listed. Vertices count from the begin of its mesh. */
export interface ShownTriangle extends ShownInstance {
  readonly corners: readonly [number, number, number];
  readonly materialRow: number;
  /** Index among the primitives of its type. */
  readonly primitiveIndex: number;
}

export type Point = readonly [number, number, number];

/** Reads `drawn` and vertices as kernels do, in double precision. */
export class TriangleReader {
  readonly runs: RunView;
  readonly instances: InstanceView;
  readonly viewRows: View<(typeof TriangleView)['fields']>;
  readonly head: View<(typeof TriangleViews)['fields']>;
  readonly #arrays: TriangleArrays;
  readonly #matrices = new Map<number, readonly number[]>();
  readonly #primitives = new Map<number, PrimitiveView>();

  constructor(arrays: TriangleArrays) {
    this.#arrays = arrays;
    this.head = new View(TriangleViews, arrays.views.buffer, arrays.views.byteOffset, 1);
    const viewCount = this.head.get(0, 'viewCount');
    const first = arrays.views.byteOffset + TriangleViews.offsets.views;
    this.viewRows = new View(TriangleView, arrays.views.buffer, first, viewCount);
    const { buffer } = arrays.drawn;
    this.runs = new View(TriangleRun, buffer, 0, this.head.get(0, 'runCount'));
    this.instances = new View(DrawnInstance, buffer, 16 * this.head.get(0, 'instanceRow'));
  }

  /** @throws RangeError when no run has it */
  find(id: number): FoundTriangle {
    const batch = id >>> TRIANGLE_SHIFT;
    const { runs } = this;
    for (let run = 0; run < runs.count; run++) {
      const own = batch - runs.get(run, 'firstBatch');
      const perRow = runs.get(run, 'batchesPerRow');
      if (own < 0 || own >= runs.get(run, 'rowCount') * perRow) continue;
      const instance = runs.get(run, 'firstRow') + Math.floor(own / perRow);
      return this.triangle(run, instance, (own % perRow) * TRIANGLE_BATCH + (id & (TRIANGLE_BATCH - 1)));
    }
    throw new RangeError(`no run has batch ${batch}`);
  }

  triangle(run: number, instance: number, index: number): FoundTriangle {
    const { runs, instances } = this;
    const primitives = this.#primitivesOf(run);
    let primitive = 0;
    while (primitive + 1 < primitives.count && primitives.get(primitive + 1, 'firstTriangle') <= index) primitive++;
    const [parts, part] = [instances.get(instance, 'parts'), primitives.get(primitive, 'part')];
    const isDouble = (primitives.get(primitive, 'flags') & TRIANGLE_DOUBLE_SIDED) !== 0;
    const isMirrored = (instances.get(instance, 'detail') & INSTANCE_MIRRORED) !== 0;
    const corner = (c: number): Point =>
      this.#world(instance, this.#arrays.indices[runs.get(run, 'firstIndex') + 3 * index + c]!);
    return {
      run,
      instance,
      index,
      primitive,
      corners: [corner(0), corner(1), corner(2)],
      side: isDouble ? 0 : isMirrored ? -1 : 1,
      shown: ((parts[0]! & part[0]!) | (parts[1]! & part[1]!)) !== 0,
    };
  }

  /** The same triangle as pixels rebuild it. @throws RangeError when no run has it */
  shown(id: number): ShownTriangle {
    const { run, instance, index, primitive } = this.find(id);
    const primitives = this.#primitivesOf(run);
    const first = this.runs.get(run, 'firstIndex') + 3 * index;
    const { instances } = this;
    const { indices } = this.#arrays;
    return {
      worldFromModel: instances.get(instance, 'worldFromModel'),
      previousFromModel: instances.get(instance, 'previousFromModel'),
      isMirrored: (instances.get(instance, 'detail') & INSTANCE_MIRRORED) !== 0,
      corners: [indices[first]!, indices[first + 1]!, indices[first + 2]!],
      currentVertexOffset: instances.get(instance, 'currentVertexOffset'),
      previousVertexOffset: instances.get(instance, 'previousVertexOffset'),
      attributeWord: instances.get(instance, 'attributeWord'),
      attributeWords: (instances.get(instance, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS,
      geometryRow: instances.get(instance, 'geometryRow'),
      character: instances.get(instance, 'character'),
      tint: instances.get(instance, 'tint'),
      materialRow: primitives.get(primitive, 'materialRow'),
      primitiveIndex: primitives.get(primitive, 'primitiveIndex'),
    };
  }

  /** Ids of all triangles of all rows, run after run. */
  *all(): Generator<{ readonly id: number; readonly triangle: FoundTriangle }> {
    const { runs } = this;
    for (let run = 0; run < runs.count; run++) {
      for (let row = 0; row < runs.get(run, 'rowCount'); row++) {
        const batch = runs.get(run, 'firstBatch') + row * runs.get(run, 'batchesPerRow');
        for (let index = 0; index < runs.get(run, 'triangleCount'); index++) {
          const batchOf = batch + Math.floor(index / TRIANGLE_BATCH);
          const id = ((batchOf << TRIANGLE_SHIFT) | (index % TRIANGLE_BATCH)) >>> 0;
          yield { id, triangle: this.triangle(run, runs.get(run, 'firstRow') + row, index) };
        }
      }
    }
  }

  #primitivesOf(run: number): PrimitiveView {
    const known = this.#primitives.get(run);
    if (known) return known;
    const [row, count] = [this.runs.get(run, 'primitiveRow'), this.runs.get(run, 'primitiveCount')];
    const primitives = new View(TrianglePrimitive, this.#arrays.drawn.buffer, 16 * row, count);
    this.#primitives.set(run, primitives);
    return primitives;
  }

  #world(instance: number, vertex: number): Point {
    const row = this.instances.get(instance, 'currentVertexOffset') + vertex;
    const matrix = this.#matrices.get(instance) ?? this.instances.get(instance, 'worldFromModel');
    this.#matrices.set(instance, matrix);
    return applied(matrix, positionIn(this.#arrays.skinned, row), 1);
  }
}

/** The position in a row of a page. */
export function positionIn(skinned: Uint32Array, row: number): Point {
  const position = [0, 0, 0] as [number, number, number];
  unpackPosition(skinned[2 * row]!, skinned[2 * row + 1]!, position);
  return position;
}

/** A point (`w` 1) or a direction (`w` 0), times a matrix of three rows of four. */
export function applied(m: ArrayLike<number>, [x, y, z]: Point, w: 0 | 1): Point {
  return [
    m[0]! * x + m[1]! * y + m[2]! * z + m[3]! * w,
    m[4]! * x + m[5]! * y + m[6]! * z + m[7]! * w,
    m[8]! * x + m[9]! * y + m[10]! * z + m[11]! * w,
  ];
}

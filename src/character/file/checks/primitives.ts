import type { CheckedBatch } from './geometry.ts';
import type { Description } from '../description.ts';
import type { Report } from '../report.ts';

type PrimitiveDescription = Description['primitives'][number];

/** Tables of primitives: triangles, and vertices by POSITION element of the source. */
export interface PrimitiveTables {
  readonly indices: Uint32Array;
  readonly sources: Uint32Array;
}

/**
 * Checks that primitives divide all vertices, all triangles and all sources among them, each exactly once. So every
 * triangle belongs to one primitive and names only its vertices.
 */
export function checkPrimitives(character: Description, { indices, sources }: PrimitiveTables, report: Report): void {
  const { primitives, materials, parts } = character;
  let [firstIndex, firstSource] = [0, 0];
  primitives.forEach((primitive, index) => {
    const path = `json/primitives/${index}`;
    const { materialIndex, part, indexCount, sourceCount } = primitive;
    if (materialIndex >= materials.length) {
      report.corrupt(path, `has material ${materialIndex} of ${materials.length}.`);
    }
    if (part >= parts.length) report.corrupt(path, `is in part ${part} of ${parts.length}.`);
    if (indexCount % 3 !== 0) report.corrupt(path, `has ${indexCount} indices, not a multiple of 3.`);
    if (primitive.firstIndex !== firstIndex) {
      report.corrupt(path, `begins at index ${primitive.firstIndex}; the primitive before ends at ${firstIndex}.`);
    }
    const { firstVertex, vertexCount } = primitive;
    checkNames(indices.subarray(firstIndex, firstIndex + indexCount), firstVertex, vertexCount, (entry, message) =>
      report.corrupt(`indices+${4 * (firstIndex + entry)}`, message),
    );
    checkNames(sources.subarray(firstSource, firstSource + sourceCount), 0, vertexCount, (entry, message) =>
      report.corrupt(`sources+${4 * (firstSource + entry)}`, message),
    );
    firstIndex += indexCount;
    firstSource += sourceCount;
  });
  const expectAll = (what: string, actual: number, expected: number) => {
    if (actual !== expected) report.corrupt('json/primitives', `have ${actual} ${what}; the file holds ${expected}.`);
  };
  expectAll('indices', firstIndex, indices.length);
  expectAll('sources', firstSource, sources.length);
  expectAll('vertices', checkVertexRanges(primitives, report), character.vertexCount);
}

/** Checks that every entry of a table names one of `count` vertices from `first` on. Reports the first stray entry. */
function checkNames(
  table: Uint32Array,
  first: number,
  count: number,
  report: (entry: number, message: string) => void,
): void {
  const end = first + count;
  const stray = table.findIndex((vertex) => vertex < first || vertex >= end);
  if (stray >= 0) report(stray, `names vertex ${table[stray]}, outside ${first} to ${end}.`);
}

/** End of the last primitive, if each begins where another one ends. */
function checkVertexRanges(primitives: readonly PrimitiveDescription[], report: Report): number {
  let end = 0;
  for (const { firstVertex, vertexCount, name } of inVertexOrder(primitives)) {
    if (firstVertex !== end) {
      report.corrupt('json/primitives', `${name} begins at vertex ${firstVertex}, not at ${end}.`);
    }
    end = firstVertex + vertexCount;
  }
  return end;
}

function inVertexOrder(primitives: readonly PrimitiveDescription[]): PrimitiveDescription[] {
  return [...primitives].sort((a, b) => a.firstVertex - b.firstVertex || a.vertexCount - b.vertexCount);
}

/** Checks that each batch names the parts of all its vertices, because it is skipped when all its parts are hidden. */
export function checkParts({ primitives, parts }: Description, batches: readonly CheckedBatch[], report: Report): void {
  const known = [partMask(parts.length, 0), partMask(parts.length, 1)] as const;
  const owners = inVertexOrder(primitives).filter(({ vertexCount }) => vertexCount > 0);
  let first = 0;
  batches.forEach((batch, index) => {
    const path = `geometry batch ${index}`;
    const end = batch.firstVertex + batch.vertexCount;
    const endsBefore = ({ firstVertex, vertexCount }: PrimitiveDescription) =>
      firstVertex + vertexCount <= batch.firstVertex;
    while (first < owners.length && endsBefore(owners[first]!)) first++;
    for (let i = first; i < owners.length && owners[i]!.firstVertex < end; i++) {
      const { part } = owners[i]!;
      if (((batch.parts[part >> 5]! >>> (part & 31)) & 1) === 0) report.corrupt(path, `does not name part ${part}.`);
    }
    if (batch.parts.some((word, i) => (word & ~known[i]!) !== 0)) {
      report.corrupt(path, 'names parts that do not exist.');
    }
  });
}

function partMask(count: number, word: number): number {
  const bits = Math.max(0, Math.min(32, count - 32 * word));
  return 2 ** bits - 1;
}

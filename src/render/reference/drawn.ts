import type { DrawArrays } from '../../frame/backend.ts';
import { VISIBLE_WORDS, VISIBLE_WORDS_SHIFT } from '../../stages/layout.ts';
import { placeRow } from '../visibility/filter-triangles/instance-reference.ts';
import { ShownVertices } from '../visibility/shown-triangle.ts';
import type { ShownInstance, ShownTriangle } from '../visibility/triangle-reference.ts';
import { partBit } from '../materials/material-table.ts';
import type { StaticLayout } from '../scenery/lay-out.ts';
import { crowdRun, meshRun, type MaterialRowOf, type SourcePrimitive, type SourceRun } from '../visibility/source.ts';

/** A row of a visible list, or a piece of scenery: one mesh at one place. */
export interface DrawnThing extends ShownInstance {
  /** Views of the crowd that show it, a bit each. */
  readonly views: number;
  /** Primitives of shown parts. */
  readonly primitives: readonly DrawnPrimitive[];
  /** Two words of bits: the parts that it shows. */
  readonly parts: ArrayLike<number>;
  /** Metres in model space; 0 if it leaves no shade on the ground. */
  readonly contactRadius: number;
  /** Words of `contact-codes.ts`; scenery has none. */
  readonly contactPoints: Uint32Array;
  readonly vertices: ShownVertices;
  readonly indices: Uint32Array;
}

export interface DrawnPrimitive extends SourcePrimitive {
  readonly primitiveIndex: number;
}

/** Returns everything to draw of a crowd's last frame, in the order of ids. Load contact points of its characters first. */
export function drawnCharacters(arrays: DrawArrays, materialRowOf: MaterialRowOf): DrawnThing[] {
  const { targets, draws, pages, geometry } = arrays;
  const vertices = pages.map(({ skinned }) => new ShownVertices(skinned, geometry));
  return draws.flatMap(({ type, levelIndex, pageIndex, recordByte }) => {
    const [firstRow, rowCount] = [targets[recordByte / 4]!, targets[recordByte / 4 + 1]!];
    const run = crowdRun(type, levelIndex, { firstRow, rowCount }, materialRowOf);
    return rowsOf(arrays, run, { firstRow, rowCount }, vertices[pageIndex]!, true);
  });
}

/** The same for scenery. */
export function drawnScenery(layout: StaticLayout, materialRowOf: MaterialRowOf): DrawnThing[] {
  const { tables, visible, transforms, residents, skinned, runs } = layout;
  const arrays = { visible, transforms, previousTransforms: transforms, residents, ...tables };
  const vertices = new ShownVertices(skinned, tables.geometry);
  return runs.flatMap(({ type, firstRow, rowCount }) => {
    const run = { ...meshRun(type, 0, { firstRow, rowCount }, materialRowOf), contactRadius: 0 };
    return rowsOf(arrays, run, { firstRow, rowCount }, vertices, false);
  });
}

const NO_POINTS = new Uint32Array(0);

function rowsOf(
  arrays: Omit<DrawArrays, 'targets' | 'draws' | 'pages' | 'socketMatrices' | 'previousSocketMatrices'>,
  { primitives, firstIndex, contactRadius, contactPoints = NO_POINTS }: SourceRun,
  { firstRow, rowCount }: { readonly firstRow: number; readonly rowCount: number },
  vertices: ShownVertices,
  isCrowd: boolean,
): DrawnThing[] {
  const { visible, residents, indices } = arrays;
  return Array.from({ length: rowCount }, (_, i): DrawnThing => {
    const row = firstRow + i;
    const character = visible.get(row, 'character');
    const parts = visible.get(row, 'parts');
    const isShown = ({ part }: SourcePrimitive) => partBit(part).some((word, w) => (word & parts[w]!) !== 0);
    const shown = primitives.map((primitive, primitiveIndex) => ({ ...primitive, primitiveIndex })).filter(isShown);
    return {
      ...placeRow(arrays, row),
      currentVertexOffset: visible.get(row, 'currentVertexOffset'),
      previousVertexOffset: visible.get(row, 'previousVertexOffset'),
      attributeWord: visible.get(row, 'attributeWord'),
      attributeWords: (visible.get(row, 'detail') >>> VISIBLE_WORDS_SHIFT) & VISIBLE_WORDS,
      geometryRow: visible.get(row, 'geometryRow'),
      character: isCrowd ? character + 1 : 0,
      tint: residents.get(character, 'tint'),
      views: visible.get(row, 'views'),
      parts,
      primitives: shown,
      // a character that hides all its parts leaves no shade
      contactRadius: shown.length > 0 ? contactRadius : 0,
      contactPoints,
      vertices,
      indices: indices.subarray(firstIndex),
    };
  });
}

/** Returns a triangle of a thing. @param corner Its first corner, among the primitive's indices. */
export function triangleOf(thing: DrawnThing, primitive: DrawnPrimitive, corner: number): ShownTriangle {
  const { indices } = thing;
  const { firstIndex, materialRow, primitiveIndex } = primitive;
  const at = firstIndex + corner;
  return { ...thing, corners: [indices[at]!, indices[at + 1]!, indices[at + 2]!], materialRow, primitiveIndex };
}

import type { Character } from '../../character/character.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { type CrowdType, meshesOf } from '../../frame/tables/crowd-types.ts';
import { VisibleCharacter } from '../../stages/layout.ts';
import { contactPointsOf } from '../contact-points.ts';
import { contactRadiusOf, hasStandardVertices } from '../forward/primitives.ts';
import type { Scenery } from '../scenery/scenery.ts';
import { isBlended, isMasked, materialOf } from '../materials/material-table.ts';

/**
 * A visible list of characters, or of pieces of scenery, to be drawn triangle by triangle, and the memory that it
 * refers to.
 */
export interface TriangleSource {
  /** VisibleCharacter rows. They refer to rows of the next three buffers. */
  readonly visible: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly previousTransforms: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly geometry: GPUBuffer;
  readonly indices: GPUBuffer;
  /** Capacity of the list, rows. */
  readonly rowCapacity: number;
  /** True if rows are characters with ids. */
  readonly isCrowd: boolean;
  /** Buffer in which the GPU writes the rows of runs; undefined if they never change. */
  readonly targets?: GPUBuffer | undefined;
  /** True if all its static geometry is in the standard layout; default false. */
  readonly isStandard?: boolean;
  /** Vertices, page by page, and the runs that they belong to, in the order of the list. */
  readonly pages: readonly SourcePage[];
}

export interface SourcePage {
  readonly skinned: GPUBuffer;
  readonly runs: readonly SourceRun[];
}

/** Rows of one mesh. */
export interface SourceRun {
  /** Byte in `targets` of first row and count, or the values themselves. */
  readonly rows: { readonly recordByte: number } | { readonly firstRow: number; readonly rowCount: number };
  /** Where the mesh's indices begin. */
  readonly firstIndex: number;
  readonly primitives: readonly SourcePrimitive[];
  /** Radius of the soft shade that its body leaves on the ground, metres; 0 for no shade. */
  readonly contactRadius: number;
  /** Vertices that show where the body is: see `contact-points.ts`. */
  readonly contactPoints?: Uint32Array<ArrayBuffer>;
  /** Sphere that contains all poses, in model space; undefined if unknown. */
  readonly sphere: { readonly center: readonly number[]; readonly radius: number } | undefined;
}

/** Consecutive indices of one material. */
export interface SourcePrimitive {
  /** From the mesh's first one. */
  readonly firstIndex: number;
  readonly indexCount: number;
  /** Index of its part, of the 64 that can be hidden. */
  readonly part: number;
  readonly doubleSided: boolean;
  readonly masked: boolean;
  /** True if pictures show the background through it; default false. */
  readonly blended?: boolean;
  readonly materialRow: number;
}

export type MaterialRowOf = (character: Character, primitiveIndex: number) => number;

export function crowdSource(
  memory: DrawnMemory,
  types: readonly CrowdType[],
  materialRowOf: MaterialRowOf,
): TriangleSource {
  const { crowd, targets, draws } = memory;
  const pageCount = Math.max(0, ...draws.map(({ pageIndex }) => pageIndex + 1));
  const pages = Array.from({ length: pageCount }, (_, pageIndex): SourcePage => {
    const { vertices: skinned } = memory.page(pageIndex);
    const ofPage = draws.filter((draw) => draw.pageIndex === pageIndex);
    const runs = ofPage.map(({ type, levelIndex, recordByte }) =>
      crowdRun(type, levelIndex, { recordByte }, materialRowOf),
    );
    return { skinned, runs };
  });
  const rowCapacity = crowd.visible.size / VisibleCharacter.size;
  return { ...pickBuffers(crowd), rowCapacity, isCrowd: true, targets, isStandard: areStandard(types), pages };
}

export function scenerySource(scenery: Scenery, materialRowOf: MaterialRowOf): TriangleSource {
  const { skinned, runs } = scenery;
  const page: SourcePage = {
    skinned,
    runs: runs.map(({ type, firstRow, rowCount }) => ({
      ...meshRun(type, 0, { firstRow, rowCount }, materialRowOf),
      contactRadius: 0,
      sphere: sphereAround(type.character),
    })),
  };
  const rowCapacity = runs.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const isStandard = areStandard(runs.map(({ type }) => type));
  return { ...pickBuffers(scenery), rowCapacity, isCrowd: false, isStandard, pages: [page] };
}

const areStandard = (types: readonly CrowdType[]) => types.every(({ character }) => hasStandardVertices(character));

function sphereAround({ bounds: { min, max }, size }: Character): SourceRun['sphere'] {
  return { center: [0, 1, 2].map((c) => (min[c]! + max[c]!) / 2), radius: size / 2 };
}

function pickBuffers({
  visible,
  transforms,
  previousTransforms,
  residents,
  geometry,
  indices,
}: Pick<TriangleSource, 'visible' | 'transforms' | 'previousTransforms' | 'residents' | 'geometry' | 'indices'>) {
  return { visible, transforms, previousTransforms, residents, geometry, indices };
}

/** The run of characters of a type's level. Its contact points have to be loaded. */
export function crowdRun(...of: Parameters<typeof meshRun>): SourceRun & Required<Pick<SourceRun, 'contactPoints'>> {
  const [{ character }, levelIndex] = of;
  return { ...meshRun(...of), contactPoints: contactPointsOf(meshesOf(character)[levelIndex]!) };
}

export function meshRun(
  { character, levels }: CrowdType,
  levelIndex: number,
  rows: SourceRun['rows'],
  materialRowOf: MaterialRowOf,
): SourceRun {
  const { primitives, firstIndex } = levels[levelIndex]!;
  return {
    rows,
    firstIndex,
    contactRadius: contactRadiusOf(character),
    sphere: character.reach,
    primitives: primitives.map(({ firstIndex: first, indexCount, part, materialIndex }, index) => {
      const material = materialOf(character, { materialIndex });
      return {
        firstIndex: first,
        indexCount,
        part,
        doubleSided: material.doubleSided,
        masked: isMasked(material),
        blended: isBlended(material),
        materialRow: materialRowOf(character, index),
      };
    }),
  };
}
